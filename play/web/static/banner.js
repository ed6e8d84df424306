// The line at the top of the page: how the connection stands, and over it for a while what has just been refused.

import { byId } from "./dom.js";

const LASTING = 8000; // milliseconds

let standing = "", passing = "", firm = false, timer = null;

function paint() {
  const shown = byId("banner"), text = passing || standing;
  shown.hidden = !text;
  if (shown.textContent !== text) shown.textContent = text;
}

function pass(text, stays) {
  clearTimeout(timer);
  passing = text;
  firm = stays;
  if (text) byId("banner").textContent = ""; // said once more, it is to be heard once more
  timer = text ? setTimeout(() => pass("", false), LASTING) : null;
  paint();
}

/** Say something until it is said no more (""). */
export function stand(text) {
  standing = text;
  paint();
}

/** Say something for some seconds of its own. `stays`: not only until the next thing is done. */
export function warn(text, stays = false) {
  pass(text, stays);
}

/** Something was done: what was refused before it is said no more. */
export function done() {
  if (!firm) pass("", false);
}
