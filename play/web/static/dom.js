// Making elements: one function for HTML, one for SVG, no framework.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in element) element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(2)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** An HTML element with attributes (`onclick` and the like are listeners) and children. */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** The element with an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** A modal dialog that takes itself away when it is closed; `onclose` gets what the pressed button returns. */
export function dialog(title, content, buttons, onclose, classes = "") {
  const id = `dialog-${Math.random().toString(36).slice(2)}`;
  const box = h("dialog", { class: classes, "aria-labelledby": id }, h("h2", { id }, title), content);
  const row = h("div", { class: "buttons" });
  for (const [label, value, kind] of buttons) {
    row.append(h("button", { type: "button", class: kind || "", "data-act": value, onclick: () => box.close(value) }, label));
  }
  box.append(row);
  box.addEventListener("close", () => {
    box.remove();
    if (onclose) onclose(box.returnValue);
  });
  document.body.append(box);
  box.showModal();
  const first = row.querySelector(".main") || row.querySelector("button");
  if (first) first.focus();
  return box;
}

/** Close all dialogs without an answer. */
export function closeDialogs() {
  for (const box of document.querySelectorAll("dialog[open]")) {
    box.returnValue = "";
    box.close("");
  }
}
