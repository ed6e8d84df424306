// The game screen: score row, status, board, tools; it shows what the server says and passes on what is done.

import { BoxesBoard } from "./boxes_board.js";
import { Course } from "./course.js";
import { byId, h } from "./dom.js";
import { KropkiBoard } from "./kropki_board.js";
import { askStop, menu, offerDialog, resultPanel, textDialog } from "./panels.js";
import { analysisText } from "./reading.js";
import { rulesText } from "./rules.js";
import { play } from "./sounds.js";
import { Surface, boardPicture } from "./surface.js";
import { isYou, moveName, t, tBy } from "./texts.js";

const STOPS = ["stop", "стоп"]; // as typed
const FLASH = 900; // milliseconds that a new line stands out

export class GameScreen {
  constructor(app, game, view) {
    this.app = app;
    this.game = game;
    this.view = view; // the newest position
    this.shown = view; // the one on the board
    this.analysis = null;
    this.analysing = false;
    this.message = "";
    this.received = performance.now();
    const kind = game.game === "boxes" ? BoxesBoard : KropkiBoard;
    this.board = new kind(game, boardPicture());
    this.surface = new Surface(this.board, "board-help", (action) => this.choose(action), (action) => this.tell(action));
    this.course = new Course(this);
    this.build();
    this.timer = setInterval(() => this.tick(), 200);
    this.paint(false);
    this.announce("");
    byId("board").focus({ preventScroll: true });
  }

  close() {
    clearInterval(this.timer);
    this.course.forget();
  }

  // What is on the screen

  build() {
    const { game } = this;
    const open = h("button", { type: "button", class: "plain", id: "menu", onclick: () => this.openMenu() }, "☰ ", h("span", {}, t("menu")));
    const title = h("h1", { class: "small" }, `${t(game.game)} ${game.board.replace("x", "×")}`);
    const rules = rulesText(game.unusual, game.seats.map(({ name }) => name));
    const facts = rules ? h("p", { class: "facts", id: "rules" }, t("rules_line", { rules })) : "";
    const top = h("header", { class: "bar" }, open, title, facts);
    this.players = [0, 1].map((seat) => this.player(seat));
    const score = h("div", { class: "score", id: "score" }, this.players.map((part) => part.box));
    this.status = h("p", { class: "status", id: "status", role: "status" });
    this.facts = h("p", { class: "facts", id: "facts" });
    const help = h("p", { class: "unseen", id: "board-help" }, t(game.game === "boxes" ? "board_help_boxes" : "board_help_kropki"));
    this.tools = this.makeTools();
    this.panel = h("section", { class: "card analysis", id: "analysis-panel", "aria-label": t("analysis"), hidden: true });
    this.result = h("section", { class: "card result", id: "result", "aria-label": t("course"), hidden: true });
    const zoom = h("div", { class: "zoom", hidden: this.board.geometry.columns < 9 },
      h("button", { type: "button", class: "plain", "aria-label": t("zoom_out"), onclick: () => this.surface.enlarge(0.8) }, "−"),
      h("button", { type: "button", class: "plain", "aria-label": t("zoom_in"), onclick: () => this.surface.enlarge(1.25) }, "+"));
    const side = h("div", { class: "side" }, this.result, this.tools, this.panel, this.course.element, this.words());
    const left = h("div", { class: "table" }, score, this.status, help, this.surface.frame, h("div", { class: "under" }, this.facts, zoom));
    this.app.show(title.textContent, top, h("div", { class: "play" }, left, side));
    this.surface.fit();
  }

  player(seat) {
    const { name, mark, colour } = this.game.seats[seat];
    const points = h("strong", { class: "points" }), clock = h("span", { class: "clock" });
    const turn = h("span", { class: "turn" });
    const sign = h("span", { class: `sign ${colour}`, "aria-hidden": "true" }, this.game.game === "boxes" ? mark : "");
    const box = h("div", { class: `player ${colour}` }, sign, h("span", { class: "name", title: name }, name), points, clock, turn);
    return { box, points, clock, turn };
  }

  makeTools() {
    const button = (id, text, act) => h("button", { type: "button", id, onclick: act }, text);
    const tools = h("div", { class: "tools" });
    tools.append(button("undo", t("undo"), () => this.app.say("undo")), button("hint", t("hint"), () => this.askHint()));
    const analyse = button("analyse", t("analysis"), () => this.toggleAnalysis());
    analyse.setAttribute("aria-pressed", "false");
    tools.append(analyse);
    if (this.game.game === "kropki") tools.append(button("stop", t("stop"), () => askStop(this)));
    return tools;
  }

