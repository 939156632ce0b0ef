// The layers of the agent: core and working memory to edit, what a prompt costs, history, notes.

import { get, post } from "../lib/api.js";
import { debounce, h, replace, s, scrolling } from "../lib/dom.js";
import { day, moment, t, word } from "../lib/i18n.js";
import { markdown, plain } from "../lib/markdown.js";
import { attempt, button, dialog, empty, failure, field, heading, loading, meter, time, toast } from "../lib/ui.js";
import { undoAction } from "./actions.js";
import { afterFrontmatter, editor } from "./editor.js";

const TABS = ["files", "history", "notes"];

export async function show(root, { rest, app }) {
  const tab = TABS.includes(rest[0]) ? rest[0] : "files";
  const body = h("div", {}, loading());
  let editing = null;
  replace(root, heading(t("nav.layers"), t("layers.lead")),
    h("div", { class: "tabs", role: "group", "aria-label": t("nav.layers") }, TABS.map((name) =>
      h("a", { href: `#/layers/${name}`, "aria-current": name === tab ? "true" : null, class: "tab" }, t(`layers.${name}`)))),
    body);
  const setEditing = (made) => { editing = made; };
  const draw = { files, history, notes }[tab];
  await draw(body, app, setEditing);
  if (tab === "history") return {}; // turns are added at its top; whoever reads further down stays there
  const again = debounce(async () => {
    if (editing?.dirty()) await editing.check();
    else if (!editing) await draw(body, app, setEditing).catch(() => {});
  }, 300);
  return { onEvent: (event) => { if (["layer_changed", "memory_changed", "resync", "open"].includes(event.type)) again(); } };
}

// --- files ------------------------------------------------------------------------------------

async function files(body, app, setEditing) {
  const found = await get("/layers");
  const { prompt } = found;
  const parts = new Map();
  for (const part of prompt.parts) parts.set(part.layer, (parts.get(part.layer) ?? 0) + part.tokens);
  replace(body,
    h("section", { class: "card", "aria-labelledby": "prompt" },
      h("h2", { id: "prompt" }, t("layers.prompt")),
      h("p", {}, t("layers.cost", { count: prompt.tokens, budget: prompt.budget })),
      parts.size ? stack([...parts]) : null,
      h("dl", { class: "facts" }, [...parts].map(([layer, tokens]) =>
        [h("dt", {}, h("span", { class: `key layer-${layer}` }), word("layer", layer)), h("dd", {}, t("tokens.count", { count: tokens }))])),
      prompt.dropped.length ? h("ul", { class: "findings" }, prompt.dropped.map((item) => h("li", {}, plain(`${item.what}: ${item.reason}`)))) : null),
    found.files.map((file) => layerFile(file, app, setEditing, () => files(body, app, setEditing))),
    h("section", { class: "card", "aria-labelledby": "jobs" },
      h("h2", { id: "jobs" }, t("layers.jobs")),
      found.jobs.length ? h("div", { class: "table", tabindex: "0" }, h("table", {},
        h("thead", {}, h("tr", {}, ["job", "job.turns", "job.last", "job.next"].map((key) => h("th", { scope: "col" }, t(key))))),
        h("tbody", {}, found.jobs.map((job) => h("tr", {},
          h("th", { scope: "row" }, plain(job.job), h("small", {}, plain(job.about))),
          h("td", {}, `${job.newTurns} / ${job.needed}`),
          h("td", {}, job.lastRunAt ? [time(job.lastRunAt), " ", plain(job.lastStatus)] : t("never")),
          h("td", {}, !job.enabled ? t("off") : job.due ? plain(job.due) : job.nextTime ? moment(job.nextTime) : "—"))))))
        : empty(t("layers.jobs.none"))));
}

function stack(parts) {
  const bar = h("div", { class: "stack", "aria-hidden": "true" }, parts.map(([layer, tokens]) => {
    const piece = h("span", { class: `layer-${layer}`, title: word("layer", layer) });
    piece.style.setProperty("flex-grow", String(tokens));
    return piece;
  }));
  return bar;
}

