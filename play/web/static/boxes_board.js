// The board of Dots and Boxes: dots, lines and boxes in SVG. It knows where lines are, not what may be drawn.

import { s } from "./dom.js";
import { signed } from "./texts.js";

const CELL = 40, MARGIN = 32, EDGE = 22; // units: a box, room for labels, room without
const MARK_SIZES = [20, 14, 9]; // of type, for marks of one, two and three characters

/** Where everything of a board of rows x columns boxes lies; lines are numbered as the engine numbers them. */
export class BoxesGeometry {
  constructor(game) {
    this.rows = game.rows;
    this.columns = game.columns;
    this.names = game.names;
    this.width = MARGIN + EDGE + CELL * this.columns;
    this.height = MARGIN + EDGE + CELL * this.rows;
    this.cell = CELL;
    this.first = (this.rows + 1) * this.columns; // the number of the first vertical line
    this.count = this.first + this.rows * (this.columns + 1);
  }

  dot(row, column) {
    return [MARGIN + column * CELL, MARGIN + row * CELL];
  }

  /** Row and column of the left or upper dot of a line, and whether it is horizontal. */
  place(line) {
    if (line < this.first) return [Math.floor(line / this.columns), line % this.columns, true];
    const rest = line - this.first;
    return [Math.floor(rest / (this.columns + 1)), rest % (this.columns + 1), false];
  }

  number(row, column, across) {
    return across ? row * this.columns + column : this.first + row * (this.columns + 1) + column;
  }

  ends(line) {
    const [row, column, across] = this.place(line);
    return [...this.dot(row, column), ...(across ? this.dot(row, column + 1) : this.dot(row + 1, column))];
  }

  middle(line) {
    const [x1, y1, x2, y2] = this.ends(line);
    return [(x1 + x2) / 2, (y1 + y2) / 2];
  }

  /** The nearest line for which `isFree`, within a cell's width of a point; -1 if there is none (R106, R107). */
  nearest(x, y, isFree) {
    let best = -1, least = CELL * 0.8;
    for (let line = 0; line < this.count; line++) {
      if (!isFree(line)) continue;
      const [x1, y1, x2, y2] = this.ends(line);
      const dx = x - Math.min(Math.max(x, x1), x2), dy = y - Math.min(Math.max(y, y1), y2);
      const distance = Math.hypot(dx, dy);
      if (distance < least) [best, least] = [line, distance];
    }
    return best;
  }

  /** The line that an arrow key leads to: round the sides of the boxes of a row, or of a column. */
  step(line, key) {
    const [row, column, across] = this.place(line);
    const inside = (r, c, a) => r >= 0 && c >= 0 && r <= this.rows - (a ? 0 : 1) && c <= this.columns - (a ? 1 : 0);
    const ways = {
      ArrowRight: across ? [[row, column + 1, false], [row - 1, column + 1, false]] : [[row, column, true], [row + 1, column, true]],
      ArrowLeft: across ? [[row, column, false], [row - 1, column, false]] : [[row, column - 1, true], [row + 1, column - 1, true]],
      ArrowDown: across ? [[row, column, false], [row, column + 1, false]] : [[row + 1, column, true], [row + 1, column - 1, true]],
      ArrowUp: across ? [[row - 1, column, false], [row - 1, column + 1, false]] : [[row, column, true], [row, column - 1, true]],
    };
    const found = (ways[key] || []).find(([r, c, a]) => inside(r, c, a));
    return found ? this.number(...found) : line;
  }

  /** The box that a name such as A1 means: column letter, row number from the bottom. */
  box(name) {
    const column = name.charCodeAt(0) - 65, row = this.rows - Number(name.slice(1));
    return [row, column];
  }
}

/** Draws positions of one game into an SVG element. */
export class BoxesBoard {
  constructor(game, svg) {
    this.game = game;
    this.svg = svg;
    this.geometry = new BoxesGeometry(game);
    this.svg.setAttribute("viewBox", `0 0 ${this.geometry.width} ${this.geometry.height}`);
  }

  isFree(view, action) {
    return view.legal[action] === "1";
  }

