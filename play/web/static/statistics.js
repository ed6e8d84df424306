// Statistics: one row for each game, board, rules and level, and the row that the result screen shows.

import { h } from "./dom.js";
import { rulesText } from "./rules.js";
import { percent, t } from "./texts.js";

const COLUMNS = [
  ["wins", (row) => row.wins], ["losses", (row) => row.losses], ["draws", (row) => row.draws],
  ["win_rate", (row) => (row.win_rate === null ? "–" : percent(row.win_rate))], ["streak", (row) => row.streak], ["best_streak", (row) => row.best_streak],
];

/** The numbers of one table as a list of names and values. */
export function tallyList(row) {
  const list = h("dl", { class: "tally", id: "tally" });
  for (const [name, value] of COLUMNS) list.append(h("div", {}, h("dt", {}, t(name)), h("dd", { "data-name": name }, String(value(row)))));
  return list;
}

/** What a table of statistics belongs to. */
export function tableName(row) {
  const rules = rulesText(row.unusual, [t("player_1"), t("player_2")]);
  return `${t(row.game)}, ${row.board.replace("x", "×")}, ${row.label}${rules ? `, ${rules}` : ""}`;
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