function layerFile(file, app, setEditing, redraw) {
  const shown = h("section", { class: "card layer", "aria-label": file.rel });
  const size = file.limit ? [meter(file.chars / file.limit, t("layers.full", { share: Math.round((file.chars / file.limit) * 100) })), t("layers.chars", { chars: file.chars, limit: file.limit })] : null;
  const view = () => replace(shown,
    h("header", {}, h("h2", {}, plain(file.rel)), h("span", { class: "tag plain" }, word("layer", file.layer)),
      h("span", { class: "cost" }, size, size ? " · " : null, t("tokens.count", { count: file.tokens })),
      file.problem && file.base === null ? null : button(t("edit"), edit, { name: "edit", "aria-label": `${t("edit")}: ${file.rel}` })),
    file.description ? h("p", { class: "hint" }, plain(file.description)) : null,
    file.problem ? h("p", { class: "notice" }, plain(file.problem)) : null,
    file.base === null ? empty(t("layers.empty")) : markdown(file.text.slice(afterFrontmatter(file.text))));
  const fresh = async () => {
    const now = (await get("/layers")).files.find((item) => item.rel === file.rel);
    return now ? { text: now.text, base: now.base } : null;
  };
  const edit = () => {
    const made = editor({
      text: file.text, base: file.base, label: file.rel, bodyStart: afterFrontmatter, fresh,
      save: (text, base) => post("/layers/edit", { rel: file.rel, text, base }),
      done: attempt(async (applied) => {
        setEditing(null);
        if (applied?.run) toast(t("saved"), { action: undoAction(applied.run) });
        await redraw();
      }),
    });
    made.check = async () => { if ((await fresh())?.base !== file.base) await made.conflict(); };
    setEditing(made);
    replace(shown, h("h2", {}, plain(file.rel)), made.node);
    made.area.focus();
  };
  view();
  return shown;
}

// --- history ----------------------------------------------------------------------------------

async function history(body) {
  const list = h("div", {});
  let last = 0;
  let today = "";
  const more = button(t("more"), attempt(() => load()), { kind: "quiet" });
  const load = async () => {
    const found = await get("/history", { limit: 50, before: last });
    for (const turn of found.turns) {
      const date = turn.at.slice(0, 10);
      if (date !== today) list.append(h("h2", { class: "day" }, day(turn.at)));
      today = date;
      list.append(h("article", { class: "card turn" },
        h("header", {}, h("span", { class: "quiet-text" }, `#${turn.seq}`), h("time", { datetime: turn.at }, moment(turn.at)),
          turn.session ? h("span", { class: "tag plain" }, plain(turn.session)) : null,
          turn.imported ? h("span", { class: "tag plain" }, t("imported")) : null),
        turn.messages.map((message) => h("div", { class: `said said-${message.role === "user" ? "user" : "other"}` },
          h("strong", {}, word("role", message.role)),
          message.text ? scrolling(markdown(message.text)) : null,
          message.other ? h("p", { class: "hint" }, t("history.other", { count: message.other })) : null))));
      last = turn.seq;
    }
    more.hidden = found.turns.length < 50;
    if (!found.total) list.append(empty(t("history.none")));
  };
  await load();
  replace(body, list, more);
}

// --- notes ------------------------------------------------------------------------------------

async function notes(body, app, setEditing) {
  const found = await get("/notes");
  const open = (name) => attempt(noteDialog)(name, app, setEditing);
  replace(body,
    h("div", { class: "actions" }, button(t("note.new"), () => newNote(), { name: "plus" })),
    found.notes.length
      ? [graph(found, open), review(found),
          h("section", { class: "card", "aria-labelledby": "all-notes" },
            h("h2", { id: "all-notes" }, t("layers.notes")),
            h("ul", { class: "plain-list" }, found.notes.map((note) => h("li", {},
              h("button", { type: "button", class: "link", onclick: () => open(note.rel), dir: "auto" }, plain(note.title)),
              h("span", { class: "tag plain" }, word("folder", note.rel.split("/")[0])),
              note.tags.map((tag) => h("span", { class: "tag plain" }, `#${plain(tag)}`)),
              note.created ? time(note.created) : null))))]
      : empty(t("notes.none")));
}

function review(found) {
  const rows = ["inbox", "orphans", "broken", "unmapped", "twins"].filter((key) => found.review[key].length);
  if (!rows.length) return null;
  return h("p", { class: "hint" }, rows.map((key) => t(`review.${key}`, { count: found.review[key].length })).join(" · "));
}

// A circle of notes with their links: it stands still, is the same every time, and can be tabbed through.
function graph(found, open) {
  const most = 150;
  const degree = new Map();
  for (const link of found.links) for (const end of [link.from, link.to]) degree.set(end, (degree.get(end) ?? 0) + 1);
  const shown = [...found.notes].sort((a, b) => (degree.get(b.rel) ?? 0) - (degree.get(a.rel) ?? 0)).slice(0, most);
  const places = settle(shown, found.links);
  const at = new Map(shown.map((note, place) => [note.rel, places[place]]));
  const lines = found.links.filter((link) => at.has(link.from) && at.has(link.to));
  return h("section", { class: "card", "aria-labelledby": "graph" },
    h("h2", { id: "graph" }, t("notes.graph")),
    s("svg", { viewBox: "0 0 800 460", class: "graph", role: "group", "aria-label": t("notes.graph.label", { notes: found.notes.length, links: found.links.length }) },
      lines.map((link) => {
        const [a, b] = [at.get(link.from), at.get(link.to)];
        return s("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: "edge" });
      }),
      shown.map((note) => {
        const { x, y } = at.get(note.rel);
        const title = plain(note.title);
        const size = 5 + Math.min(8, 1.5 * (degree.get(note.rel) ?? 0));
        const node = s("g", { class: `node folder-${note.rel.split("/")[0]}`, tabindex: "0", role: "button", "aria-label": title,
          onclick: () => open(note.rel), onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(note.rel); } } },
          s("circle", { cx: x, cy: y, r: size }),
          shown.length <= 40 ? s("text", { x, y: y + size + 4, class: "axis middle" }, title.length > 22 ? `${title.slice(0, 21)}…` : title) : s("title", {}, title));
        return node;
      })),
    found.notes.length > most ? h("p", { class: "hint" }, t("notes.graph.cut", { count: most })) : null);
}