  words() {
    const example = this.game.names[this.game.game === "boxes" ? 0 : Math.floor(this.game.names.length / 2)];
    const field = h("input", { type: "text", id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 8 });
    const form = h("form", {
      class: "words",
      onsubmit: (event) => {
        event.preventDefault();
        if (field.value.trim()) this.makeTyped(field.value.trim());
        field.value = "";
      },
    }, h("label", {}, t("type_move", { example }), field), h("button", { type: "submit" }, t("enter")));
    const text = h("button", { type: "button", id: "as-text", onclick: () => this.app.say("board", { at: this.shown.at }) }, t("board_text"));
    return h("div", { class: "row spread" }, form, text);
  }

  paint(flash) {
    const { view, shown, game } = this;
    const newest = shown.at === view.num_moves;
    const usable = newest ? shown : { ...shown, persons_turn: false };
    this.surface.show(usable, game.seats[view.mover].colour, flash);
    this.players.forEach((part, seat) => {
      part.points.textContent = String(shown.score[seat]);
      const turn = !view.finished && shown.mover === seat;
      part.box.classList.toggle("moving", turn);
      part.turn.textContent = turn ? `◀ ${tBy(this.name(seat), "to_move")}` : "";
    });
    this.facts.textContent = this.factsText(shown);
    byId("undo").disabled = !view.can_undo;
    byId("hint").disabled = !view.persons_turn || !newest;
    const stop = byId("stop");
    if (stop) stop.disabled = !view.can_stop || !view.persons_turn || !newest;
    byId("typed").disabled = !view.persons_turn || !newest;
    this.course.update();
    this.showOverlay();
    this.tick();
  }

  factsText(view) {
    const parts = [];
    if (this.game.game === "boxes") {
      parts.push(t("free_lines", { number: [...view.lines].filter((drawn) => drawn === "0").length }));
      if (view.phase === "safe" || view.phase === "loony") parts.push(t(view.phase));
    } else {
      parts.push(t("free_points", { number: view.free }));
      if (view.phase === "opening") parts.push(t("opening"));
    }
    if (view.decided >= 0 && !view.finished) parts.push(t("decided", { who: this.name(view.decided) }));
    return parts.join(" · ");
  }

  tick() {
    const { view } = this, passed = (performance.now() - this.received) / 1000;
    const runs = !view.paused && !view.finished;
    (view.clocks || []).forEach((left, seat) => {
      const running = runs && !view.in_solo && view.mover === seat;
      this.players[seat].clock.textContent = minutes(Math.max(0, left - (running ? passed : 0)));
    });
    if (view.in_solo && view.solo !== null) {
      const left = Math.max(0, view.solo - (runs ? passed : 0));
      this.setStatus(tBy(this.name(view.mover), "solo_phase", { time: minutes(left) }), "solo");
    }
  }

  name(seat) {
    return this.game.seats[seat].name;
  }

  setStatus(text, kind = "") {
    if (this.status.textContent !== text) this.status.textContent = text;
    this.status.className = `status ${kind}`;
  }

  /** Say what has just happened and who is to move. */
  announce(happened) {
    const { view } = this;
    if (view.finished) return this.setStatus([happened, this.resultText()].filter(Boolean).join(" "), "over");
    if (view.in_solo) return this.tick();
    if (view.paused) return this.setStatus(t("is_paused"));
    // Also in a record of such a game, which two people go on with.
    const own = this.game.person !== null || isYou(this.name(view.mover));
    let turn = t("turn_of", { who: this.name(view.mover) });
    if (own && view.persons_turn) turn = t("your_move");
    else if (!view.persons_turn) turn = t("thinking", { who: this.name(view.mover) });
    if (view.again && view.persons_turn) return this.setStatus(t(this.game.game === "boxes" ? "again" : "capture_again"), "again");
    return this.setStatus([happened, turn].filter(Boolean).join(" "));
  }

  resultText() {
    const { winner, reason } = this.view.result, { person } = this.game, how = t(`how_${reason}`);
    if (winner === null) return t("draw", { how });
    if (winner === person || (person === null && isYou(this.name(winner)))) return t("you_won", { how });
    if (person === null) return t("won", { who: this.name(winner), how });
    return reason === "resign" ? t("you_resigned") : t("you_lost", { how });
  }

  // What the server says

  update({ event, view }) {
    const before = this.view;
    this.await(false);
    this.course.forget();
    this.view = view;
    this.shown = view;
    this.received = performance.now();
    this.analysis = null;
    let text = "";
    if (event.kind === "move") text = this.moved(event.move);
    if (event.kind === "undo" && event.moves.length) text = t("taken_back", { moves: event.moves.map(moveName).join(" ") });
    if (event.kind === "offer" && event.agreed === false) text = t("declined");
    if (event.kind === "answer" && !event.accept) text = t("declined");
    this.paint(event.kind === "move");
    this.announce(text);
    if (event.kind === "move") setTimeout(() => this.board.svg.querySelector(".flash")?.classList.remove("flash"), FLASH);
    if (view.offer && this.game.person === null) offerDialog(this);
    if (view.finished && !before.finished) this.finish();
    if (this.analysing) this.askAnalysis();
  }

