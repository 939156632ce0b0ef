// Every setting, its value, and where the value came from.

import { get } from "../lib/api.js";
import { debounce, h, replace } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { plain } from "../lib/markdown.js";
import { empty, heading } from "../lib/ui.js";

const shownValue = (value) => (Array.isArray(value) ? value.join(", ") || "—" : value === "" ? "—" : String(value));

export async function show(root) {
  const { settings } = await get("/settings");
  const list = h("div", {});
  let words = "";
  let changed = false;
  const draw = () => {
    const found = settings.filter((row) =>
      (!changed || row.origin !== "default") && `${row.key} ${row.about} ${row.origin}`.toLowerCase().includes(words));
    const groups = Map.groupBy ? Map.groupBy(found, (row) => row.key.split(".")[0]) : new Map([["", found]]);
    replace(list, found.length ? [...groups].map(([name, rows]) =>
      h("section", { class: "card", "aria-labelledby": `group-${name}` },
        h("h2", { id: `group-${name}` }, name),
        h("dl", { class: "settings" }, rows.map((row) => h("div", { class: row.origin === "default" ? "" : "changed" },
          h("dt", {}, h("code", {}, row.key), h("small", {}, plain(row.about))),
          h("dd", {}, h("strong", { dir: "auto" }, plain(shownValue(row.value))),
            h("span", { class: "origin" }, row.origin === "default" ? t("settings.default") : plain(row.origin)),
            row.origin === "default" ? null : h("small", {}, t("settings.usual", { value: plain(shownValue(row.usual)) }))))))))
      : empty(t("settings.none")));
  };
  replace(root, heading(t("nav.settings"), t("settings.lead")),
    h("div", { class: "filters", role: "search" },
      h("input", { type: "search", placeholder: t("settings.filter"), "aria-label": t("settings.filter"),
        oninput: debounce((event) => { words = event.target.value.toLowerCase(); draw(); }, 150) }),
      h("label", { class: "check" }, h("input", { type: "checkbox", onchange: (event) => { changed = event.target.checked; draw(); } }),
        t("settings.changed"))),
    h("p", { class: "hint" }, t("settings.how"), " ", h("code", {}, "reverie config set KEY VALUE")),
    list);
  draw();
  return {};
}