function settle(shown, links) {
  const index = new Map(shown.map((note, place) => [note.rel, place]));
  const places = shown.map((_, at) => {
    const turn = (at * 2.399963) % (2 * Math.PI);
    const far = Math.sqrt((at + 0.5) / shown.length);
    return { x: 400 + 320 * far * Math.cos(turn), y: 220 + 170 * far * Math.sin(turn) };
  });
  const pairs = links.map((link) => [index.get(link.from), index.get(link.to)]).filter(([a, b]) => a !== undefined && b !== undefined && a !== b);
  const rest = Math.sqrt((800 * 440) / Math.max(1, shown.length)) * 0.62;
  for (let step = 0; step < 120; step += 1) {
    const cool = 12 * (1 - step / 120);
    const move = places.map(() => ({ x: 0, y: 0 }));
    for (let i = 0; i < places.length; i += 1)
      for (let j = i + 1; j < places.length; j += 1) {
        const dx = places[i].x - places[j].x;
        const dy = places[i].y - places[j].y;
        const gap = Math.max(1, dx * dx + dy * dy);
        const push = (rest * rest) / gap;
        move[i].x += dx * push; move[i].y += dy * push;
        move[j].x -= dx * push; move[j].y -= dy * push;
      }
    for (const [i, j] of pairs) {
      const dx = places[i].x - places[j].x;
      const dy = places[i].y - places[j].y;
      const pull = Math.sqrt(dx * dx + dy * dy) / rest;
      move[i].x -= dx * pull; move[i].y -= dy * pull;
      move[j].x += dx * pull; move[j].y += dy * pull;
    }
    places.forEach((place, i) => {
      const { x, y } = move[i];
      const length = Math.max(0.01, Math.hypot(x, y));
      place.x = Math.max(60, Math.min(740, place.x + (x / length) * Math.min(length, cool)));
      place.y = Math.max(22, Math.min(424, place.y + (y / length) * Math.min(length, cool)));
    });
  }
  return places.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) }));
}

async function noteDialog(name, app, setEditing) {
  const note = await get("/notes/note", { name });
  const box = dialog(plain(note.title), { wide: true });
  const jump = (other) => { box.close(); attempt(noteDialog)(other, app, setEditing); };
  const links = (title, list) => list.length ? [h("h3", {}, title), h("ul", { class: "plain-list" }, list.map((item) =>
    h("li", {}, h("button", { type: "button", class: "link", onclick: () => jump(item.rel) }, plain(item.title)))))] : null;
  const view = () => {
    box.show(h("p", { class: "hint" }, h("code", { class: "path" }, plain(note.rel))),
      markdown(note.text.slice(afterFrontmatter(note.text)), { onNote: jump }),
      links(t("note.links"), note.links), links(t("note.backlinks"), note.backlinks));
    box.actions(
      note.rel.startsWith("inbox/") ? button(t("note.accept"), attempt(async () => { await post("/notes/accept", { name: note.id }); box.close(); toast(t("saved")); }), { kind: "quiet" }) : null,
      button(t("edit"), edit, { name: "edit" }),
      button(t("close"), box.close, { kind: "primary" }));
  };
  const edit = () => {
    const made = editor({
      text: note.text, base: note.base, label: note.title, bodyStart: afterFrontmatter,
      save: (text, base) => post("/layers/edit", { rel: `notes/${note.rel}`, text, base }),
      fresh: () => get("/notes/note", { name: note.id }).then(({ text, base }) => ({ text, base }), () => null),
      done: (applied) => {
        box.close();
        if (applied?.run) toast(t("saved"), { action: undoAction(applied.run) });
      },
    });
    box.show(made.node);
    box.actions();
    made.area.focus();
  };
  view();
}

function newNote() {
  const box = dialog(t("note.new"));
  const title = h("input", { type: "text", dir: "auto" });
  const text = h("textarea", { rows: "6", dir: "auto" });
  const trouble = h("div", {});
  const send = async () => {
    if (!text.value.trim()) return text.focus();
    try {
      await post("/notes", { title: title.value, text: text.value });
      box.close();
      toast(t("saved"));
    } catch (error) {
      replace(trouble, failure(error));
    }
    return undefined;
  };
  box.show(trouble, field(t("note.title"), title), field(t("note.text"), text));
  box.actions(button(t("cancel"), box.close, { kind: "quiet" }), button(t("save"), send, { kind: "primary" }));
  title.focus();
}
