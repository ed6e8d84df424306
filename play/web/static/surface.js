// Fingers, mouse and keys on a board: taps, press-and-drag with the nearest free place marked, a cursor for keys. How
// a board that is larger than its frame scrolls is in following.js.

import { h, s } from "./dom.js";
import { Following } from "./following.js";
import { t } from "./texts.js";

const LEAST_CELL = 15; // pixels between two points below which the board scrolls instead of shrinking
const TAP = 8; // pixels that a finger may slip

export class Surface {
  /** `onplay(action)` is called with a free place, `onplace(action)` when the cursor comes to one. */
  constructor(board, describedBy, onplay, onplace) {
    this.board = board;
    this.onplay = onplay;
    this.onplace = onplace;
    this.cursor = -1;
    this.zoom = 1;
    this.view = null;
    this.colour = "blue";
    this.element = h("div", {
      class: "surface", id: "board", tabindex: "0", role: "application",
      "aria-label": t(board.game.game === "boxes" ? "boxes" : "kropki"), "aria-describedby": describedBy,
    }, board.svg);
    this.frame = h("div", { class: "frame" }, this.element);
    this.following = new Following(this);
    this.listen();
    new ResizeObserver(() => this.resized()).observe(this.frame);
  }

  listen() {
    const element = this.element;
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("pointercancel", () => this.clear());
    element.addEventListener("pointerleave", (event) => event.buttons === 0 && this.clear());
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("focus", () => this.focus());
    element.addEventListener("blur", () => this.mark(-1));
  }

  /** Show a position; places can be chosen if it is a person's turn. */
  show(view, colour, flash) {
    this.view = view;
    this.colour = colour;
    this.board.draw(view, flash);
    this.element.classList.toggle("waiting", !view.persons_turn);
    this.mark(-1);
    this.following.show(view);
  }

  isFree(action) {
    return Boolean(this.view && this.view.persons_turn && this.board.isFree(this.view, action));
  }

  /** Let the board fill its frame, or scroll where its points would be too near to each other for a finger. */
  fit() {
    const g = this.board.geometry, room = this.frame.clientWidth;
    if (!room) return;
    const tall = Math.max(320, window.innerHeight * 0.72) * (g.width / g.height);
    const width = Math.max(Math.min(room, tall, g.width * 2.6), (g.width / g.cell) * LEAST_CELL) * this.zoom;
    this.scrolls = width > room + 1;
    this.element.style.width = `${Math.round(width)}px`;
    this.element.classList.toggle("scrolls", this.scrolls);
  }

  /** After the phone was turned the last move may be anywhere; a zoomed board only became higher. */
  resized() {
    const turned = this.room !== undefined && this.room !== this.frame.clientWidth;
    this.room = this.frame.clientWidth;
    this.fit();
    if (turned) this.following.bring(false);
  }

  enlarge(factor) {
    this.following.keepMiddle(() => {
      this.zoom = Math.min(4, Math.max(1, this.zoom * factor));
      this.fit();
    });
  }

  nearest(event) {
    const box = this.board.svg.getBoundingClientRect(), g = this.board.geometry;
    const x = ((event.clientX - box.left) / box.width) * g.width, y = ((event.clientY - box.top) / box.height) * g.height;
    return g.nearest(x, y, (action) => this.isFree(action));
  }

  down(event) {
    if (event.button > 0) return;
    this.from = [event.clientX, event.clientY];
    if (this.scrolls && event.pointerType === "touch") return; // the finger may be scrolling
    this.element.setPointerCapture(event.pointerId);
    this.pressed = true;
    this.mark(this.nearest(event));
  }

  move(event) {
    if (event.pointerType === "touch" && !this.pressed) return;
    if (event.buttons === 0 || this.pressed) this.mark(this.nearest(event));
  }

  up(event) {
    if (!this.from) return;
    const slipped = Math.hypot(event.clientX - this.from[0], event.clientY - this.from[1]);
    const tapped = this.scrolls && event.pointerType === "touch" && slipped < TAP;
    const action = this.pressed || tapped ? this.nearest(event) : -1;
    this.clear();
    if (action >= 0) this.play(action);
  }

  play(action) {
    this.following.chosen();
    this.onplay(action);
  }

  clear() {
    this.pressed = false;
    this.from = null;
    this.mark(-1);
  }

  mark(target) {
    if (!this.view) return;
    const shown = document.activeElement === this.element && this.keyed ? this.cursor : -1;
    this.board.point(target, shown, this.colour);
  }

  focus() {
    this.keyed = this.element.matches(":focus-visible");
    if (this.cursor < 0) {
      const g = this.board.geometry;
      this.cursor = g.first !== undefined ? 0 : Math.floor(g.rows / 2) * g.columns + Math.floor(g.columns / 2);
    }
    this.mark(-1);
    if (this.keyed) this.onplace(this.cursor);
  }

  key(event) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (this.isFree(this.cursor)) this.play(this.cursor);
      else this.onplace(this.cursor);
      return;
    }
    if (!event.key.startsWith("Arrow") || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.keyed = true;
    this.cursor = this.board.geometry.step(this.cursor, event.key);
    this.mark(-1);
    this.into();
    this.onplace(this.cursor);
  }

  /** Scroll the cursor into sight on a board that is larger than its frame. */
  into() {
    if (this.scrolls) this.board.mark.lastChild?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/** An SVG element for a board. */
export function boardPicture() {
  return s("svg", { class: "picture", "aria-hidden": "true", focusable: "false" });
}
