// The start screen: unfinished games, settings of a new one, statistics, records.

import { dialog, h } from "./dom.js";
import { recordOf } from "./records.js";
import { countBoard, lacking, readForm, settingsForm } from "./settings.js";
import { recall, remember } from "./store.js";
import { LANGUAGES, currentLanguage, refusal, t } from "./texts.js";

/** Show the start screen. */
export function homeScreen(app) {
  const form = h("form", { id: "settings", class: "card", "aria-label": t("new_game"), onsubmit: (event) => event.preventDefault() });
  const rebuild = () => {
    const focused = form.contains(document.activeElement) && document.activeElement.name ? document.activeElement : null;
    settingsForm(app, form, change, check);
    if (focused) focusAgain(form, focused.name, focused.value);
  };
  const refuse = (text) => {
    form.querySelector("#wrong").textContent = text;
    form.querySelector("#play").disabled = Boolean(text);
  };
  const check = () => {
    const field = lacking(form);
    if (field) refuse(t("number_needed", { field }));
    else app.say("check", { settings: readForm(app) });
  };
  const change = () => {
    rebuild();
    check();
  };
  app.onchecked = (message) => {
    if (!form.isConnected || lacking(form)) return; // asked before the field was emptied
    if (message.offer && JSON.stringify(message.offer) !== JSON.stringify(app.offer)) {
      app.offer = message.offer;
      rebuild();
    }
    refuse(message.text ? refusal(message) : "");
    countBoard(form, message.key === "refused_boxes_size");
  };
  app.offer = app.home.offers[recall("game", "boxes")];
  settingsForm(app, form, change, check);
  app.show(t("title"), header(app), ...notices(app), saved(app), form, rest(app));
  check();
}

/** The server does not even greet: say why, and how to go on. */
export function refusedScreen(app, message) {
  const nameless = message.key === "refused_profile";
  const again = h("a", { href: nameless ? location.pathname : location.href, id: "again" }, t(nameless ? "no_profile" : "try_again"));
  app.show(t("title"), header(app), h("section", { class: "card" }, h("p", { role: "alert", id: "refused" }, refusal(message)), again));
}

function focusAgain(form, name, value) {
  const fields = [...form.querySelectorAll(`[name="${name}"]`)];
  (fields.find((field) => field.value === value) || fields[0])?.focus();
}

function header(app) {
  const logo = h("img", { src: "icon.svg", alt: "", width: 44, height: 44 });
  return h("header", { class: "top" }, logo, h("div", {}, h("h1", {}, t("title")), h("p", {}, t("tagline"))), choices(app));
}

/** Language, theme and sound. */
export function choices(app) {
  const languages = h("select", { id: "language", "aria-label": t("language"), onchange: (event) => app.changeLanguage(event.target.value) });
  for (const [name, label] of Object.entries(LANGUAGES)) {
    languages.append(h("option", { value: name, lang: name, selected: name === currentLanguage() }, label));
  }
  const themes = h("select", {
    id: "theme", "aria-label": t("theme"),
    onchange: (event) => {
      remember("theme", event.target.value);
      app.applyTheme();
    },
  });
  for (const name of ["auto", "light", "dark"]) {
    themes.append(h("option", { value: name, selected: name === recall("theme", "auto") }, t(name)));
  }
  return h("div", { class: "choices" }, languages, themes, soundButton());
}

/** A button that switches sound on and off. */
export function soundButton() {
  const button = h("button", { type: "button", class: "plain", id: "sound" });
  const label = () => {
    const on = recall("sound", true);
    button.textContent = t(on ? "sound_on" : "sound_off");
    button.setAttribute("aria-pressed", String(on));
  };
  button.addEventListener("click", () => {
    remember("sound", !recall("sound", true));
    label();
  });
  label();
  return button;
}

/** What has happened to games: why one is not open any more, and what of the file of all of them is damaged. */
function notices(app) {
  const texts = [app.notice ? refusal(app.notice) : "", app.home.damaged ? t("damaged") : ""];
  const { unfinished, finished } = app.home.damaged_rows;
  if (unfinished) texts.push(t("damaged_games", { number: unfinished }));
  if (finished.length) texts.push(t("damaged_results", { number: finished.length, rows: finished.join(", ") }));
  return texts.filter(Boolean).map((text) => h("p", { class: "card notice", role: "alert" }, text));
}

function saved(app) {
  const games = app.home.saved;
  if (!games.length) return "";
  const list = h("ul", { class: "saved" });
  games.forEach((game, number) => {
    const who = game.label ? t("against", { who: game.label }) : t("two_people").toLowerCase();
    const told = `${t(game.game)}, ${game.board.replace("x", "×")}, ${who}`;
    const label = h("span", { class: "told" }, told);
    const small = h("small", {}, `${game.score[0]} : ${game.score[1]}, ${t("moves_made", { number: game.num_moves })}, ${when(game.changed)}`);
    const go = h("button", {
      type: "button", class: number ? "" : "main", "data-act": "continue", "aria-label": `${t("continue")}: ${told}`,
      onclick: () => app.say("continue", { id: game.id }),
    }, t("continue"));
    const drop = h("button", {
      type: "button", class: "plain", "aria-label": `${t("drop")}: ${told}`,
      onclick: () => dialog(t("drop"), h("p", {}, t("drop_ask")), [[t("cancel"), ""], [t("drop"), "drop", "danger"]],
        (answer) => answer === "drop" && app.say("drop", { id: game.id })),
    }, "✕");
    list.append(h("li", {}, h("div", {}, label, small), h("div", { class: "acts" }, go, drop)));
  });
  return h("section", { class: "card", "aria-label": t("unfinished") }, h("h2", {}, t("unfinished")), list);
}

function when(seconds) {
  const options = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
  return new Date(seconds * 1000).toLocaleString(currentLanguage(), options);
}

function rest(app) {
  const file = h("input", {
    type: "file", id: "file", class: "unseen", "aria-label": t("load"), accept: ".json,.jsonl,.sgf,.txt",
    onchange: async (event) => {
      const [chosen] = event.target.files;
      event.target.value = "";
      if (!chosen) return;
      const sent = await recordOf(chosen);
      if (sent === null) app.warn(t("record_too_large"));
      else app.say("load", sent);
    },
  });
  const buttons = h("div", { class: "row" },
    h("button", { type: "button", id: "statistics", onclick: () => app.say("statistics") }, t("statistics")),
    h("button", { type: "button", id: "load", onclick: () => file.click() }, t("load")), file);
  const help = h("details", { class: "card" }, h("summary", {}, t("help")),
    h("h3", {}, t("boxes")), h("p", {}, t("help_boxes")), h("h3", {}, t("kropki")), h("p", {}, t("help_kropki")));
  return h("div", {}, buttons, help);
}
