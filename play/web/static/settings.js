// The form of a new game. What it may hold is decided by the server, which is asked after every change.

import { h } from "./dom.js";
import { recall, remember } from "./store.js";
import { t } from "./texts.js";

const SIZES = { boxes: ["3x3", "4x4", "5x5", "7x7"], kropki: ["10x10", "15x15", "20x20", "30x30", "39x32"] };
const STARTS = ["cross", "empty", "single", "double_cross", "four_crosses", "random_crosses"];
const CLOCKS = [null, [60, 5], [300, 3], [600, 5], [900, 10], [1800, 30]];
const PACES = [[0.15, "fast"], [0.5, "medium_pace"], [1.2, "slow"]];
const TOURNAMENT_BOARD = [39, 32];

function usual(game) {
  return game === "boxes"
    ? { opponent: "medium", size: "5x5", first: "you", border: "none", scoring: "normal", clock: 0 }
    : { opponent: "medium", size: "15x15", first: "you", ruleset: "official", start: "cross", stop: "grounding", clock: 0 };
}

function chosen(game) {
  return { ...usual(game), ...recall(`settings-${game}`, {}) };
}

/** The opponent that was chosen if it is on offer, else one of the easier ones; "" for two people. */
function known(opponent, offer) {
  if (!opponent || offer.some(({ player }) => player === opponent)) return opponent;
  return offer.length ? offer[Math.min(1, offer.length - 1)].player : "";
}

function names() {
  return { name1: "", name2: "", mark1: "", mark2: "", ...recall("names", {}) };
}

/**
 * Fill the form with the settings that are remembered. `change` builds it anew after a choice; what is typed only has
 * `typed` called: a form built anew would take the field away from whoever goes on to the next one.
 */
export function settingsForm(app, form, change, typed) {
  const game = recall("game", "boxes"), now = chosen(game);
  const keep = (name, value) => remember(`settings-${game}`, { ...chosen(game), [name]: value });
  const set = (name, value) => {
    keep(name, value);
    change();
  };
  const type = (name, value) => {
    keep(name, value);
    typed();
  };
  const pick = (value) => {
    remember("game", value);
    app.offer = app.home.offers[value];
    change();
  };
  const opponents = (app.offer || []).map(({ player, label }) => [player, label]);
  opponents.push(["", t("two_people")]);
  now.opponent = known(now.opponent, app.offer || []);
  const fields = [
    group("game", t("game"), [["boxes", t("boxes")], ["kropki", t("kropki")]], game, pick),
    group("opponent", t("opponent"), opponents, now.opponent, (value) => set("opponent", value)),
    sizes(game, now, set, type),
  ];
  if (now.opponent) fields.push(group("first", t("first"), [["you", t("you")], ["computer", t("computer")]], now.first, (value) => set("first", value)));
  if (game === "kropki") fields.push(...kropkiFields(now, set));
  fields.push(more(app, game, now, set, typed));
  const open = form.querySelector("details")?.open;
  form.replaceChildren(...fields, h("p", { id: "wrong", class: "wrong", role: "alert" }),
    h("button", { type: "button", class: "main wide", id: "play", onclick: () => app.begin(readForm(app)) }, t("play")));
  if (open) form.querySelector("details").open = true;
}

function kropkiFields(now, set) {
  const sets = ["official", "house", "tournament", "territory"].map((name) => [name, t(name)]);
  const rules = group("ruleset", t("rules"), sets, now.ruleset, (value) => set("ruleset", value), t(`${now.ruleset}_note`));
  const fields = [rules];
  if (now.ruleset !== "tournament") {
    fields.push(select("start", t("start"), STARTS.map((name) => [name, t(name)]), now.start, (value) => set("start", value)));
  }
  if (now.ruleset !== "house") {
    const stops = ["grounding", "solo", "off"].map((name) => [name, t(name)]);
    fields.push(select("stop", t("stop_rule"), stops, now.stop, (value) => set("stop", value)));
  }
  return fields;
}

/** How many dots and lines a board of Dots and Boxes has; nothing of what is no board. */
function dotsNote([rows, columns]) {
  if (![rows, columns].every((side) => Number.isInteger(side) && side > 0)) return "";
  const lines = (rows + 1) * columns + rows * (columns + 1);
  return t("dots_note", { dots: (rows + 1) * (columns + 1), lines });
}

/** Tell the counts of the board that is chosen, or none where the server has refused it. */
export function countBoard(form, refused) {
  const note = form.querySelector("#counts"), { size } = chosen("boxes");
  if (note) note.textContent = refused ? "" : dotsNote(sides(size));
}

/** Both sides of a board. */
function sides(size) {
  return size.split("x").map(sideOf);
}

/** A side as it was typed; one that is missing stays missing, and is no 0. */
function sideOf(text) {
  return text === "" ? "" : Number(text);
}

/** What a field of the form is called that needs a number and holds none; "" if there is no such field. */
export function lacking(form) {
  const empty = [...form.querySelectorAll("input[type=number]")].find(({ value }) => value === "");
  return empty ? empty.getAttribute("aria-label") : "";
}

