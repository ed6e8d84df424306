// The page: one connection, three screens (start, game, statistics), and what goes between them.

import { done, stand, warn } from "./banner.js";
import { byId, closeDialogs, h } from "./dom.js";
import { GameScreen } from "./game.js";
import { homeScreen, refusedScreen } from "./home.js";
import { Line } from "./socket.js";
import { recall } from "./store.js";
import { statisticsScreen } from "./statistics.js";
import { currentLanguage, refusal, setLanguage, t } from "./texts.js";

// Which message each answer belongs to, and when that was said last: an answer that was asked for before something
// was refused does not take the refusal away.
const ANSWERED = { checked: "check", looked: "look", hint: "hint", analysis: "analyse", board: "board", record: "record", statistics: "statistics" };
const asked = {};
let count = 0, refused = 0;

const app = {
  line: null,
  home: null,
  game: null,
  open: null, // the game that is open, also while the connection is lost
  match: null, // the games that "play again" has joined
  notice: null, // why a game is not open any more, for the start screen to say
  say: (type, fields) => {
    asked[type] = count += 1;
    app.line.say(type, fields || {});
  },
  speak,
  show,
  showHome,
  applyTheme,
  changeLanguage,
  warn: refuse,
  done,
  begin,
  starting: null, // the game that was asked for and has not begun yet
  toHome: () => {
    app.open = null;
    app.say("leave");
  },
};

/** Tell a screen reader something that the eyes see anyway. */
function speak(text) {
  const said = byId("said");
  said.textContent = said.textContent === text ? `${text} ` : text;
}

function show(title, ...content) {
  closeDialogs();
  document.title = title;
  byId("screen").replaceChildren(...content);
  window.scrollTo(0, 0);
}

function showHome() {
  app.game?.close();
  app.game = null;
  app.open = null;
  app.match = null;
  homeScreen(app);
}

/** Begin a game, once: a second click before the answer is none. `again`: the match goes on, with sides swapped. */
function begin(settings, again = false) {
  if (app.starting) return;
  setStarting({ again });
  app.say("new", { settings });
}

function setStarting(value) {
  app.starting = value;
  for (const button of document.querySelectorAll("#play, #again")) button.disabled = Boolean(value);
}

function applyTheme() {
  const theme = recall("theme", "auto");
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function changeLanguage(name) {
  setLanguage(name);
  byId("skip").textContent = t("skip");
  if (app.home) app.say("language", { language: name });
  else greet(); // it was refused, which is said in the new language
}

function greet() {
  app.say("hello", { language: currentLanguage(), profile: profile() });
}

function profile() {
  return new URLSearchParams(location.search).get("profile") || "";
}

/** Say what was not done; it goes with the next thing that is. */
function refuse(text, stays = false) {
  refused = count;
  warn(text, stays);
}

const inGame = (act) => (message) => app.game && app.game[act](message);
const inItsGame = (act) => (message) => app.game && message.game === app.game.game.id && app.game[act](message);

const handlers = {
  home: (message) => {
    app.home = message;
    if (app.open) return; // the game that was open is asked for next
    done();
    showHome();
  },
  checked: (message) => app.onchecked?.(message),
  begin: (message) => {
    app.game?.close();
    if (app.starting?.again) app.match.turned = !app.match.turned;
    app.starting = null;
    app.open = message.game.id;
    app.notice = null;
    done();
    app.game = new GameScreen(app, message.game, message.view);
  },
  game: (message) => {
    done();
    inGame("update")(message);
  },
  looked: inGame("looked"),
  hint: inItsGame("hinted"),
  analysis: inItsGame("analysed"),
  graph: inItsGame("graphed"),
  tally: inGame("tallied"),
  board: inGame("asText"),
  record: (message) => saveFile(message.name, message.text),
  loaded: ({ notices }) => warn(notices.map((key) => t(key)).join(" ")),
  statistics: (message) => statisticsScreen(app, message.rows),
  taken: () => {
    app.open = null;
    app.game?.close();
    app.game = null;
    app.notice = { key: "taken" };
    greet();
  },
  error: (message) => {
    if (!app.home) return refusedScreen(app, message);
    app.game?.await(false);
    if (message.of === "look") app.game?.course.forget();
    if (message.of === "new") setStarting(null);
    if (message.of !== "continue") return refuse(refusal(message), message.of === "save");
    app.open = null;
    app.notice = message;
    return app.say("leave");
  },
};

function saveFile(name, text) {
  const link = h("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "text/plain" })) });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

setLanguage(currentLanguage());
byId("skip").textContent = t("skip");
applyTheme();
for (const [answer, type] of Object.entries(ANSWERED)) {
  const act = handlers[answer];
  handlers[answer] = (message) => {
    if (asked[type] > refused) done();
    act(message);
  };
}
app.line = new Line(
  handlers,
  () => {
    stand("");
    setStarting(null);
    greet();
    if (recall("delay", null) !== null) app.say("delay", { seconds: recall("delay", null) });
    if (app.open) app.say("continue", { id: app.open });
  },
  () => stand(t(app.home ? "lost" : "connecting")),
);
