// What this browser remembers: language, sound, pace, theme, the last settings. Games are kept by the server.

const KEY = "dotzero";

function read() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) || "{}");
    return found && typeof found === "object" ? found : {};
  } catch {
    return {};
  }
}

const kept = read();

/** A remembered value, or the one that is usual. */
export function recall(name, usual) {
  return name in kept ? kept[name] : usual;
}

/** Remember a value. */
export function remember(name, value) {
  kept[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing loses only comfort.
  }
}
