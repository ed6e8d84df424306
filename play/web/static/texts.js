// The page's texts in the language that was chosen: numbers with their nouns, decimals, shares, names of moves.

import { recall, remember } from "./store.js";
import { WORDS } from "./words.js";

export const LANGUAGES = { en: "English", ru: "Русский" };
const FORMS = { en: ["one", "other"], ru: ["one", "few", "many"] }; // in the order in which words.js has them
const FRACTION = { en: "other", ru: "few" }; // 2.5 moves, 2,5 хода

let language = recall("language", (navigator.language || "en").startsWith("ru") ? "ru" : "en");

/** The language of the page: `en` or `ru`. */
export function currentLanguage() {
  return language;
}

/** Change the language, for ever. */
export function setLanguage(name) {
  language = name;
  remember("language", name);
  document.documentElement.lang = name;
}

/** A text in the page's language. */
export function t(key, values = {}) {
  const pair = WORDS[key];
  if (!pair) return key;
  const text = pair[language === "ru" ? 1 : 0];
  return text.replace(/\{(\w+)(?:\|([^}]*))?\}/g, (whole, name, forms) => {
    if (!(name in values)) return whole;
    return forms === undefined ? String(values[name]) : counted(values[name], forms.split("|"));
  });
}

/** Whether a side has the name of whoever plays alone against a computer, as records in any language have it. */
export function isYou(name) {
  return WORDS.you.includes(name);
}

/** What somebody does, with the verb that goes with the name: "Вы предлагаете", "Ева предлагает". */
export function tBy(who, key, values = {}) {
  return t(isYou(who) ? `${key}_you` : key, { who, ...values });
}

/** Whether there is a text of this name. */
export function hasText(key) {
  return key in WORDS;
}

/** A number with the form of its noun that goes with it. */
function counted(number, forms) {
  const rule = new Intl.PluralRules(language).select(Math.abs(number));
  const place = FORMS[language].indexOf(Number.isInteger(number) ? rule : FRACTION[language]);
  return `${decimal(number)} ${forms[place]}`;
}

/** A number as the language writes it, with one place at most. */
export function decimal(value) {
  return value.toLocaleString(language, { maximumFractionDigits: 1 }).replace("-", "−");
}

/** A number with its sign, a real minus. */
export function signed(value) {
  return (value > 0 ? "+" : "") + decimal(value);
}

/** A share of one in percent. */
export function percent(share) {
  return share.toLocaleString(language, { style: "percent" });
}

/** A move by its name: points and lines have none of any language, STOP has. */
export function moveName(name) {
  return name === "stop" ? t("stop") : name;
}

/** Why the server did not do something. */
export function refusal({ key, values, text }) {
  return key && hasText(key) ? t(key, values) : t("error", { text });
}
