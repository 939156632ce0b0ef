// A unified diff as a table of lines; added and removed lines carry a word for screen readers.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { plain } from "./markdown.js";

const SHOWN = 400;

function lineNode(line) {
  const sign = line[0];
  if (line.startsWith("@@")) return h("div", { class: "hunk" }, plain(line));
  if (sign === "+")
    return h("div", { class: "added" }, h("span", { class: "hidden" }, t("diff.added")), plain(line));
  if (sign === "-")
    return h("div", { class: "removed" }, h("span", { class: "hidden" }, t("diff.removed")), plain(line));
  return h("div", {}, plain(line));
}

export function diffText(text) {
  const lines = text.split("\n").filter((line) => !/^(---|\+\+\+) /.test(line) && line !== "");
  const first = lines.slice(0, SHOWN);
  const box = h("div", { class: "diff", tabindex: "0", role: "region", "aria-label": t("diff.label") },
    first.map(lineNode));
  if (lines.length > SHOWN) {
    const more = h("button", { type: "button", class: "quiet", onclick: () => {
      more.remove();
      box.append(...lines.slice(SHOWN).map(lineNode));
    } }, t("diff.more", { count: lines.length - SHOWN }));
    box.append(more);
  }
  return box;
}

export function diffFiles(files, short) {
  if (!files.length) return h("p", { class: "empty" }, t("diff.none"));
  return files.map((file) =>
    h("section", { class: "diff-file" },
      h("header", {},
        h("code", { class: "path", dir: "auto" }, plain(short(file.path))),
        h("span", { class: `tag ${file.status}` }, t(`diff.${file.status}.file`))),
      file.diff ? diffText(file.diff) : h("p", {}, t("diff.long", { size: file.size }))),
  );
}

// What a person would change, line by line, before anything is sent.
export function lineDiff(before, after) {
  const a = before.split("\n");
  const b = after.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  if (start === endA && start === endB) return "";
  const from = Math.max(0, start - 2);
  return [
    `@@ -${from + 1} +${from + 1} @@`,
    ...a.slice(from, start).map((line) => ` ${line}`),
    ...a.slice(start, endA).map((line) => `-${line}`),
    ...b.slice(start, endB).map((line) => `+${line}`),
    ...a.slice(endA, endA + 2).map((line) => ` ${line}`),
  ].join("\n");
}