function sizes(game, now, set, type) {
  const own = !SIZES[game].includes(now.size);
  const options = SIZES[game].map((size) => [size, size.replace("x", "×")]);
  options.push(["own", t("own_size")]);
  const parts = sides(now.size), boxes = game === "boxes";
  const choose = (value) => set("size", value === "own" ? (boxes ? "4x6" : "25x20") : value);
  const note = boxes ? t("in_boxes") : t("in_points");
  const made = group("size", `${t("size")} (${note})`, options, own ? "own" : now.size, choose);
  const counts = h("p", { class: "note", id: "counts" }, dotsNote(parts));
  if (boxes) made.append(counts);
  if (own) {
    const number = (index) => h("input", {
      type: "number", name: `side${index}`, min: boxes ? 1 : 2, max: 52, value: parts[index], inputmode: "numeric",
      "aria-label": boxes === (index === 0) ? t("rows") : t("columns"),
      oninput: (event) => {
        parts[index] = sideOf(event.target.value);
        counts.textContent = dotsNote(parts);
        type("size", parts.join("x"));
      },
    });
    made.append(h("div", { class: "pair" }, number(0), "×", number(1)));
  }
  return made;
}

function more(app, game, now, set, typed) {
  const kept = names(), alone = Boolean(now.opponent);
  const text = (name, label, most) => h("label", {}, label, h("input", {
    type: "text", name, maxlength: most, value: kept[name], autocomplete: "off",
    oninput: (event) => {
      remember("names", { ...names(), [name]: event.target.value });
      typed();
    },
  }));
  const marks = game === "boxes"; // in Kropki nothing is marked
  const fields = [text("name1", t(alone ? "own_name" : "name_1"), 40)];
  if (marks) fields.push(text("mark1", t(alone ? "own_mark" : "mark_1"), 3));
  if (!alone) fields.push(text("name2", t("name_2"), 40));
  if (!alone && marks) fields.push(text("mark2", t("mark_2"), 3));
  const clocks = CLOCKS.map((clock, number) => [String(number), clockText(clock)]);
  fields.push(select("clock", t("clock"), clocks, String(now.clock), (value) => set("clock", Number(value))));
  if (game === "boxes") {
    const borders = ["none", "left_bottom", "all"].map((name) => [name, t(name)]);
    fields.push(select("border", t("border"), borders, now.border, (value) => set("border", value)));
    const goals = ["normal", "misere"].map((name) => [name, t(name)]);
    fields.push(select("scoring", t("goal"), goals, now.scoring, (value) => set("scoring", value)));
  }
  if (alone) fields.push(pace(app));
  return h("details", {}, h("summary", {}, t("more")), h("div", { class: "grid" }, fields));
}

function pace(app) {
  const paces = PACES.map(([seconds, name]) => [String(seconds), t(name)]);
  return select("pace", t("pace"), paces, String(recall("delay", app.home.delay)), (value) => {
    remember("delay", Number(value));
    app.say("delay", { seconds: Number(value) });
  });
}

function clockText(clock) {
  if (!clock) return t("no_clock");
  return t("minutes_more", { minutes: clock[0] / 60, more: clock[1] });
}

function group(name, label, options, value, change, note) {
  const box = h("div", { class: "options" });
  for (const [key, text] of options) {
    const field = h("input", { type: "radio", name, value: key, checked: key === value, onchange: () => change(key) });
    box.append(h("label", { class: "option" }, field, h("span", {}, text)));
  }
  return h("fieldset", {}, h("legend", {}, label), box, note ? h("p", { class: "note" }, note) : "");
}

function select(name, label, options, value, change) {
  const box = h("select", { name, onchange: (event) => change(event.target.value) });
  for (const [key, text] of options) box.append(h("option", { value: key, selected: key === value }, text));
  return h("label", { class: "field" }, label, box);
}

/** The settings in the form that the server takes. */
export function readForm(app) {
  const game = recall("game", "boxes"), now = chosen(game), kept = names();
  now.opponent = known(now.opponent, app.offer || []);
  const [one, two] = sides(now.size);
  const seat = (name, mark) => (game === "boxes" ? { name, mark } : { name });
  const person = seat(kept.name1, kept.mark1);
  const other = now.opponent ? { player: now.opponent } : seat(kept.name2, kept.mark2);
  const clock = CLOCKS[now.clock];
  return {
    game,
    rules: game === "boxes" ? { rows: one, columns: two, border: now.border, scoring: now.scoring } : kropkiRules(app, now, one, two),
    seats: now.opponent && now.first === "computer" ? [other, person] : [person, other],
    clock: clock ? { seconds: clock[0], increment: clock[1] } : null,
  };
}

function kropkiRules(app, now, width, height) {
  const rules = { start: now.start, stop: now.stop, ...app.home.presets[now.ruleset], width, height };
  if (now.ruleset === "house") rules.start = now.start;
  if (rules.opening_zone) {
    // The zone of the tournament board, in proportion (R008).
    const [columns, rows] = rules.opening_zone;
    rules.opening_zone = [
      Math.max(2, Math.round((columns * width) / TOURNAMENT_BOARD[0])), Math.max(1, Math.round((rows * height) / TOURNAMENT_BOARD[1])),
    ];
  }
  return rules;
}
