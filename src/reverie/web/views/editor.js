// Editing a text with a preview, what would change, and a check that nobody else changed it meanwhile.

import { h, replace, scrolling } from "../lib/dom.js";
import { diffText, lineDiff } from "../lib/diff.js";
import { t } from "../lib/i18n.js";
import { markdown } from "../lib/markdown.js";
import { button, explain } from "../lib/ui.js";

// `save(text, base)` writes; `fresh()` returns the text and base as they are now.
export function editor({ text, base, label, save, fresh, done, bodyStart = () => 0 }) {
  let known = { text, base };
  const area = h("textarea", { class: "code", rows: "14", spellcheck: "true", dir: "auto", "aria-label": label, value: text });
  const pane = scrolling(h("div", { class: "pane" }));
  const trouble = h("div", { "aria-live": "assertive" });
  const tabs = ["preview", "changes"];
  let tab = "preview";

  const draw = () => {
    if (tab === "preview") replace(pane, markdown(area.value.slice(bodyStart(area.value))));
    else {
      const found = lineDiff(known.text, area.value);
      replace(pane, found ? diffText(found) : h("p", { class: "empty" }, t("diff.none")));
    }
  };
  const bar = h("div", { class: "tabs", role: "group", "aria-label": t("preview") },
    tabs.map((name) => h("button", { type: "button", "aria-pressed": String(name === tab), onclick: (event) => {
      tab = name;
      for (const one of bar.children) one.setAttribute("aria-pressed", String(one === event.currentTarget));
      draw();
    } }, t(`editor.${name}`))));

  const conflict = async () => {
    const theirs = await fresh();
    replace(trouble, h("div", { class: "failure", role: "alert" },
      h("p", {}, theirs ? t("editor.conflict") : t("editor.gone")),
      theirs ? diffText(lineDiff(known.text, theirs.text) || "@@ @@") : null,
      h("div", { class: "actions" },
        theirs ? button(t("editor.theirs"), () => { known = theirs; area.value = theirs.text; replace(trouble); draw(); }) : null,
        theirs ? button(t("editor.mine"), () => { known = theirs; replace(trouble); send(); }, { kind: "danger" }) : null)));
  };
  const send = async () => {
    replace(trouble);
    try {
      done(await save(area.value, known.base));
    } catch (error) {
      if (error.code === "stale_base") await conflict();
      else replace(trouble, h("p", { class: "failure", role: "alert" }, explain(error)));
    }
  };
  area.addEventListener("input", draw);
  area.addEventListener("keydown", (event) => {
    if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    }
  });
  const node = h("form", { class: "editor", onsubmit: (event) => { event.preventDefault(); send(); } },
    trouble,
    h("div", { class: "panes" }, area, h("div", {}, bar, pane)),
    h("div", { class: "actions" },
      h("button", { type: "submit", class: "primary" }, t("save")),
      button(t("cancel"), () => done(null), { kind: "quiet" })));
  draw();
  return { node, area, dirty: () => area.value !== known.text, conflict };
}

// Where the body begins: after the frontmatter, which a preview leaves out.
export function afterFrontmatter(text) {
  const found = /^\ufeff?---\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return found ? found[0].length : 0;
}