  moved(move) {
    const computer = this.game.seats[move.seat].player !== null;
    play(move.gained[move.seat] > 0 ? "box" : computer ? "computer" : "line");
    const takes = move.gained[move.seat], boxes = this.game.game === "boxes";
    const own = !computer && this.game.person !== null;
    if (takes <= 0) return own ? "" : t("made", { who: this.name(move.seat), move: moveName(move.name) });
    const what = t(boxes ? "taken_boxes" : this.game.unusual.score ? "captured_points" : "captured_dots", { number: takes });
    if (own) return boxes ? "" : t("captured", { what });
    return tBy(this.name(move.seat), boxes ? "made_takes" : "made_captures", { move: moveName(move.name), what });
  }

  finish() {
    const { result } = this.view, { person } = this.game;
    play(result.winner === null || (person !== null && result.winner !== person) ? "loss" : "win");
  }

  tallied({ row }) {
    resultPanel(this, row);
  }

  looked({ view }) {
    if (this.course.came(view.at)) this.look(view);
  }

  /** Show a position of the game. */
  look(view) {
    this.shown = view;
    this.analysis = null;
    this.paint(false);
    if (this.analysing) this.askAnalysis();
  }

  hinted({ move, action, at }) {
    if (at !== this.shown.at) return;
    if (action < this.board.geometry.count) this.board.hint(action);
    this.setStatus(t("hint_is", { move: moveName(move) }));
  }

  asText({ text }) {
    textDialog(t("board_text"), text);
  }

  graphed(data) {
    this.course.draw(data);
  }

  // What the person does

  choose(action) {
    this.make(this.game.names[action]);
  }

  /** What was typed; a STOP is asked about as that of the button is (R037). */
  makeTyped(text) {
    const stops = this.game.game === "kropki" && STOPS.includes(text.toLowerCase());
    if (stops && this.view.can_stop) askStop(this);
    else this.make(stops ? "stop" : text);
  }

  /** Make a move, one at a time: a second tap before the answer is none. */
  make(move) {
    if (this.sent) return;
    this.await(true);
    this.app.say("move", { move });
  }

  /** Whether a move was sent that the server has not answered yet. */
  await(sent) {
    this.sent = sent;
    this.surface.element.setAttribute("aria-busy", String(sent));
  }

  /** Tell where the keyboard's cursor is. */
  tell(action) {
    const { shown, game } = this, name = game.names[action], who = (seat) => this.name(Number(seat));
    let text = "";
    if (game.game === "boxes") {
      const by = shown.by[action];
      if (shown.lines[action] !== "1") text = t("line_free", { name });
      else text = by === "." ? t("line_border", { name }) : t("line_drawn", { name, who: who(by) });
    } else {
      const dot = shown.dots[action], held = shown.held[action];
      if (dot === "0" || dot === "1") text = t("point_dot", { name, who: who(dot) });
      else if (dot !== ".") text = t("point_dead", { name, who: who(Number(dot) - 2) });
      else if (held !== ".") text = t("point_closed", { name, who: who(held) });
      else text = t(shown.legal[action] === "0" ? "point_shut" : "point_free", { name });
    }
    this.app.speak(text);
  }

  askHint() {
    this.setStatus(t("looking"));
    this.app.say("hint");
  }

  openMenu() {
    if (!this.view.finished && !this.view.paused) this.app.say("pause");
    menu(this);
  }

  toggleAnalysis() {
    this.analysing = !this.analysing;
    byId("analyse").setAttribute("aria-pressed", String(this.analysing));
    this.panel.hidden = !this.analysing;
    if (this.analysing) this.askAnalysis();
    else this.paint(false);
    this.course.open(this.analysing || this.view.finished);
  }

  askAnalysis() {
    this.panel.replaceChildren(h("p", {}, t("looking")));
    this.app.say("analyse", { at: this.shown.at });
  }

  analysed({ at, analysis }) {
    if (at !== this.shown.at || !this.analysing) return;
    this.analysis = analysis;
    this.panel.replaceChildren(...analysisText(this, analysis));
    this.showOverlay();
    this.course.ask();
  }

  showOverlay() {
    if (this.analysing && this.analysis) this.board.overlay(this.analysis, this.shown);
  }
}

/** Seconds as 2:05. */
export function minutes(seconds) {
  const whole = Math.ceil(seconds - 0.001);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
