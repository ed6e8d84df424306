// What is sent of a file of records: its first game, if a message has the room for it.

const MOST_BYTES = 65536; // of one message, as the server counts
const MOST_READ = 2 ** 20; // bytes of a file

/** What to send of a file: its text, and whether it was cut after the first game; null if that is too large. */
export async function recordOf(file) {
  const whole = file.size <= MOST_READ;
  const text = await (whole ? file : file.slice(0, MOST_READ)).text();
  if (whole && fits({ text, cut: false })) return { text, cut: false };
  const first = firstOf(text);
  const sent = { text: first, cut: !whole || text.trim().length > first.trim().length };
  return fits(sent) ? sent : null;
}

function fits(sent) {
  return new TextEncoder().encode(JSON.stringify({ type: "load", ...sent })).length <= MOST_BYTES;
}

/** The first record of a text: an object of JSON, a tree of SGF, or tags and moves, up to an empty line or new tags. */
function firstOf(text) {
  if (/^[\s\ufeff,]*(\[\s*)?\{/.test(text)) return balanced(text, "{", "}", '"', '"');
  if (/^[\s\ufeff]*\(/.test(text)) return balanced(text, "(", ")", "[", "]");
  const lines = text.split("\n");
  let played = false;
  for (const [number, line] of lines.entries()) {
    const tag = /^\s*\[\s*[A-Za-z]\w*\s+"/.test(line);
    const empty = line.trim() === "";
    if (played && (tag || empty)) return lines.slice(0, number).join("\n");
    played = played || !(tag || empty);
  }
  return text;
}

/** From the first `open` to the `close` that belongs to it; what is quoted counts for nothing. */
function balanced(text, open, close, quote, unquote) {
  const begin = text.indexOf(open);
  let depth = 0, quoted = false;
  for (let place = begin; place < text.length; place += 1) {
    const sign = text[place];
    if (quoted) {
      if (sign === "\\") place += 1;
      else if (sign === unquote) quoted = false;
    } else if (sign === quote) quoted = true;
    else if (sign === open) depth += 1;
    else if (sign === close) {
      depth -= 1;
      if (!depth) return text.slice(begin, place + 1);
    }
  }
  return text.slice(begin);
}
