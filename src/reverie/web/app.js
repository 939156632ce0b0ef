// The shell: sign-in, navigation, the views, and what holds two pages in step.

import { ask, chooseWorkspace, decoded, dropToken, get, keepToken, takeToken } from "./lib/api.js";
import { h, icon, replace } from "./lib/dom.js";
import { currentLanguage, markLanguage, setLanguage, t, word } from "./lib/i18n.js";
import { Live } from "./lib/live.js";
import { button, dialog, failure, field, heading, loading } from "./lib/ui.js";
import { dreamDialog, forgetDialog, rememberDialog } from "./views/actions.js";
import * as activity from "./views/activity.js";
import * as context from "./views/context.js";
import * as layers from "./views/layers.js";
import * as memories from "./views/memories.js";
import * as memory from "./views/memory.js";
import * as overview from "./views/overview.js";
import * as search from "./views/search.js";
import * as settings from "./views/settings.js";

const VIEWS = { overview, memories, memory, search, context, layers, activity, settings };
const NAMES = ["overview", "memories", "search", "context", "layers", "activity", "settings"];
const THEMES = ["auto", "light", "dark"];
const THEME_KEY = "reverie.theme";
const SPACE_KEY = "reverie.workspace";

const app = {
  workspaces: [],
  workspace: null,
  place: { home: "", base: "" },
  feed: [],
  tasks: new Map(),
  go(hash) {
    if (location.hash === hash) route();
    else location.hash = hash;
  },
  short(path) {
    const { base, home, projectMemory, userMemory } = app.place;
    for (const [root, name] of [[projectMemory, "project"], [userMemory, "user"]])
      if (root && path.startsWith(`${root}/`)) return `${name}:${path.slice(root.length + 1)}`;
    if (base && path.startsWith(`${base}/`)) return path.slice(base.length + 1);
    if (home && path.startsWith(`${home}/`)) return `${home.split("/").at(-1)}/${path.slice(home.length + 1)}`;
    return path;
  },
  remember: () => rememberDialog(app),
  forget: (choice) => forgetDialog(app, choice),
  dream: () => dreamDialog(app),
};

let view = null;
let shown = "";
let main = null;
let live = null;
let missed = false; // something happened while a view was still being drawn

// --- theme ------------------------------------------------------------------------------------

function theme() {
  const kept = localStorage.getItem(THEME_KEY);
  return THEMES.includes(kept) ? kept : "auto";
}

function useTheme(name) {
  localStorage.setItem(THEME_KEY, name);
  document.documentElement.dataset.theme = name;
}

// --- sign-in ----------------------------------------------------------------------------------

function signIn(wrong) {
  live?.stop();
  live = null;
  shown = "";
  const token = h("input", { type: "password", id: "token", autocomplete: "off", required: true,
    "aria-invalid": wrong ? "true" : null, "aria-describedby": "token-help" });
  const always = h("input", { type: "checkbox" });
  const enter = (event) => {
    event.preventDefault();
    if (!token.value.trim()) return;
    keepToken(token.value.trim(), always.checked);
    begin();
  };
  replace(document.getElementById("app"),
    h("main", { class: "sign-in", id: "main" },
      h("form", { onsubmit: enter },
        h("div", { class: "brand" }, mark(), h("span", {}, "Reverie")),
        h("h1", {}, t("signin.title")),
        wrong ? h("p", { class: "failure", role: "alert" }, t("signin.wrong")) : null,
        field(t("signin.token"), token),
        h("p", { id: "token-help", class: "hint" }, t("signin.help")),
        h("pre", { tabindex: "0" }, h("code", {}, "cat ~/.reverie/state/token")),
        h("label", { class: "check" }, always, t("signin.keep")),
        h("button", { type: "submit", class: "primary" }, t("signin.enter")),
        languageSwitch())),
    h("div", { id: "toasts" }));
  document.title = `${t("signin.title")} · Reverie`;
  token.focus();
}

function mark() {
  return h("img", { src: "/assets/icon.svg", alt: "", width: "28", height: "28" });
}

// --- shell ------------------------------------------------------------------------------------

function languageSwitch() {
  const next = currentLanguage() === "en" ? "zh" : "en";
  return h("button", { type: "button", class: "quiet", lang: next === "zh" ? "zh-CN" : "en",
    onclick: () => {
      setLanguage(next);
      const locked = document.querySelector(".sign-in");
      if (locked) signIn(false);
      else { shell(); route(true); }
    } }, icon("language"), next === "zh" ? "中文" : "English");
}