  draw(view, flash) {
    const { svg, geometry: g, game } = this;
    svg.replaceChildren();
    svg.append(this.labels());
    const boxes = s("g", {});
    for (let box = 0; box < g.rows * g.columns; box++) {
      const owner = view.owners[box];
      if (owner === ".") continue;
      const [x, y] = g.dot(Math.floor(box / g.columns), box % g.columns);
      const seat = game.seats[owner];
      boxes.append(s("rect", { x: x + 2, y: y + 2, width: CELL - 4, height: CELL - 4, rx: 3, class: `box ${seat.colour}` }));
      const size = MARK_SIZES[[...seat.mark].length - 1];
      boxes.append(s("text", { x: x + CELL / 2, y: y + CELL / 2, "font-size": size, class: `initial ${seat.colour}` }, seat.mark));
    }
    const lines = s("g", {});
    for (let line = 0; line < g.count; line++) {
      const [x1, y1, x2, y2] = g.ends(line), at = { x1, y1, x2, y2 };
      if (view.lines[line] !== "1") {
        lines.append(s("line", { ...at, class: "ghost" }));
        continue;
      }
      const by = view.by[line], colour = by === "." ? "nobody" : game.seats[by].colour;
      const last = line === view.last;
      if (last) lines.append(s("line", { ...at, class: `halo ${flash ? "flash" : ""}` }));
      lines.append(s("line", { ...at, class: `line ${colour}` }));
      if (colour === "red") lines.append(s("line", { ...at, class: "stripe" })); // not by colour alone (R161)
    }
    const dots = s("g", {});
    for (let row = 0; row <= g.rows; row++) {
      for (let column = 0; column <= g.columns; column++) {
        const [cx, cy] = g.dot(row, column);
        dots.append(s("circle", { cx, cy, r: 3.6, class: "peg" }));
      }
    }
    this.over = s("g", { class: "over" });
    this.mark = s("g", {});
    svg.append(boxes, lines, this.over, this.mark, dots);
  }

  labels() {
    const g = this.geometry, labels = s("g", { class: "labels" });
    for (let column = 0; column < g.columns; column++) {
      const [x, y] = g.dot(0, column);
      labels.append(s("text", { x: x + CELL / 2, y: y - 16 }, String.fromCharCode(65 + column)));
    }
    for (let row = 0; row < g.rows; row++) {
      const [x, y] = g.dot(row, 0);
      labels.append(s("text", { x: x - 18, y: y + CELL / 2 }, String(g.rows - row)));
    }
    return labels;
  }

  /** Mark the line that would be drawn, and the place of the keyboard's cursor. */
  point(target, cursor, colour) {
    this.mark.replaceChildren();
    if (target >= 0) {
      const [x1, y1, x2, y2] = this.geometry.ends(target);
      this.mark.append(s("line", { x1, y1, x2, y2, class: `aim ${colour}` }));
    }
    if (cursor >= 0) {
      const [x1, y1, x2, y2] = this.geometry.ends(cursor);
      const box = { x: Math.min(x1, x2) - 7, y: Math.min(y1, y2) - 7, width: Math.abs(x2 - x1) + 14, height: Math.abs(y2 - y1) + 14 };
      this.mark.append(s("rect", { ...box, rx: 7, class: "cursor" }));
    }
  }

  hint(action) {
    const [x1, y1, x2, y2] = this.geometry.ends(action);
    this.over.append(s("line", { x1, y1, x2, y2, class: "hint" }));
  }

  /** What analysis knows, over the board. */
  overlay(analysis) {
    const g = this.geometry;
    this.over.replaceChildren();
    for (const [kind, groups] of [["chain", analysis.chains || []], ["loop", analysis.loops || []]]) {
      for (const group of groups) {
        for (const name of group.boxes) {
          const [row, column] = g.box(name), [x, y] = g.dot(row, column);
          const long = kind === "loop" || group.long ? "long" : "";
          this.over.append(s("rect", { x: x + 5, y: y + 5, width: CELL - 10, height: CELL - 10, rx: 6, class: `${kind} ${long}` }));
        }
      }
    }
    for (const name of analysis.safe || []) {
      const [x1, y1, x2, y2] = g.ends(g.names.indexOf(name));
      this.over.append(s("line", { x1, y1, x2, y2, class: "safe" }));
    }
    for (const [name, share] of Object.entries(analysis.heat || {})) {
      const [x, y] = g.middle(g.names.indexOf(name));
      this.over.append(s("circle", { cx: x, cy: y, r: 3 + 12 * Math.sqrt(share), class: "heat" }));
    }
    const best = new Set(analysis.best || []);
    for (const [name, value] of Object.entries(analysis.moves || {})) {
      const [x, y] = g.middle(g.names.indexOf(name)), good = best.has(name);
      const text = signed(value);
      const half = 4 + text.length * 3;
      this.over.append(s("rect", { x: x - half, y: y - 7, width: 2 * half, height: 14, rx: 7, class: `badge ${good ? "best" : ""}` }));
      this.over.append(s("text", { x, y, class: `value ${good ? "best" : ""}` }, text));
    }
  }
}
