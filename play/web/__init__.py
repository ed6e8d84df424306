"""The page in the browser: one WebSocket, messages in JSON, and the sessions behind it."""