function themeSwitch() {
  const now = theme();
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  const control = h("button", { type: "button", class: "quiet", id: "theme",
    onclick: () => { useTheme(next); control.replaceWith(themeSwitch()); document.getElementById("theme").focus(); } },
    icon({ auto: "auto", light: "sun", dark: "moon" }[now]), t(`theme.${now}`));
  return control;
}

function shell() {
  const root = document.getElementById("app");
  main = h("main", { id: "main", tabindex: "-1" });
  const link = (name) =>
    h("a", { href: `#/${name}`, "data-view": name }, icon(name), h("span", {}, t(`nav.${name}`)));
  const spaces = app.workspaces.length > 1
    ? h("select", { "aria-label": t("workspace"), class: "space", onchange: (event) => {
        sessionStorage.setItem(SPACE_KEY, event.target.value);
        begin();
      } }, app.workspaces.map((item) =>
        h("option", { value: item.id, selected: item.id === app.workspace.id }, folder(item.cwd))))
    : h("p", { class: "space", title: app.workspace.cwd }, folder(app.workspace.cwd));
  replace(root,
    h("a", { href: "#main", class: "skip", onclick: (event) => { event.preventDefault(); main.focus(); } },
      t("skip")),
    h("div", { class: "shell" },
      h("header", { class: "side" },
        h("a", { class: "brand", href: "#/overview" }, mark(), h("span", {}, "Reverie")),
        spaces,
        h("nav", { "aria-label": t("nav") }, NAMES.map(link)),
        h("div", { class: "side-actions" },
          button(t("remember"), app.remember, { name: "plus", kind: "primary", title: "n" }),
          button(t("dream"), app.dream, { name: "dream", kind: "quiet" }),
          button(t("forget"), () => app.forget(), { name: "forget", kind: "quiet" })),
        h("div", { class: "side-foot" },
          h("p", { id: "line", class: "line", role: "status" }),
          themeSwitch(),
          languageSwitch(),
          button(t("shortcuts"), shortcuts, { name: "help", kind: "quiet", title: "?" }),
          button(t("signout"), () => { dropToken(); signIn(false); }, { kind: "quiet" }))),
      h("div", { class: "page" },
        h("div", { id: "banner", role: "alert" }),
        main)),
    h("div", { id: "toasts" }),
    h("div", { id: "said", class: "hidden", role: "log", "aria-live": "polite" }));
  setLine(live?.open ?? false);
}

function folder(path) {
  return path.split("/").filter(Boolean).at(-1) ?? path;
}

function setLine(open) {
  const line = document.getElementById("line");
  if (!line) return;
  const text = open ? t("live.on") : t("live.off");
  if (line.textContent !== text) line.textContent = text;
  line.dataset.open = String(open);
}

function banner(gone) {
  const box = document.getElementById("banner");
  if (!box || Boolean(box.firstChild) === gone) return;
  replace(box, gone
    ? h("div", { class: "banner" }, h("span", {}, t("error.gone")),
        button(t("retry"), () => { live?.retry(); route(true); }))
    : null);
}

function shortcuts() {
  const rows = [["?", "key.help"], ["/", "key.search"], ["n", "key.remember"], ["g o", "nav.overview"],
    ["g m", "nav.memories"], ["g s", "nav.search"], ["g c", "nav.context"], ["g l", "nav.layers"],
    ["g a", "nav.activity"], ["g t", "nav.settings"], ["j / k", "key.move"], ["Esc", "key.close"]];
  const box = dialog(t("shortcuts"));
  box.show(h("dl", { class: "keys" }, rows.map(([keys, about]) =>
    [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, t(about))])));
}

// --- routes -----------------------------------------------------------------------------------

function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  const params = Object.fromEntries(new URLSearchParams(query ?? ""));
  return { name: Object.hasOwn(VIEWS, name) ? name : "overview", rest: rest.map(decoded), params };
}

