// What analysis knows, in words; exact values are told apart from estimates.

import { h } from "./dom.js";
import { moveName, percent, signed, t } from "./texts.js";

function listed(moves) {
  const names = Object.entries(moves).map(([name, number]) => `${moveName(name)} (${number})`);
  return names.slice(0, 8).join(", ") + (names.length > 8 ? " …" : "");
}

/** The lines of the panel; of a game that is over, how it ended. */
export function analysisText(screen, data) {
  if (data.phase === "finished") return [h("p", {}, screen.resultText())];
  const lines = [];
  const add = (text, mark) => lines.push(h("p", {}, text, mark ? h("span", { class: `mark ${mark}` }, t(mark)) : ""));
  if (data.value !== undefined) add(t("value_text", { value: signed(data.value) }), data.exact ? "exact" : "estimate");
  if (data.win !== undefined) add(t("win_text", { percent: percent(data.win) }));
  if (data.best?.length) add(t("best_text", { moves: data.best.slice(0, 8).map(moveName).join(", ") }));
  if (data.pv?.length) add(t("line_text", { moves: data.pv.slice(0, 14).map(moveName).join(" ") }));
  if (screen.game.game === "boxes") boxesText(screen, data, add);
  else kropkiText(screen, data, add);
  if (data.heat && Object.keys(data.heat).length) add(`◍ ${t("heat")}`);
  const legend = t(screen.game.game === "boxes" ? "overlay_legend_boxes" : "overlay_legend_kropki");
  lines.push(h("p", { class: "note" }, legend));
  return lines;
}

function boxesText(screen, data, add) {
  if (data.safe_lines !== undefined) add(t("safe_text", { number: data.safe_lines }));
  if (data.chains) add(t("chains_text", { chains: data.long_chains ?? data.chains.filter((chain) => chain.long).length, loops: data.loops.length }));
  if (data.favours) add(t("favours_text", { who: screen.name(data.favours - 1) }));
  const opens = Object.entries(data.openings || {}).map(([name, { boxes }]) => [name, boxes]);
  opens.sort((one, two) => one[1] - two[1]); // the small ones first: they are to be opened first (R078, R156)
  if (opens.length) add(t("opens_text", { moves: listed(Object.fromEntries(opens)) }));
  if (data.offered?.length) add(t("offered_text", { boxes: data.offered.join(", ") }));
}

function kropkiText(screen, data, add) {
  if (data.captures && Object.keys(data.captures).length) add(t("takes_text", { moves: listed(data.captures) }));
  if (data.threats && Object.keys(data.threats).length) add(t("threats_text", { moves: listed(data.threats) }));
  if (data.ungrounded) {
    const [first, second] = data.ungrounded;
    add(t("grounded_text", { one: screen.name(0), two: screen.name(1), first, second }));
  }
  if (data.stop_margins) add(t("stop_text", { margin: signed(data.stop_margins[screen.shown.mover]) }), "exact");
}
