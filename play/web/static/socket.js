// The one connection: messages out and in, and coming back after it was lost.

const FIRST_WAIT = 300, LONGEST_WAIT = 4000; // milliseconds

export class Line {
  /** `handlers`: what to do with each type of message; `onopen` after every connection, `onlost` when it breaks. */
  constructor(handlers, onopen, onlost) {
    this.handlers = handlers;
    this.onopen = onopen;
    this.onlost = onlost;
    this.wait = FIRST_WAIT;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}/play`);
    this.socket.addEventListener("open", () => {
      this.wait = FIRST_WAIT;
      this.onopen();
    });
    this.socket.addEventListener("message", (event) => {
      const message = JSON.parse(event.data);
      const act = this.handlers[message.type];
      if (act) act(message);
    });
    this.socket.addEventListener("close", () => {
      this.onlost();
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
    });
  }

  /** Say something; while there is no connection nothing can be said. */
  say(type, fields) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, ...fields }));
  }
}
