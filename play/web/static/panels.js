// Dialogs and panels of a game: menu, STOP, offers, result.

import { dialog, h } from "./dom.js";
import { choices } from "./home.js";
import { tableName, tallyList } from "./statistics.js";
import { t, tBy } from "./texts.js";

/** The menu, which pauses the game (R113). */
export function menu(screen) {
  const { app, view, game } = screen;
  const over = view.finished;
  const list = h("div", { class: "menu" });
  let box = null;
  const item = (id, text, act) => list.append(h("button", {
    type: "button", id, onclick: () => {
      box.close("done");
      act();
    },
  }, text));
  item("menu-new", t("new_game"), () => leave(screen));
  if (!over) {
    item("menu-score", t("offer_score"), () => resumed(screen, () => app.say("offer", { terms: "score" })));
    item("menu-draw", t("offer_draw"), () => resumed(screen, () => app.say("offer", { terms: "draw" })));
    item("menu-resign", t("resign"), () => resign(screen));
  }
  const format = game.game === "kropki" ? "sgf" : "text";
  item("menu-record", `${t("save_record")} (JSON)`, () => resumed(screen, () => app.say("record", { format: "jsonl" })));
  item("menu-record-2", `${t("save_record")} (${format === "sgf" ? "SGF" : "TXT"})`, () => resumed(screen, () => app.say("record", { format })));
  const help = h("details", {}, h("summary", {}, t("help")), h("p", {}, t(`help_${game.game}`)));
  const buttons = [[over ? t("close") : t("go_on"), "go-on", "main"]];
  box = dialog(t(over ? "menu" : "pause"), h("div", {}, list, choices(app), help), buttons, (answer) => answer !== "done" && resumed(screen, () => {}));
}

function resumed(screen, act) {
  if (!screen.view.finished) screen.app.say("resume");
  act();
}

/** Leave the game; an unfinished one asks first (R117). */
export function leave(screen) {
  if (screen.view.finished) return screen.app.toHome();
  const buttons = [[t("stay"), "stay", "main"], [t("leave"), "leave"]];
  return dialog(t("new_game"), h("p", {}, t("new_ask")), buttons, (answer) => (answer === "leave" ? screen.app.toHome() : resumed(screen, () => {})));
}

function resign(screen) {
  const buttons = [[t("cancel"), "", "main"], [t("resign"), "resign", "danger"]];
  dialog(t("resign"), h("p", {}, t("resign_ask")), buttons, (answer) => resumed(screen, () => answer === "resign" && screen.app.say("resign")));
}

/** Ask before a STOP, with a warning of the dots that it puts at risk (R037). */
export function askStop(screen) {
  const { view, game } = screen, seat = view.mover;
  const key = view.in_solo ? "stop_ask_end" : game.stop === "solo" ? "stop_ask_solo" : "stop_ask_grounding";
  const content = h("div", {}, h("p", {}, t(key)));
  if (!view.in_solo) content.append(h("p", { class: view.ungrounded[seat] ? "warning" : "", id: "ungrounded" }, t("ungrounded", { number: view.ungrounded[seat] })));
  const buttons = [[t("cancel"), "", "main"], [t("stop"), "stop", "danger"]];
  dialog(t("stop"), content, buttons, (answer) => answer === "stop" && screen.make("stop"));
}

/** The other of two people answers an offer. */
export function offerDialog(screen) {
  const { seat, terms } = screen.view.offer, [one, two] = screen.view.score;
  const text = tBy(screen.name(seat), terms === "draw" ? "offered_draw" : "offered_score", { one, two });
  const buttons = [[t("decline"), "decline"], [t("accept"), "accept", "main"]];
  dialog(screen.name(1 - seat), h("p", {}, text), buttons, (answer) => screen.app.say("answer", { accept: answer === "accept" }));
}

/** A text in a fixed type, such as the board. */
export function textDialog(title, text) {
  dialog(title, h("pre", { tabindex: "0", "aria-label": title }, text), [[t("close"), "", "main"]]);
}

/** The result: score, board, number of lines, statistics of this board and level (R115, R116). */
export function resultPanel(screen, row) {
  const { view, game, result: panel, app } = screen;
  if (!view.finished) return;
  const [one, two] = view.result.score;
  const facts = h("dl", { class: "tally" });
  const fact = (name, value) => facts.append(h("div", {}, h("dt", {}, name), h("dd", {}, value)));
  fact(t("board_size"), game.board.replace("x", "×"));
  fact(t(game.game === "boxes" ? "lines_drawn" : "dots_placed"), String(view.num_moves));
  fact(t("began"), screen.name(view.moves.length ? view.moves[0][0] : 0));
  count(screen);
  const again = h("button", { type: "button", class: "main", id: "again", onclick: () => playAgain(screen) }, t("play_again"));
  const fresh = h("button", { type: "button", id: "new", onclick: () => app.toHome() }, t("new_game"));
  panel.replaceChildren(
    h("h2", { id: "outcome", tabindex: "-1" }, screen.resultText()),
    h("p", { class: "final" }, `${screen.name(0)} ${one} : ${two} ${screen.name(1)}`), facts,
    app.match.games.length > 1 ? matchText(app.match) : "",
    row ? h("h3", {}, tableName(row)) : "", row ? tallyList(row) : "",
    h("div", { class: "row" }, again, fresh),
  );
  panel.hidden = false;
  screen.course.open(true);
  // Not the button: whoever still presses Enter for a line would begin another game.
  panel.querySelector("#outcome").focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
}

/** Take the result of a game into the match, once (R145). `turned`: whether its first side sits second now. */
function count({ app, game, view }) {
  app.match = app.match || { games: [], names: game.seats.map(({ name }) => name), wins: [0, 0], points: [0, 0], turned: false };
  const { match } = app;
  if (match.games.includes(game.id)) return;
  match.games.push(game.id);
  const place = (seat) => (match.turned ? 1 - seat : seat);
  if (view.result.winner !== null) match.wins[place(view.result.winner)] += 1;
  view.result.score.forEach((points, seat) => {
    match.points[place(seat)] += points;
  });
}

function matchText({ games, names, wins, points }) {
  const told = (key, [one, two]) => h("p", { "data-name": key }, `${t(key)}: ${names[0]} ${one} : ${two} ${names[1]}`);
  return h("div", { id: "match" }, h("h3", {}, t("match", { number: games.length })), told("match_wins", wins), told("match_points", points));
}

/** The same settings once more, with sides swapped and another seed. */
function playAgain({ app, game }) {
  const { seed, start, first, ...settings } = game.settings;
  // Two people keep the names and marks that the match counts them by, whichever side they take.
  const kept = (seat, number) => ({ ...seat, name: game.seats[number].name, mark: game.seats[number].mark });
  settings.seats = (game.person === null ? settings.seats.map(kept) : [...settings.seats]).reverse();
  if (settings.rules.start === "random_crosses") settings.rules = { ...settings.rules, start_seed: 0 };
  app.begin(settings, true);
}
