// The rules of a game that differ from the usual ones, in words.

import { decimal, hasText, t } from "./texts.js";

/** `rules`: names and values as texts; `names`: of both sides, for whom komi is told. */
export function rulesText(rules, names) {
  return Object.entries(rules).map(([name, value]) => {
    if (name === "komi") {
      const komi = Number(value);
      return t("rule_komi", { value: decimal(Math.abs(komi)), who: names[komi > 0 ? 1 : 0] });
    }
    if (hasText(`rule_${name}_${value}`)) return t(`rule_${name}_${value}`);
    return t(`rule_${name}`, { value: measure(value) });
  }).join(" · ");
}

/** A number, or columns and rows as in 15×8. */
function measure(value) {
  const pair = value.match(/^\[(\d+), (\d+)\]$/);
  return pair ? `${pair[1]}×${pair[2]}` : Number(value);
}