async function route(again = false) {
  if (!main) return;
  const { name, rest, params } = place();
  const fresh = shown !== location.hash;
  if (!again && !fresh) return;
  shown = location.hash;
  if (fresh) for (const open of document.querySelectorAll("dialog[open]")) open.close();
  view?.leave?.();
  view = null;
  missed = false;
  for (const link of document.querySelectorAll("nav a")) {
    const here = link.dataset.view === name || (name === "memory" && link.dataset.view === "memories");
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (here) link.scrollIntoView({ block: "nearest", inline: "center" }); // narrow: the list is a row
  }
  document.title = `${t(`nav.${name}`)} · Reverie`;
  const root = h("div", { class: `view view-${name}` }, loading());
  replace(main, root);
  try {
    const made = await VIEWS[name].show(root, { rest, params, app });
    if (!root.isConnected) made?.leave?.();
    else {
      view = made;
      if (missed) view.onEvent?.({ type: "resync" });
    }
  } catch (error) {
    if (!root.isConnected || error.status === 401) return;
    replace(root, heading(t(`nav.${name}`)), failure(error, () => route(true)));
  }
  if (fresh && !document.querySelector("dialog[open]")) {
    scrollTo(0, 0);
    if (!root.contains(document.activeElement)) root.querySelector("#title")?.focus({ preventScroll: true });
  }
}

// --- live -------------------------------------------------------------------------------------

function heard(event) {
  app.feed.unshift({ ...event, heard: new Date().toISOString() });
  app.feed.length = Math.min(app.feed.length, 200);
  const { data = {} } = event;
  if (event.type === "task_updated") app.tasks.set(data.taskId, data);
  const said = sentence(event);
  const log = document.getElementById("said");
  if (said && log) {
    log.append(h("p", {}, said));
    while (log.childElementCount > 20) log.firstChild.remove();
  }
  dispatchEvent(new CustomEvent("reverie:event", { detail: event }));
  tell(event);
}

function tell(event) {
  if (view) view.onEvent?.(event);
  else missed = true;
}

function sentence(event) {
  const { type, data = {} } = event;
  if (type === "task_updated")
    return t("said.task", { kind: word("verb", data.kind), status: word("status", data.status) });
  if (type === "memory_changed")
    return data.scope === "managed"
      ? t("said.changed", { source: word("source", data.source) })
      : t("said.file", { path: app.short(data.filePath ?? "") });
  if (type === "layer_changed") return t("said.file", { path: app.short(data.filePath ?? "") });
  if (type === "trust_changed") return data.trusted ? t("said.trusted") : t("said.untrusted");
  return "";
}
app.sentence = sentence;

async function begin() {
  let facts;
  try {
    facts = await ask("GET", "/capabilities");
  } catch (error) {
    if (error.status === 401) signIn(true);
    else {
      replace(document.getElementById("app"),
        h("main", { class: "sign-in", id: "main" }, h("h1", {}, "Reverie"), failure(error, begin)));
    }
    return;
  }
  app.workspaces = facts.workspaces;
  const wanted = sessionStorage.getItem(SPACE_KEY);
  app.workspace = facts.workspaces.find((item) => item.id === wanted) ?? facts.workspaces[0];
  chooseWorkspace(app.workspace.id, app.workspace.primary);
  app.feed.length = 0;
  live?.stop();
  live = new Live({
    onEvent: heard,
    onState: (open) => {
      const again = open && live.open === false;
      live.open = open;
      setLine(open);
      banner(!open);
      if (again) tell({ type: "open" });
    },
    onResync: () => tell({ type: "resync" }),
  });
  shell();
  shown = "";
  app.place = { base: app.workspace.cwd, home: "" };
  await get("/overview").then((found) => { app.place = found.workspace; }, () => {});
  await live.start();
  route(true);
}

// --- keys -------------------------------------------------------------------------------------

let leading = false;
const GO = { o: "overview", m: "memories", s: "search", c: "context", l: "layers", a: "activity", t: "settings" };

addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !main?.isConnected) return;
  if (document.querySelector("dialog[open]")) return;
  const led = leading;
  leading = event.key === "g" && !led;
  if (led && event.key in GO) app.go(`#/${GO[event.key]}`);
  else if (event.key === "?") shortcuts();
  else if (event.key === "/") {
    app.go("#/search");
    document.querySelector("input[type=search]")?.focus();
  } else if (event.key === "n") app.remember();
  else return;
  event.preventDefault();
});

addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) {
    takeToken();
    begin();
  } else route();
});
addEventListener("reverie:locked", () => { if (!document.querySelector(".sign-in")) signIn(true); });
addEventListener("reverie:gone", () => banner(true));
addEventListener("reverie:here", () => banner(false));

useTheme(theme());
markLanguage();
if (takeToken()) begin();
else signIn(false);
