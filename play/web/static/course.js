// The course of a game: going back and forth through its positions, and a graph of what was expected.

import { h, s } from "./dom.js";
import { signed, t } from "./texts.js";

const WIDTH = 320, HEIGHT = 96, PAD = 6;
const LEAST_WAIT = 80; // milliseconds between two questions

export class Course {
  constructor(screen) {
    this.screen = screen;
    this.data = null;
    this.wish = null; // the position that was asked for and is not shown yet
    this.slider = h("input", { type: "range", id: "place", min: 0, value: 0, "aria-label": t("course"), oninput: () => this.look(Number(this.slider.value)) });
    this.text = h("p", { class: "note" });
    this.graph = h("div", { class: "graph", id: "graph" });
    const step = (id, sign, label, to) => h("button", { type: "button", id, class: "plain", "aria-label": label, onclick: () => this.look(to()) }, sign);
    const at = () => this.wish ?? screen.shown.at; // steps count from where the last one leads
    const row = h("div", { class: "steps" },
      step("to-start", "|◀", t("to_start"), () => 0), step("one-back", "◀", t("one_back"), () => at() - 1), this.slider,
      step("one-on", "▶", t("one_on"), () => at() + 1), step("to-end", "▶|", t("to_end"), () => screen.view.num_moves));
    this.element = h("section", { class: "card course", "aria-label": t("course"), hidden: true }, this.graph, row, this.text);
  }

  /** Show it, or hide it; while a game goes on it belongs to the analysis. */
  open(wanted) {
    this.element.hidden = !wanted;
    if (wanted) this.ask();
  }

  ask() {
    const { app, view } = this.screen;
    if (!this.element.hidden && this.asked !== view.num_moves) {
      this.asked = view.num_moves;
      app.say("graph");
    }
  }

  look(at) {
    const { view, app } = this.screen;
    const place = Math.min(view.num_moves, Math.max(0, at));
    if (place === view.num_moves) {
      this.forget();
      app.done();
      this.screen.look(view);
    } else this.ask_for(place, app);
  }

  /** A position came; whether it is still wished for. On the way to a newer wish it is shown too. */
  came(at) {
    const wished = this.wish !== null;
    if (at === this.wish) this.wish = null;
    return wished;
  }

  /** What was asked for is no more wished for. */
  forget() {
    clearTimeout(this.asking);
    this.asking = null;
    this.wish = null;
  }

  /** Ask for a position, the newest wish only while the slider is being pulled: the server counts messages. */
  ask_for(place, app) {
    this.wish = place;
    if (this.asking) return;
    this.asking = setTimeout(() => {
      this.asking = null;
      app.say("look", { at: this.wish });
    }, LEAST_WAIT);
  }

  update() {
    const { view, shown } = this.screen;
    this.slider.max = String(view.num_moves);
    this.slider.value = String(this.wish ?? shown.at);
    this.text.textContent = t("position", { number: shown.at, all: view.num_moves });
    if (this.data) this.draw(this.data);
  }

  /** Margin as a line, and the chance to win where a network knows one; exact parts are drawn thick. */
  draw(data) {
    this.data = data;
    const { shown, view } = this.screen, number = data.margin.length;
    if (number < 2 || number > view.num_moves + 1) return this.graph.replaceChildren();
    const most = Math.max(1, ...data.margin.map(Math.abs));
    const x = (at) => PAD + ((WIDTH - 2 * PAD) * at) / Math.max(1, view.num_moves);
    const margin = (value) => HEIGHT / 2 - (value / most) * (HEIGHT / 2 - PAD);
    const chance = (value) => HEIGHT - PAD - value * (HEIGHT - 2 * PAD);
    const label = `${t("course_of", { who: this.screen.name(0) })}: ${t("margin_axis")} ${signed(data.margin[number - 1])}`;
    const picture = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
    picture.append(s("line", { x1: PAD, x2: WIDTH - PAD, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "axis" }));
    if (data.win) picture.append(this.path(data.win.map((value, at) => [x(at), chance(value)]), "chance"));
    picture.append(this.path(data.margin.map((value, at) => [x(at), margin(value)]), "margin"));
    const from = data.exact.indexOf(true);
    if (from >= 0) {
      const rest = data.margin.map((value, at) => [x(at), margin(value)]).slice(from);
      picture.append(this.path(rest, "margin exact"));
    }
    picture.append(s("line", { x1: x(shown.at), x2: x(shown.at), y1: 0, y2: HEIGHT, class: "now" }));
    picture.addEventListener("pointerdown", (event) => {
      const box = picture.getBoundingClientRect();
      const part = ((event.clientX - box.left) / box.width * WIDTH - PAD) / (WIDTH - 2 * PAD);
      this.look(Math.round(part * view.num_moves));
    });
    const legend = h("p", { class: "legend" }, h("span", { class: "key margin" }, `${t("margin_axis")}, ${this.screen.name(0)}`),
      data.win ? h("span", { class: "key chance" }, t("win_axis")) : "", from >= 0 ? h("span", { class: "key exact" }, t("exact")) : "");
    this.graph.replaceChildren(picture, legend);
  }

  path(points, kind) {
    return s("polyline", { points: points.map((point) => point.map((part) => part.toFixed(1)).join(",")).join(" "), class: kind });
  }
}
