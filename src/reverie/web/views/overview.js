// What is remembered, how it grew, when it last changed by itself, and what wants a hand.

import { get } from "../lib/api.js";
import { debounce, h, replace, s } from "../lib/dom.js";
import { moment, number, t, word } from "../lib/i18n.js";
import { plain } from "../lib/markdown.js";
import { button, empty, failure, heading, loading, time } from "../lib/ui.js";
import { heardCard } from "./heard.js";

const KINDS = ["user", "feedback", "project", "reference"];
const SCOPES = ["user", "project"];

export async function show(root, { app }) {
  const doctor = h("section", { class: "card", "aria-labelledby": "doctor" });
  const heard = h("section", { class: "card", "aria-labelledby": "heard", hidden: true });
  const draw = async () => {
    const found = await get("/overview");
    app.place = found.workspace;
    replace(root, heading(t("nav.overview"), found.memories ? t("overview.lead", { count: found.memories }) : null),
      found.notices.map((item) => h("p", { class: "notice" }, plain(item.message))),
      found.workspace.enabled ? null : h("p", { class: "notice" }, t("overview.off")),
      found.memories ? [figures(found), growth(found.growth)] : first(app),
      heard,
      h("div", { class: "two" }, last(found), doctor));
    heardCard(heard);
    health(doctor, app);
  };
  await draw();
  const again = debounce(() => draw().catch(() => {}), 300);
  return { onEvent: (event) => { if (event.type !== "task_updated") again(); } };
}

function first(app) {
  return h("section", { class: "card welcome" },
    h("h2", {}, t("overview.first")),
    h("p", {}, t("overview.first.how")),
    button(t("remember"), app.remember, { name: "plus", kind: "primary" }));
}

function figures(found) {
  const count = (scope, kind) =>
    found.counts.find((item) => item.scope === scope && item.kind === kind)?.memories ?? 0;
  const most = Math.max(1, ...KINDS.map((kind) => count("user", kind) + count("project", kind)));
  return h("section", { class: "card", "aria-labelledby": "figures" },
    h("div", { class: "figures" },
      figure(found.memories, t("figure.memories"), "#/memories"),
      figure(found.entries, t("figure.entries"), null),
      figure(found.pinned, t("figure.pinned"), "#/memories?pinned=true")),
    h("h2", { id: "figures" }, t("overview.kinds")),
    h("div", { class: "table", tabindex: "0" },
      h("table", { class: "kinds" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("kind")),
          SCOPES.map((scope) => h("th", { scope: "col", class: "num" }, word("scope", scope))),
          h("th", { scope: "col", class: "bar-cell" }, h("span", { class: "hidden" }, t("share"))))),
        h("tbody", {}, KINDS.map((kind) => {
          const parts = SCOPES.map((scope) => count(scope, kind));
          const bar = h("span", { class: "bars", "aria-hidden": "true" },
            parts.map((part, at) => {
              if (!part) return null;
              const piece = h("span", { class: `bar bar-${SCOPES[at]}` });
              piece.style.setProperty("--share", String(part / most));
              return piece;
            }));
          return h("tr", {},
            h("th", { scope: "row" }, h("a", { href: `#/memories?kind=${kind}` }, word("kind", kind)),
              h("small", {}, t(`kind.${kind}.about`))),
            SCOPES.map((scope, at) => h("td", { class: "num" }, parts[at]
              ? h("a", { href: `#/memories?scope=${scope}&kind=${kind}` }, number(parts[at])) : "0")),
            h("td", { class: "bar-cell" }, bar));
        })))));
}

function figure(value, label, href) {
  const inner = [h("strong", {}, number(value)), h("span", {}, label)];
  return href ? h("a", { class: "figure", href }, inner) : h("div", { class: "figure" }, inner);
}

