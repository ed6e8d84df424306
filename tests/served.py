"""A server in a process of its own, for tests that need a real one."""

import json
import signal
import subprocess
import sys
from contextlib import contextmanager


class Server:
    """`dotzero web` on a free port with a folder of its own."""

    def __init__(self, folder, *words):
        command = [sys.executable, "-m", "dotzero", "web", "--data", str(folder), *words]
        command += [] if "--port" in words else ["--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = []
        while True:
            line = self.process.stdout.readline()
            lines.append(line)
            if " plays at " in line:
                break
            assert line, "".join(lines) + self.process.stderr.read()
        self.said = "".join(lines)
        self.url = line.split(" plays at ")[1].split()[0]
        self.host = self.url.removeprefix("http://").removesuffix("/")

    def kill(self):
        """End it without a warning."""
        self.process.kill()
        self.process.wait(30)

    def end(self, with_signal=signal.SIGTERM):
        """End it politely; returns its exit code and what it said on standard error."""
        self.process.send_signal(with_signal)
        errors = self.process.communicate(timeout=30)[1]
        return self.process.returncode, errors


@contextmanager
def server(folder, *words):
    """A server that is ended with the block."""
    made = Server(folder, *words)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.kill()
        for stream in (made.process.stdout, made.process.stderr):
            stream.close()


class Client:
    """One connection to a server, for programs that are no browser."""

    def __init__(self, connection):
        self.connection = connection

    async def say(self, kind, **fields):
        await self.connection.send(json.dumps({"type": kind, **fields}))

    async def hear(self, *kinds):
        while True:
            message = json.loads(await self.connection.recv())
            assert message["type"] != "error", message
            if message["type"] in kinds:
                return message
