// Statistics: one row for each game, board, rules and level, and the row that the result screen shows.

import { h } from "./dom.js";
import { hasText, t } from "./texts.js";

function percent(rate) {
  return rate === null ? "–" : `${Math.round(rate * 100)}%`;
}

const COLUMNS = [
  ["wins", (row) => row.wins], ["losses", (row) => row.losses], ["draws", (row) => row.draws],
  ["win_rate", (row) => percent(row.win_rate)], ["streak", (row) => row.streak], ["best_streak", (row) => row.best_streak],
];

/** The numbers of one table as a list of names and values. */
export function tallyList(row) {
  const list = h("dl", { class: "tally", id: "tally" });
  for (const [name, value] of COLUMNS) list.append(h("div", {}, h("dt", {}, t(name)), h("dd", { "data-name": name }, String(value(row)))));
  return list;
}

const RULES = { border: "border", scoring: "goal", start: "start", stop: "stop_rule", score: "rules" };

/** Rules that differ from the usual ones, in words where there are some. */
function rulesText(key) {
  return key.split(" ").map((part) => {
    const [name, value] = part.split("=");
    return RULES[name] && hasText(value) ? `${t(RULES[name])}: ${t(value)}` : part;
  }).join(", ");
}

/** What a table of statistics belongs to. */
export function tableName(row) {
  const rules = row.rules === "usual" ? "" : `, ${rulesText(row.rules)}`;
  return `${t(row.game)}, ${row.board.replace("x", "×")}, ${row.label}${rules}`;
}

/** The screen with all tables. */
export function statisticsScreen(app, rows) {
  const back = h("button", { type: "button", class: "plain", id: "back", onclick: () => app.say("leave") }, `← ${t("back")}`);
  const top = h("header", { class: "top" }, back, h("h1", {}, t("statistics")));
  if (!rows.length) {
    app.show(t("statistics"), top, h("p", { class: "card" }, t("no_statistics")));
    return;
  }
  const cards = rows.map((row) => h("section", { class: "card", "aria-label": tableName(row) }, h("h2", {}, tableName(row)), tallyList(row)));
  app.show(t("statistics"), top, h("div", { class: "cards" }, cards));
}
