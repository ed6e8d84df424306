// The board of Kropki: points, chains and enclosures in SVG. What is enclosed is said by the engine.

import { s } from "./dom.js";

const CELL = 24, MARGIN = 30, EDGE = 16; // units: between two points, room for labels, room without
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Where the points of a board of width x height lie. */
export class KropkiGeometry {
  constructor(game) {
    this.columns = game.width;
    this.rows = game.height;
    this.names = game.names;
    this.count = game.width * game.height;
    this.width = MARGIN + EDGE + CELL * (this.columns - 1);
    this.height = MARGIN + EDGE + CELL * (this.rows - 1);
    this.cell = CELL;
  }

  middle(point) {
    return [MARGIN + (point % this.columns) * CELL, MARGIN + Math.floor(point / this.columns) * CELL];
  }

  nearest(x, y, isFree) {
    let best = -1, least = CELL * 1.2;
    const column = Math.round((x - MARGIN) / CELL), row = Math.round((y - MARGIN) / CELL);
    for (let r = Math.max(0, row - 1); r <= Math.min(this.rows - 1, row + 1); r++) {
      for (let c = Math.max(0, column - 1); c <= Math.min(this.columns - 1, column + 1); c++) {
        const point = r * this.columns + c, [px, py] = this.middle(point);
        const distance = Math.hypot(x - px, y - py);
        if (isFree(point) && distance < least) [best, least] = [point, distance];
      }
    }
    return best;
  }

  step(point, key) {
    const column = point % this.columns, row = Math.floor(point / this.columns);
    const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key] || [0, 0];
    const c = Math.min(this.columns - 1, Math.max(0, column + dx)), r = Math.min(this.rows - 1, Math.max(0, row + dy));
    return r * this.columns + c;
  }
}

/** Draws positions of one game into an SVG element. */
export class KropkiBoard {
  constructor(game, svg) {
    this.game = game;
    this.svg = svg;
    this.geometry = new KropkiGeometry(game);
    this.svg.setAttribute("viewBox", `0 0 ${this.geometry.width} ${this.geometry.height}`);
  }

  isFree(view, action) {
    return action < this.geometry.count && view.legal[action] === "1";
  }

  draw(view, flash) {
    const { svg, geometry: g, game } = this;
    svg.replaceChildren(this.patterns(), this.grid(view));
    const areas = s("g", {});
    for (const { seat, chain } of view.chains) {
      const points = chain.map((point) => g.middle(point).join(",")).join(" ");
      const colour = game.seats[seat].colour;
      areas.append(s("polygon", { points, class: `area ${colour}` }));
      areas.append(s("polygon", { points, class: `fence ${colour}`, fill: `url(#hatch-${colour})` }));
    }
    const dots = s("g", {});
    for (let point = 0; point < g.count; point++) {
      const dot = view.dots[point];
      if (dot !== ".") dots.append(this.dot(point, Number(dot) % 2, dot > "1"));
    }
    this.over = s("g", { class: "over" });
    this.mark = s("g", {});
    svg.append(areas, dots, this.over, this.mark);
    if (view.last !== null && view.last < g.count) {
      const [cx, cy] = g.middle(view.last);
      dots.append(s("circle", { cx, cy, r: 10.5, class: `last ${flash ? "flash" : ""}` }));
    }
  }

  /** A dot: full for blue, a ring for red, so that no colour is needed (R006, R161); crossed out when dead. */
  dot(point, seat, dead) {
    const [cx, cy] = this.geometry.middle(point), colour = this.game.seats[seat].colour;
    const group = s("g", { class: `dot ${colour} ${dead ? "dead" : ""}` });
    group.append(s("circle", { cx, cy, r: 7.2, class: "disc" }));
    if (colour === "red") group.append(s("circle", { cx, cy, r: 2.9, class: "hole" }));
    if (dead) group.append(s("path", { d: `M${cx - 5} ${cy - 5}l10 10m0-10l-10 10`, class: "crossed" }));
    return group;
  }

  grid(view) {
    const g = this.geometry, grid = s("g", { class: "labels" });
    const [right, bottom] = g.middle(g.count - 1);
    for (let column = 0; column < g.columns; column++) {
      const x = MARGIN + column * CELL;
      grid.append(s("line", { x1: x, y1: MARGIN, x2: x, y2: bottom, class: "rule" }), s("text", { x, y: 10 }, LETTERS[column]));
    }
    for (let row = 0; row < g.rows; row++) {
      const y = MARGIN + row * CELL;
      grid.append(s("line", { x1: MARGIN, y1: y, x2: right, y2: y, class: "rule" }), s("text", { x: 10, y }, LETTERS[row]));
    }
    if (view.phase === "opening" && this.game.zone) {
      for (let point = 0; point < g.count; point++) {
        if (this.game.zone[point] !== "1") continue;
        const [x, y] = g.middle(point);
        grid.append(s("rect", { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL, class: "zone" }));
      }
    }
    return grid;
  }

  patterns() {
    const made = s("defs", {});
    for (const [colour, path] of [["blue", "M-1 7L7 -1M-1 1L1 -1M5 7L7 5"], ["red", "M-1 -1L7 7M5 -1L7 1M-1 5L1 7"]]) {
      const pattern = s("pattern", { id: `hatch-${colour}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" });
      pattern.append(s("path", { d: path, class: `hatch ${colour}` }));
      made.append(pattern);
    }
    return made;
  }

  point(target, cursor, colour) {
    this.mark.replaceChildren();
    const g = this.geometry;
    if (target >= 0) {
      const [cx, cy] = g.middle(target);
      this.mark.append(s("line", { x1: 0, x2: g.width, y1: cy, y2: cy, class: "ray" }), s("line", { y1: 0, y2: g.height, x1: cx, x2: cx, class: "ray" }));
      this.mark.append(s("circle", { cx, cy, r: 7.2, class: `aim-dot ${colour}` }));
    }
    if (cursor >= 0) {
      const [x, y] = g.middle(cursor);
      this.mark.append(s("rect", { x: x - 11, y: y - 11, width: 22, height: 22, rx: 5, class: "cursor" }));
    }
  }

  hint(action) {
    if (action >= this.geometry.count) return;
    const [cx, cy] = this.geometry.middle(action);
    this.over.append(s("circle", { cx, cy, r: 9, class: "hint" }));
  }

  /** What analysis knows, over the board. */
  overlay(analysis, view) {
    const g = this.geometry;
    this.over.replaceChildren();
    for (let point = 0; point < g.count; point++) {
      if ((view.dots[point] === "0" || view.dots[point] === "1") && view.grounded[point] !== "1") {
        const [cx, cy] = g.middle(point);
        this.over.append(s("circle", { cx, cy, r: 10, class: "loose" }));
      }
    }
    for (const [name, share] of Object.entries(analysis.heat || {})) {
      const action = g.names.indexOf(name);
      if (action >= g.count) continue;
      const [cx, cy] = g.middle(action);
      this.over.append(s("circle", { cx, cy, r: 2 + 9 * Math.sqrt(share), class: "heat" }));
    }
    for (const [sign, moves] of [["+", analysis.captures || {}], ["!", analysis.threats || {}]]) {
      for (const [name, number] of Object.entries(moves)) {
        const [x, y] = g.middle(g.names.indexOf(name));
        const kind = sign === "+" ? "gain" : "loss", shift = sign === "+" ? -4 : 4;
        this.over.append(s("text", { x, y: y + shift, class: `count ${kind}` }, `${sign}${number}`));
      }
    }
    for (const name of analysis.best || []) this.hint(g.names.indexOf(name));
  }
}
