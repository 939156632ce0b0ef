// Markdown as nodes. HTML in it stays what it is: words. Only http and https lead anywhere, and
// pictures are named, never fetched.

import { h, scrolling } from "./dom.js";

const MAX_INLINE = 20000; // a longer line is shown as it stands
const MAX_DEPTH = 12;
const BIDI = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g;

// Characters that turn text around are shown by name, so that a line reads as it is stored.
export function plain(text) {
  return String(text ?? "").replace(
    BIDI,
    (mark) => `⟨U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

export function safeHref(address) {
  if (/[\u0000-\u0020\u007f]/.test(address)) return null;
  try {
    const url = new URL(address);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
}

export function link(address, label) {
  const href = safeHref(address);
  const shown = typeof label === "string" ? [plain(label)] : label;
  if (!href) return h("span", { class: "dead-link" }, shown, ` (${plain(address)})`);
  return h("a", { href, rel: "noopener noreferrer", target: "_blank" }, shown);
}

export function markdown(text, options = {}) {
  const lines = String(text ?? "")
    .replace(/\r\n?/g, "\n")
    .split("\n");
  return h("div", { class: "prose", dir: "auto" }, blocks(lines, options, 0));
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(\s+|$)(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const TABLE = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

function blocks(lines, options, depth) {
  const out = [];
  let at = 0;
  if (depth > MAX_DEPTH) return [h("pre", {}, plain(lines.join("\n")))];
  while (at < lines.length) {
    const line = lines[at];
    let found;
    if (!line.trim()) {
      at += 1;
    } else if (line.length > MAX_INLINE) {
      out.push(scrolling(h("p", { class: "long" }, plain(line))));
      at += 1;
    } else if ((found = FENCE.exec(line))) {
      const end = lines.findIndex(
        (other, place) =>
          place > at && other.trim().startsWith(found[1]) && !other.trim().slice(found[1].length),
      );
      const stop = end < 0 ? lines.length : end;
      out.push(h("pre", { tabindex: "0" }, h("code", {}, plain(lines.slice(at + 1, stop).join("\n")))));
      at = stop + 1;
    } else if ((found = HEADING.exec(line))) {
      const level = Math.min(found[1].length + 2, 6);
      out.push(h(`h${level}`, {}, inline(found[2] ?? "", options)));
      at += 1;
    } else if (RULE.test(line)) {
      out.push(h("hr"));
      at += 1;
    } else if (QUOTE.test(line)) {
      const inner = [];
      while (at < lines.length && QUOTE.test(lines[at])) inner.push(QUOTE.exec(lines[at++])[1]);
      out.push(h("blockquote", {}, blocks(inner, options, depth + 1)));
    } else if (ITEM.test(line)) {
      at = list(lines, at, out, options, depth);
    } else if (line.includes("|") && at + 1 < lines.length && TABLE.test(lines[at + 1])) {
      at = table(lines, at, out, options);
    } else {
      const start = at;
      while (at < lines.length && lines[at].trim() && (at === start || !starts(lines[at]))) at += 1;
      out.push(h("p", {}, paragraph(lines.slice(start, at), options)));
    }
  }
  return out;
}

function starts(line) {
  return (
    line.length > MAX_INLINE ||
    FENCE.test(line) ||
    HEADING.test(line) ||
    RULE.test(line) ||
    QUOTE.test(line) ||
    ITEM.test(line)
  );
}

function paragraph(lines, options) {
  return lines.flatMap((line, at) => {
    const nodes = inline(line.trim().replace(/\\$/, ""), options);
    const hard = /( {2,}|\\)$/.test(line);
    return at + 1 < lines.length ? [...nodes, hard ? h("br") : "\n"] : nodes;
  });
}

function list(lines, at, out, options, depth) {
  const first = ITEM.exec(lines[at]);
  const ordered = /\d/.test(first[2]);
  const items = [];
  const indent = first[1].length;
  while (at < lines.length) {
    const found = ITEM.exec(lines[at]);
    if (!found || found[1].length > indent + 1 || /\d/.test(found[2]) !== ordered) break;
    const body = [found[4]];
    const width = found[1].length + found[2].length + 1;
    at += 1;
    while (at < lines.length) {
      const next = lines[at];
      const lead = next.length - next.trimStart().length;
      if (!next.trim()) {
        const after = lines[at + 1];
        if (after === undefined || after.length - after.trimStart().length < 2) break;
        body.push("");
      } else if (lead >= Math.min(width, 2) && lead > indent) {
        body.push(next.slice(Math.min(lead, width)));
      } else if (!starts(next) && body.at(-1) !== "") {
        body.push(next.trim());
      } else break;
      at += 1;
    }
    items.push(item(body, options, depth));
    while (at < lines.length && !lines[at].trim() && ITEM.test(lines[at + 1] ?? "")) at += 1;
  }
  const begin = ordered ? Number.parseInt(first[2], 10) : null;
  out.push(h(ordered ? "ol" : "ul", { start: begin !== 1 ? begin : null }, items));
  return at;
}

function item(body, options, depth) {
  const task = /^\[([ xX])\]\s+(.*)$/.exec(body[0]);
  if (task) body[0] = task[2];
  const nodes = blocks(body, options, depth + 1);
  const tight = nodes.length && nodes[0].tagName === "P" ? [...nodes[0].childNodes] : [nodes[0]];
  const box = task ? [h("span", { class: "task" }, task[1] === " " ? "☐ " : "☑ ")] : [];
  return h("li", {}, box, tight.filter(Boolean), nodes.slice(1));
}

function table(lines, at, out, options) {
  const cells = (line) =>
    line.trim().replace(/^\||\|$/g, "").split("|").slice(0, 30).map((cell) => cell.trim());
  const head = cells(lines[at]);
  const rows = [];
  at += 2;
  while (at < lines.length && lines[at].includes("|") && lines[at].trim()) rows.push(cells(lines[at++]));
  const row = (tag) => (cell) => h(tag, {}, inline(cell, options));
  out.push(
    h("div", { class: "table", tabindex: "0" },
      h("table", {},
        h("thead", {}, h("tr", {}, head.map(row("th")))),
        h("tbody", {}, rows.map((one) => h("tr", {}, one.map(row("td"))))))),
  );
  return at;
}

// One pass over the line; a mark that is never closed is a plain character.
const INLINE =
  /(`+)([\s\S]*?[^`])\1(?!`)|!\[([^\]]*)\]\(([^()\s]*)[^()]*\)|\[\[([^\][|]+)(?:\|([^\][]+))?\]\]|\[([^\][]+)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)|<(https?:\/\/[^\s<>]+)>|(https?:\/\/[^\s<>"'`)\]]*[^\s<>"'`)\].,;:!?])|(\*\*|__)(?=\S)([^*_]{1,500}?\S?)\11|(\*|_)(?=\S)([^*_]{1,500}?)\13(?![\p{L}\p{N}])|~~([^~]{1,500})~~|\\([!-\/:-@[-`{-~])/gu;

export function inline(text, options = {}) {
  if (text.length > MAX_INLINE) return [plain(text)];
  const out = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const before = text.slice(0, found.index).at(-1) ?? " ";
    if (found[13] === "_" && /[\p{L}\p{N}]/u.test(before)) continue;
    if (found.index > at) out.push(plain(text.slice(at, found.index)));
    at = found.index + found[0].length;
    out.push(span(found, options));
  }
  if (at < text.length) out.push(plain(text.slice(at)));
  return out;
}

function span(found, options) {
  const [whole, ticks, code, alt, source, target, alias, label, address, angle, bare] = found;
  if (ticks) return h("code", {}, plain(code));
  if (source !== undefined) return h("span", { class: "picture" }, "🖼 ", link(source, alt || source));
  if (target !== undefined) {
    const shown = plain(alias ?? target);
    if (!options.onNote) return h("span", { class: "wiki" }, shown);
    const open = () => options.onNote(target.split("#")[0].trim());
    return h("button", { class: "wiki link", type: "button", onclick: open }, shown);
  }
  if (label !== undefined) return link(address, label);
  if (angle ?? bare) return link(angle ?? bare, angle ?? bare);
  if (found[11]) return h("strong", {}, inline(found[12], options));
  if (found[13]) return h("em", {}, inline(found[14], options));
  if (found[15] !== undefined) return h("s", {}, plain(found[15]));
  if (found[16] !== undefined) return plain(found[16]);
  return plain(whole);
}
