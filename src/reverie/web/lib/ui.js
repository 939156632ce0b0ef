// Pieces that several views use.

import { ApiError, get, Gone } from "./api.js";
import { h, icon, replace, scrolling } from "./dom.js";
import { age, moment, number, t, word } from "./i18n.js";

export function heading(title, lead, ...actions) {
  return h("header", { class: "view-head" },
    h("div", {},
      h("h1", { tabindex: "-1", id: "title" }, title),
      lead ? h("p", { class: "lead" }, lead) : null),
    actions.length ? h("div", { class: "actions" }, actions) : null);
}

export function button(label, onclick, { name = null, kind = "", ...more } = {}) {
  return h("button", { type: "button", class: kind, onclick, ...more }, name ? icon(name) : null, label);
}

export function time(text) {
  if (!text) return h("span", { class: "quiet-text" }, t("age.unknown"));
  return h("time", { datetime: text, title: moment(text) }, age(text));
}

export function kindTag(kind) {
  return h("span", { class: `tag kind-${kind}` }, word("kind", kind));
}

export function scopeTag(scope) {
  return h("span", { class: "tag plain" }, word("scope", scope));
}

export function empty(text, ...more) {
  return h("div", { class: "empty" }, h("p", {}, text), more);
}

const PATIENCE = 1000; // most answers are there before
const EVERY = 500;

// Says after a moment how far the daemon is, as long as the box is in the page.
export function loading() {
  const told = h("p", { class: "quiet-text told" });
  const box = h("div", { class: "waiting", role: "status" },
    h("div", { class: "loading" }, h("span", { class: "hidden" }, t("loading"))), told);
  const look = async () => {
    if (!box.isConnected) return;
    try {
      const [step] = (await get("/progress")).working;
      if (step) told.textContent = howFar(step);
    } catch {
      return; // whoever asked for the answer itself says what went wrong
    }
    setTimeout(look, EVERY);
  };
  setTimeout(look, PATIENCE);
  return box;
}

function howFar({ what, done, total, secondsLeft }) {
  const name = word("working", what);
  if (!total) return t("working.some", { what: name, done: number(done) });
  const said = t("working.of", { what: name, done: number(done), total: number(total) });
  return secondsLeft == null ? said : t("working.left", { said, seconds: number(Math.max(1, secondsLeft)) });
}

export function explain(error) {
  if (error instanceof Gone) return t("error.gone");
  if (error instanceof ApiError && error.code === "stale_base") return t("error.stale");
  if (error instanceof ApiError) return error.message;
  return String(error?.message ?? error);
}

export function failure(error, retry) {
  return h("div", { class: "failure", role: "alert" },
    h("p", {}, explain(error)),
    retry ? button(t("retry"), retry) : null);
}

// Says something for a moment, to eyes and to screen readers; errors stay until they are closed.
export function toast(text, { bad = false, action = null } = {}) {
  const box = document.getElementById("toasts");
  const close = () => note.remove();
  const note = h("div", { class: bad ? "toast bad" : "toast", role: bad ? "alert" : "status" },
    h("span", {}, text),
    action ? button(action.label, () => { close(); action.run(); }, { kind: "link" }) : null,
    h("button", { type: "button", class: "icon-only", "aria-label": t("close"), onclick: close }, icon("close")));
  box.append(note);
  if (!bad) setTimeout(close, 8000);
  return note;
}

export function attempt(work) {
  return async (...values) => {
    try {
      return await work(...values);
    } catch (error) {
      if (error.name !== "AbortError") toast(explain(error), { bad: true });
      return undefined;
    }
  };
}

// A native dialog: focus stays inside, Escape closes, focus goes back to where it was.
export function dialog(title, { wide = false } = {}) {
  const body = scrolling(h("div", { class: "dialog-body" }));
  const foot = h("footer", {});
  const box = h("dialog", { class: wide ? "wide" : "", "aria-labelledby": "dialog-title" },
    h("header", {},
      h("h2", { id: "dialog-title" }, title),
      h("button", { type: "button", class: "icon-only", "aria-label": t("close"), onclick: () => box.close() },
        icon("close"))),
    body, foot);
  const before = document.activeElement;
  box.addEventListener("close", () => {
    box.remove();
    before?.focus?.();
  });
  document.body.append(box);
  box.showModal();
  return {
    box,
    close: () => box.close(),
    show: (...nodes) => replace(body, ...nodes),
    actions: (...nodes) => replace(foot, ...nodes),
  };
}

export function field(label, control, hint) {
  return h("label", { class: "field" }, h("span", {}, label), control, hint ? h("small", {}, hint) : null);
}

export function select(options, chosen, onchange, label) {
  return h("select", { "aria-label": label, onchange: (event) => onchange(event.target.value) },
    options.map(([value, name]) => h("option", { value, selected: value === chosen }, name)));
}

export function meter(share, label) {
  const said = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  const bar = h("span", { class: "meter", ...said }, h("span", {}));
  bar.firstChild.style.setProperty("--share", String(Math.max(0, Math.min(1, share))));
  return bar;
}
