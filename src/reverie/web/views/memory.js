// One memory: what it says, why, how and since when; who brought it; edit, pin, forget, undo.

import { get, post } from "../lib/api.js";
import { diffFiles } from "../lib/diff.js";
import { debounce, h, icon, replace, scrolling } from "../lib/dom.js";
import { moment, t, word } from "../lib/i18n.js";
import { markdown, plain } from "../lib/markdown.js";
import { attempt, button, empty, heading, kindTag, scopeTag, time, toast } from "../lib/ui.js";
import { undoAction } from "./actions.js";
import { afterFrontmatter, editor } from "./editor.js";
import { address } from "./memories.js";

export async function show(root, { rest, app }) {
  const [scope, ...parts] = rest;
  const rel = parts.join("/");
  const read = () => get("/memories/topic", { scope, rel });
  let found = null;
  let editing = null;

  const draw = async () => {
    try {
      found = await read();
    } catch (error) {
      if (error.status !== 404) throw error;
      found = null;
      replace(root, back(), heading(t("memory.gone")), empty(t("memory.gone.why", { rel: plain(rel) })));
      return;
    }
    document.title = `${plain(found.name)} · Reverie`;
    replace(root, back(), heading(plain(found.name), lead(), actions()), facts(), body(), items(), history());
  };

  const lead = () => (found.description.replace(/[.。]$/u, "") === found.name ? "" : plain(found.description));
  const back = () => h("a", { href: "#/memories", class: "back" }, icon("back"), t("nav.memories"));
  const actions = () => [
    button(t("edit"), edit, { name: "edit" }),
    button(found.pinned ? t("unpin") : t("pin"), pin, { name: "pin", "aria-pressed": String(found.pinned) }),
    button(t("forget"), () => app.forget({ ids: [found.path] }), { name: "forget", kind: "danger" }),
  ];
  const facts = () => h("dl", { class: "facts wide" },
    h("dt", {}, t("kind")), h("dd", {}, kindTag(found.kind), scopeTag(found.scope),
      found.pinned ? h("span", { class: "tag plain" }, t("pinned")) : null),
    h("dt", {}, t("age")), h("dd", {}, time(found.updated), found.updated ? ` · ${moment(found.updated)}` : ""),
    h("dt", {}, t("tokens")), h("dd", {}, String(found.tokens)),
    h("dt", {}, t("file")), h("dd", {}, h("code", { class: "path", dir: "auto" }, plain(app.short(found.path)))));
  const body = () => h("section", { class: "card", id: "body", "aria-label": t("memory.text") },
    markdown(found.text.slice(found.bodyStart)),
    found.items.length === 1 ? h("p", { class: "source" }, source(found.items[0].source)) : null);

  const items = () => found.items.length < 2 ? null : h("section", { "aria-labelledby": "items" },
    h("h2", { id: "items" }, t("memory.entries", { count: found.items.length })),
    h("ul", { class: "entries" }, found.items.map((item) =>
      h("li", { class: "card" },
        scrolling(h("p", { dir: "auto", class: "entry" }, plain(item.summary))),
        item.why || item.how ? h("dl", { class: "facts" },
          item.why ? [h("dt", {}, t("why")), h("dd", { dir: "auto" }, plain(item.why))] : null,
          item.how ? [h("dt", {}, t("how")), h("dd", { dir: "auto" }, plain(item.how))] : null) : null,
        h("p", { class: "source" }, source(item.source),
          button(t("forget.this"), () => app.forget({ ids: [`${found.scope}:${item.id}`] }), { kind: "link" }))))));
  const source = (one) => one
    ? [t("source", { verb: word("verb", one.verb) }), " ", time(one.at),
        one.session ? [" · ", t("source.session", { session: plain(one.session) })] : null,
        one.turn ? [" · ", t("source.turn", { turn: plain(one.turn) })] : null, " "]
    : t("source.before");

  const history = () => h("section", { "aria-labelledby": "history" },
    h("h2", { id: "history" }, t("memory.history")),
    found.history.length
      ? h("ol", { class: "runs" }, found.history.map((run) => runRow(run, app)))
      : empty(t("memory.history.none")));

  const edit = () => {
    const made = editor({
      text: found.text, base: found.base, label: t("memory.text"), bodyStart: afterFrontmatter,
      save: (text, base) => post("/memories/edit", { scope, rel, text, base }),
      fresh: () => read().then((now) => ({ text: now.text, base: now.base }), () => null),
      done: attempt(async (applied) => {
        editing = null;
        if (applied?.run) toast(t("saved"), { action: undoAction(applied.run) });
        await draw();
        root.querySelector("#title")?.focus({ preventScroll: true });
      }),
    });
    editing = made;
    replace(root, back(), heading(t("editing", { name: plain(found.name) })), made.node);
    made.area.focus();
    made.area.setSelectionRange(0, 0);
  };
  const pin = attempt(async () => {
    const done = await post("/memories/pin", { scope, rel, pinned: !found.pinned });
    toast(done.pinned ? t("pin.done") : t("unpin.done"), done.run ? { action: undoAction(done.run) } : {});
    app.go(address({ scope, rel: done.rel }));
  });

  await draw();
  const again = debounce(async () => {
    if (editing?.dirty()) {
      const now = await read().catch(() => null);
      if (!now || now.base !== found.base) await editing.conflict();
    } else if (!editing) await draw().catch(() => {});
  }, 300);
  return { onEvent: (event) => { if (event.type !== "task_updated") again(); } };
}

// A run that can be opened as a diff and taken back; used by the activity view too.
export function runRow(run, app) {
  const box = h("div", {});
  const opened = h("details", { ontoggle: attempt(async () => {
    if (!opened.open || box.firstChild) return;
    const { files } = await get("/diff", { run: run.id });
    replace(box, diffFiles(files, app.short));
  }) },
  h("summary", {},
    h("span", { class: "tag plain" }, word("verb", run.verb)),
    h("span", { class: "run-paths", dir: "auto" }, plain(run.paths.map((path) => app.short(path)).slice(0, 2).join(", ")),
      run.paths.length > 2 ? ` +${run.paths.length - 2}` : ""),
    run.undoneBy ? h("span", { class: "tag plain" }, t("undone")) : null,
    run.status !== "done" ? h("span", { class: "tag plain" }, word("status", run.status)) : null,
    time(run.at)),
  h("dl", { class: "facts" },
    h("dt", {}, t("run")), h("dd", {}, h("code", {}, run.id)),
    h("dt", {}, t("when")), h("dd", {}, moment(run.at)),
    run.note ? [h("dt", {}, t("note")), h("dd", { dir: "auto" }, plain(run.note))] : null,
    run.session ? [h("dt", {}, t("session")), h("dd", {}, plain(run.session))] : null,
    run.turn ? [h("dt", {}, t("turn")), h("dd", {}, plain(run.turn))] : null,
    h("dt", {}, t("origin")), h("dd", {}, word("origin", run.origin))),
  box);
  const undo = attempt(async () => {
    const done = await post("/undo", { run: run.id });
    toast(t("undone"), done.run ? { action: { ...undoAction(done.run), label: t("redo") } } : {});
  });
  const can = run.status === "done" && !run.undoneBy;
  return h("li", { class: "run" }, opened,
    can ? button(t("undo"), undo, { name: "undo", kind: "quiet", "aria-label": `${t("undo")}: ${word("verb", run.verb)}, ${moment(run.at)}` }) : null);
}
