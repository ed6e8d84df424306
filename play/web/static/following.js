// A board that is larger than its frame follows the last move, unless the player is looking elsewhere just now.

const OWN = 900; // milliseconds that a scrolling of ours may take
const AFTER = 1500; // milliseconds after a player's scrolling in which the board stays where it is
const EDGE = 2; // cells from the frame's edge that count as out of sight

export class Following {
  constructor(surface) {
    this.surface = surface;
    this.shown = null; // number of moves and the last one, as they were shown last
    this.touches = 0;
    this.own = -Infinity; // until when scrolling is ours
    this.moved = -Infinity; // when the player has scrolled
    const touched = (event) => {
      this.touches = event.touches.length;
      if (event.type === "touchmove") this.moved = performance.now();
    };
    for (const name of ["touchstart", "touchmove", "touchend", "touchcancel"]) {
      surface.frame.addEventListener(name, touched, { passive: true });
    }
    surface.frame.addEventListener("scroll", () => {
      const now = performance.now();
      if (now > this.own) this.moved = now;
    }, { passive: true });
  }

  /** A position is shown: bring what is new of it into sight, at the beginning the middle of the board. */
  show(view) {
    const shown = `${view.at} ${view.last}`, before = this.shown;
    this.shown = shown;
    if (shown !== before && (before === null || !this.isPlayers())) this.bring(before !== null);
  }

  /** Whether the board is in the player's hands. */
  isPlayers() {
    return this.touches > 0 || performance.now() - this.moved < AFTER;
  }

  /** A place was chosen: the player looks where the game goes on. */
  chosen() {
    this.moved = -Infinity;
  }

  /** Scroll to the last move, or to the middle where there is none; not if it is in sight. */
  bring(smoothly) {
    const { frame, board, view, scrolls } = this.surface, g = board.geometry;
    const stopped = view.last !== null && view.last >= g.count;
    if (!scrolls || (stopped && smoothly)) return;
    const last = stopped ? null : view.last;
    const [x, y] = last === null ? [g.width / 2, g.height / 2] : g.middle(last);
    const box = board.svg.getBoundingClientRect(), scale = box.width / g.width, edge = EDGE * g.cell * scale;
    const behavior = smoothly && !matchMedia("(prefers-reduced-motion: reduce)").matches ? "smooth" : "instant";
    const place = x * scale - frame.scrollLeft, most = frame.scrollWidth - frame.clientWidth;
    const left = Math.min(most, Math.max(0, x * scale - frame.clientWidth / 2));
    const outside = last === null || place < edge || place > frame.clientWidth - edge;
    if (outside && Math.abs(left - frame.scrollLeft) > 1) {
      this.own = performance.now() + OWN;
      frame.scrollTo({ left, behavior });
    }
    // Up and down it is the page that scrolls: only for a board that does not fit the window and is being looked at.
    const top = box.top + y * scale, typing = document.activeElement?.id === "typed";
    const looked = !typing && box.height > window.innerHeight && box.top < window.innerHeight && box.bottom > 0;
    if (looked && (top < edge || top > window.innerHeight - edge)) {
      window.scrollBy({ top: top - window.innerHeight / 2, behavior });
    }
  }

  /** Let the board change its size, and keep what was in the middle of the frame there. */
  keepMiddle(change) {
    const { frame } = this.surface, middle = (frame.scrollLeft + frame.clientWidth / 2) / frame.scrollWidth;
    change();
    this.own = performance.now() + OWN;
    frame.scrollLeft = middle * frame.scrollWidth - frame.clientWidth / 2;
  }
}
