// Search by words and by meaning, with the lines it found and why.

import { post } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { t, word } from "../lib/i18n.js";
import { plain } from "../lib/markdown.js";
import { attempt, dialog, empty, failure, heading, loading, meter, select } from "../lib/ui.js";

const WORDS = /[\p{L}\p{N}]+/gu;
const CLOSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

export async function show(root, { params, app }) {
  let source = params.source ?? "all";
  const box = h("div", { class: "results", "aria-live": "polite" });
  const input = h("input", { type: "search", value: params.q ?? "", dir: "auto",
    placeholder: t("search.example"), "aria-label": t("nav.search") });
  const run = async () => {
    const query = input.value.trim();
    if (!query) return replace(box, empty(t("search.say")));
    const kept = new URLSearchParams({ q: query, ...(source === "all" ? {} : { source }) });
    history.replaceState(null, "", `#/search?${kept}`);
    replace(box, loading());
    try {
      const found = await post("/search", { query, source, maxResults: 20 });
      if (input.value.trim() === query) replace(box, results(found, query, app));
    } catch (error) {
      replace(box, failure(error, run));
    }
    return undefined;
  };
  replace(root, heading(t("nav.search"), t("search.lead")),
    h("form", { class: "ask", role: "search", onsubmit: (event) => { event.preventDefault(); run(); } },
      input,
      select(["all", "memory", "chat", "custom"].map((one) => [one, t(`search.in.${one}`)]), source,
        (value) => { source = value; run(); }, t("search.in")),
      h("button", { type: "submit", class: "primary" }, t("nav.search"))),
    box);
  input.focus();
  await run();
  return {};
}

function results(found, query, app) {
  const about = [
    h("p", { class: "count", role: "status" }, t("search.count", { count: found.totalFound, shown: found.results.length }),
      " · ", t(`method.${found.method}`), " · ",
      t("search.corpus", { files: found.stats.totalFiles, chunks: found.stats.totalChunks })),
    (found.warnings ?? []).map((text) => h("p", { class: "notice" }, plain(text)))];
  if (!found.results.length) return [...about, empty(t("search.none"))];
  return [about, h("ol", { class: "hits" }, found.results.map((hit) => result(hit, query, app))),
    found.dropped?.length ? h("p", { class: "hint" }, t("search.dropped", { count: found.dropped.length })) : null];
}

function result(hit, query, app) {
  const percent = Math.round(hit.score * 100);
  const open = attempt(() => excerpt(hit, query, app));
  return h("li", { class: "card hit" },
    h("header", {},
      h("button", { type: "button", class: "link path", onclick: open, dir: "auto" }, plain(app.short(hit.path)), `:${hit.lines}`),
      hit.title && !says(hit.text, hit.title) ? h("span", { class: "quiet-text", dir: "auto" }, plain(hit.title)) : null,
      h("span", { class: "tag plain" }, word("search.in", hit.source)),
      hit.provenance ? h("span", { class: "tag plain" }, t("search.repository")) : null,
      h("span", { class: "score" }, meter(hit.score, t("score.label", { percent })), `${percent} %`)),
    h("pre", { class: "lines", dir: "auto", tabindex: "0" }, marked(withoutHead(hit.text), query)),
    (hit.passages ?? []).map((more) => [
      h("button", { type: "button", class: "link path", onclick: attempt(() => excerpt(more, query, app)), dir: "auto" },
        plain(app.short(more.path)), `:${more.lines}`),
      h("pre", { class: "lines", dir: "auto", tabindex: "0" }, marked(withoutHead(more.text), query))]),
    h("details", {}, h("summary", {}, t("score.why")),
      h("dl", { class: "facts" },
        h("dt", {}, t("score.words")), h("dd", {}, meter(hit.words, ""), `${Math.round(hit.words * 100)} % `, h("span", { class: "quiet-text" }, t("score.words.about"))),
        h("dt", {}, t("score.meaning")), h("dd", {}, meter(hit.meaning, ""), `${Math.round(hit.meaning * 100)} % `, h("span", { class: "quiet-text" }, t("score.meaning.about"))),
        h("dt", {}, t("score")), h("dd", {}, `${percent} % `, h("span", { class: "quiet-text" }, t("score.about"))))));
}

// A memory file says the same in its name, its description and its first line: only the line is shown,
// as on a terminal (`core/showing/passages.py`). Around a hit, the file is shown as it is.
function withoutHead(text) {
  const words = text.replace(/^---\n[^]*?\n---(\n|$)/, "").replace(/^\n+|\n+$/g, "");
  return words.trim() ? words : text;
}

function says(text, title) {
  const bare = (line) => line.replace(/^[#*\-\s]+/, "").replace(/\s+/g, " ").trim().toLowerCase();
  return withoutHead(text).split("\n").some((line) => bare(line).startsWith(bare(title)));
}

async function excerpt(hit, query, app) {
  const [first, last] = hit.lines.split("-").map(Number);
  const from = Math.max(1, first - 10);
  const found = await post("/get", { path: hit.path, lines: `${from}-${Math.min(last + 10, from + 99)}` });
  const box = dialog(plain(app.short(hit.path)), { wide: true });
  const start = Number(found.lines.split("-")[0]) || from;
  box.show(h("pre", { class: "lines numbered", tabindex: "0" }, found.text.split("\n").map((line, at) => {
    const number = start + at;
    return h("div", { class: number >= first && number <= last ? "here" : "" }, h("span", { class: "number" }, String(number)), marked(line, query));
  })));
}

// Words of the query, and words that begin as they do, are marked; in scripts without spaces any part.
export function marked(text, query) {
  const words = [...new Set((query.toLowerCase().match(WORDS) ?? []).filter((one) => one.length > 1 || CLOSE.test(one)))];
  const parts = words.flatMap((one) => (CLOSE.test(one) && one.length > 2 ? [...one].slice(0, -1).map((_, at, all) => all[at] + [...one][at + 1]) : [one]));
  const shown = plain(text);
  if (!parts.length || shown.length > 50000) return [shown];
  const found = new RegExp(parts.sort((a, b) => b.length - a.length).map((one) =>
    CLOSE.test(one) ? one : one.length > 4 ? `(?<![\\p{L}\\p{N}])${one.replace(/(ing|ed|es|s)$/, "")}[\\p{L}\\p{N}]*` : `(?<![\\p{L}\\p{N}])${one}(?![\\p{L}\\p{N}])`).join("|"), "giu");
  const out = [];
  let at = 0;
  for (const match of shown.matchAll(found)) {
    if (match.index > at) out.push(shown.slice(at, match.index));
    out.push(h("mark", {}, match[0]));
    at = match.index + match[0].length;
  }
  if (at < shown.length) out.push(shown.slice(at));
  return out;
}
