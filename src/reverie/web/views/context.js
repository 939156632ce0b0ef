// What every conversation begins with: the context files, what they import, what each costs.

import { get, post } from "../lib/api.js";
import { debounce, h, icon, replace } from "../lib/dom.js";
import { number, t, word } from "../lib/i18n.js";
import { markdown, plain } from "../lib/markdown.js";
import { attempt, button, empty, heading, meter, toast } from "../lib/ui.js";

export async function show(root, { app }) {
  const draw = async () => {
    const found = await get("/context/tree");
    const most = Math.max(1, found.tokens);
    replace(root, heading(t("nav.context"), t("context.lead", { count: found.tokens })),
      trust(found),
      found.files.length
        ? h("section", { class: "card", "aria-labelledby": "files" },
            h("h2", { id: "files" }, t("context.files")),
            h("ul", { class: "tree" }, found.files.map((file) => branch(file, most, app))))
        : empty(t("context.none")),
      h("section", { class: "card", "aria-labelledby": "diagnostics" },
        h("h2", { id: "diagnostics" }, t("context.diagnostics")),
        found.diagnostics.length
          ? h("ul", { class: "findings" }, found.diagnostics.map((item) => h("li", {},
              h("span", { class: "tag plain" }, plain(item.reason)),
              h("span", { dir: "auto" }, plain(item.message)),
              h("code", { class: "path" }, plain(app.short(item.path)), item.line ? `:${item.line}` : ""))))
          : empty(t("context.fine"))),
      found.text ? h("section", { class: "card" },
        h("details", {}, h("summary", {}, t("context.text")), markdown(found.text))) : null);
  };

  const trust = (found) => {
    const { trusted, verdict, decidedBy, path } = found.trust;
    const judge = (wanted) => attempt(async () => {
      await post("/trust", { trusted: wanted });
      toast(wanted ? t("said.trusted") : t("said.untrusted"));
      await draw();
      root.querySelector("[role=switch]")?.focus();
    });
    return h("section", { class: "card trust", "aria-labelledby": "trust" },
      h("div", {},
        h("h2", { id: "trust" }, t("trust")),
        h("p", {}, verdict === "unknown" ? t("trust.unknown") : trusted ? t("trust.on") : t("trust.off")),
        h("p", { class: "hint" }, t("trust.by"), " ", h("code", { class: "path" }, plain(decidedBy === path ? app.short(path) : decidedBy)))),
      verdict === "unknown" ? button(t("trust.judge"), judge(true)) : null,
      button(trusted ? t("on") : t("off"), judge(!trusted), { role: "switch", "aria-checked": String(trusted), "aria-labelledby": "trust", kind: "switch" }));
  };

  await draw();
  const again = debounce(() => draw().catch(() => {}), 300);
  return { onEvent: (event) => { if (event.type !== "task_updated") again(); } };
}

// Imports come as a flat list with depths, in the order they stand; here they become a tree.
function branch(file, most, app) {
  const top = { children: [] };
  const stack = [top];
  for (const item of file.imports) {
    stack.length = Math.min(item.depth, stack.length);
    const node = { ...item, children: [] };
    stack.at(-1).children.push(node);
    stack.push(node);
  }
  const twig = (node) => h("li", {},
    leaf(node.path, node.own, most, app, t("context.line", { line: node.line })),
    node.children.length ? h("ul", {}, node.children.map(twig)) : null);
  return h("li", {},
    leaf(file.path, file.own, most, app, word("source.context", file.source), file.imports.length ? file.tokens : null),
    top.children.length ? h("ul", {}, top.children.map(twig)) : null);
}

function leaf(path, own, most, app, about, all = null) {
  return h("div", { class: "leaf" }, icon("file"), h("code", { class: "path", dir: "auto" }, plain(app.short(path))),
    h("span", { class: "tag plain" }, about),
    h("span", { class: "cost" }, meter(own / most, ""), t("tokens.count", { count: own }),
      all === null ? "" : ` · ${t("tokens.with", { count: number(all) })}`));
}