// Steps, because a memory is there or not; two bands, one for each scope. A day is as wide as it is
// long, so that today can be seen, and a week is the least that is shown.
function growth(points) {
  const width = matchMedia("(max-width: 760px)").matches ? 360 : 720;
  const height = 180;
  const pad = { left: 44, right: 12, top: 12, bottom: 26 };
  const day = 86400000;
  const days = points.map((item) => Date.parse(item.day));
  const first = Math.min(days[0], days.at(-1) - 6 * day);
  const end = days.at(-1) + day;
  const from = new Date(first).toISOString().slice(0, 10);
  const top = Math.max(1, ...points.map((item) => item.user + item.project));
  const x = (at) => pad.left + ((at - first) / (end - first)) * (width - pad.left - pad.right);
  const y = (value) => height - pad.bottom - (value / top) * (height - pad.top - pad.bottom);
  const path = (value) => {
    let line = `M${x(first)} ${y(0)}`;
    points.forEach((item, at) => { line += ` H${x(days[at])} V${y(value(item))}`; });
    return `${line} H${x(end)}`;
  };
  const area = (value) => `${path(value)} V${y(0)} Z`;
  const total = (item) => item.user + item.project;
  const marks = [...new Set([0, Math.round(top / 2), top])];
  const label = t("growth.label", { from, to: points.at(-1).day, count: total(points.at(-1)) });
  return h("section", { class: "card", "aria-labelledby": "growth" },
    h("h2", { id: "growth" }, t("growth")),
    s("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": label },
      marks.map((mark) => [
        s("line", { x1: pad.left, x2: width - pad.right, y1: y(mark), y2: y(mark), class: "grid" }),
        s("text", { x: pad.left - 8, y: y(mark) + 4, class: "axis end" }, number(mark))]),
      s("path", { d: area(total), class: "area project" }),
      s("path", { d: area((item) => item.user), class: "area user" }),
      s("path", { d: path(total), class: "stroke" }),
      s("text", { x: pad.left, y: height - 6, class: "axis" }, from),
      s("text", { x: width - pad.right, y: height - 6, class: "axis end" }, points.at(-1).day)),
    h("p", { class: "legend" },
      h("span", { class: "key user" }), word("scope", "user"),
      h("span", { class: "key project" }), word("scope", "project")));
}

function last(found) {
  const line = (name, at, status) => [h("dt", {}, t(name)),
    h("dd", {}, at ? [time(at), status ? ` · ${word("outcome", status)}` : ""] : t("never"))];
  return h("section", { class: "card", "aria-labelledby": "last" },
    h("h2", { id: "last" }, t("overview.last")),
    h("dl", { class: "facts" },
      line("last.extract", found.last.lastExtractionAt, found.last.lastExtractionStatus),
      line("last.dream", found.last.lastDreamAt, found.last.lastDreamStatus),
      h("dt", {}, t("model")), h("dd", {}, ...modelWords(found.model)),
      h("dt", {}, t("workspace")), h("dd", {}, h("code", { class: "path" }, found.workspace.base)),
      h("dt", {}, t("home")), h("dd", {}, h("code", { class: "path" }, found.workspace.home))));
}

// The first sentence says what is; the rest, what could be.
function modelWords(text) {
  const [first, ...rest] = text.split(/(?<=\.) /);
  return [first, rest.length ? h("details", {}, h("summary", {}, t("model.more")), h("p", { class: "hint" }, rest.join(" "))) : null];
}

async function health(box, app) {
  const title = h("h2", { id: "doctor" }, t("doctor"));
  replace(box, title, loading());
  try {
    const { findings, checked, memories } = await get("/doctor");
    replace(box, title,
      memories > checked
        ? [empty(t("doctor.large", { count: memories })), h("pre", { tabindex: "0" }, h("code", {}, "reverie doctor"))]
        : findings.length
          ? [h("p", {}, t("doctor.found", { count: findings.length })), h("ul", { class: "findings" },
              findings.slice(0, 20).map((item) => h("li", {},
                h("span", { class: "tag plain" }, word("finding", item.code)),
                h("span", { dir: "auto" }, plain(item.message)),
                item.path ? h("code", { class: "path" }, plain(app.short(item.path))) : null))),
            findings.length > 20 ? h("p", { class: "hint" }, t("doctor.more", { count: findings.length - 20 })) : null]
          : empty(t("doctor.fine")));
  } catch (error) {
    replace(box, title, failure(error, () => health(box, app)));
  }
}
