// The list of memories. Only the rows in sight exist, so ten thousand are as light as ten.

import { get } from "../lib/api.js";
import { debounce, h, icon, replace } from "../lib/dom.js";
import { number, t, word } from "../lib/i18n.js";
import { plain } from "../lib/markdown.js";
import { button, empty, failure, heading, kindTag, loading, scopeTag, select, time } from "../lib/ui.js";

const ROW = 100;
const PAGE = 100;
const SPARE = 6;
const KINDS = ["user", "feedback", "project", "reference"];

export const address = (item) =>
  `#/memory/${item.scope}/${item.rel.split("/").map(encodeURIComponent).join("/")}`;

export async function show(root, { params, app }) {
  const filter = { scope: "", kind: "", q: "", order: "newest", pinned: "", ...params };
  const count = h("p", { class: "count", role: "status" });
  const list = h("div", { class: "rows", role: "list", "aria-label": t("nav.memories") });
  const box = h("div", { class: "list" }, loading());
  let pages = new Map();
  const slots = new Map();
  let total = 0;
  let round = 0;
  let focused = 0;

  const words = h("input", { type: "search", value: filter.q, placeholder: t("memories.filter"),
    "aria-label": t("memories.filter"), dir: "auto",
    oninput: debounce((event) => change("q", event.target.value), 250) });
  const change = (key, value) => {
    if (!root.isConnected) return;
    filter[key] = value;
    const kept = Object.entries(filter).filter(([name, one]) => one && !(name === "order" && one === "newest"));
    history.replaceState(null, "", `#/memories${kept.length ? `?${new URLSearchParams(kept)}` : ""}`);
    load();
  };
  const choices = (name, values) =>
    [["", t(`${name}.all`)], ...values.map((value) => [value, word(name, value)])];

  replace(root,
    heading(t("nav.memories"), t("memories.lead")),
    h("div", { class: "filters", role: "search" }, words,
      select(choices("scope", ["user", "project"]), filter.scope, (value) => change("scope", value), t("scope")),
      select(choices("kind", KINDS), filter.kind, (value) => change("kind", value), t("kind")),
      select([["", t("pinned.all")], ["true", t("pinned")]], filter.pinned, (value) => change("pinned", value), t("pinned")),
      select(["newest", "oldest", "name"].map((one) => [one, t(`order.${one}`)]), filter.order,
        (value) => change("order", value), t("order"))),
    count, box);

  async function page(at, mine) {
    if (pages.has(at)) return;
    pages.set(at, null);
    try {
      const query = { ...filter, offset: at * PAGE, limit: PAGE };
      const found = await get("/memories", query);
      if (mine !== round) return;
      pages.set(at, found.memories);
      total = found.total;
    } catch (error) {
      if (mine !== round) return;
      pages.delete(at);
      if (!at) replace(box, failure(error, load));
      throw error;
    }
  }

  async function load(quiet = false) {
    const mine = ++round;
    const kept = pages;
    pages = new Map();
    if (!quiet) replace(box, loading());
    try {
      await page(0, mine);
    } catch {
      pages = quiet ? kept : pages;
      return;
    }
    if (mine !== round) return;
    count.textContent = t("memories.count", { count: total });
    list.style.setProperty("height", `${total * ROW}px`);
    if (!total) {
      const filtered = filter.q || filter.scope || filter.kind || filter.pinned;
      return void replace(box, filtered ? empty(t("memories.none")) : empty(t("overview.first"),
        button(t("remember"), app.remember, { name: "plus", kind: "primary" })));
    }
    if (!quiet) scrollTo(0, 0);
    if (!list.isConnected) replace(box, list);
    draw();
  }

  function draw() {
    if (!list.isConnected) return;
    const top = list.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / ROW) - SPARE);
    const last = Math.min(total, Math.ceil((innerHeight - top) / ROW) + SPARE);
    const wanted = [];
    for (let at = first; at < last; at += 1) wanted.push(at);
    const focusedRow = document.activeElement?.closest?.("[data-at]")?.dataset.at;
    for (const [at, slot] of slots)
      if (at < first || at >= last) {
        slot.node.remove();
        slots.delete(at);
      }
    for (const at of wanted) {
      const item = pages.get(Math.floor(at / PAGE))?.[at % PAGE];
      const known = slots.get(at);
      if (known && known.item === item && known.total === total) continue;
      const node = row(at, item);
      known?.node.remove();
      const next = wanted.find((other) => other > at && slots.has(other));
      list.insertBefore(node, next === undefined ? null : slots.get(next).node);
      slots.set(at, { node, item, total });
    }
    if (focusedRow !== undefined && !list.contains(document.activeElement))
      list.querySelector(`[data-at="${focusedRow}"]`)?.focus({ preventScroll: true });
    const missing = [...new Set(wanted.map((at) => Math.floor(at / PAGE)))].filter((at) => !pages.has(at));
    if (missing.length) fetchSoon();
  }

  const fetchSoon = debounce(async () => {
    const top = list.getBoundingClientRect().top;
    const from = Math.floor(Math.max(0, -top / ROW - SPARE) / PAGE);
    const to = Math.floor(Math.min(total - 1, (innerHeight - top) / ROW + SPARE) / PAGE);
    const mine = round;
    for (let at = from; at <= to; at += 1) await page(at, mine).catch(() => {});
    if (mine === round) draw();
  }, 60);

  function row(at, item) {
    const inner = item
      ? h("a", { href: address(item), class: "row", "data-at": at, onfocus: () => { focused = at; } },
          h("span", { class: "row-head" },
            item.pinned ? h("span", { class: "pinned", title: t("pinned") }, icon("pin"), h("span", { class: "hidden" }, t("pinned"))) : null,
            h("strong", { dir: "auto" }, plain(item.name)), time(item.updated)),
          h("span", { class: "row-text", dir: "auto" }, plain(second(item))),
          h("span", { class: "row-tags" }, kindTag(item.kind), scopeTag(item.scope),
            item.entries > 1 ? h("span", { class: "tag plain" }, t("entries", { count: item.entries })) : null,
            item.why ? h("span", { class: "tag plain" }, t("why")) : null,
            item.how ? h("span", { class: "tag plain" }, t("how")) : null))
      : h("span", { class: "row ghost", "data-at": at }, t("loading"));
    const holder = h("div", { role: "listitem", class: "slot", "aria-setsize": total, "aria-posinset": at + 1 }, inner);
    holder.style.setProperty("top", `${at * ROW}px`);
    return holder;
  }

  // A name mostly begins what the memory says; then its reason says more than the same words again.
  const second = (item) => {
    const same = item.summary.replace(/[\s.。…]+$/u, "") === item.name.replace(/[\s.。…]+$/u, "");
    if (same && item.why) return `${t("why")}: ${item.why}`;
    return same && item.how ? `${t("how")}: ${item.how}` : item.summary;
  };

  let planned = 0;
  const scrolled = () => {
    cancelAnimationFrame(planned);
    planned = requestAnimationFrame(draw);
  };
  const keyed = (event) => {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (!step || event.target.closest("input, select, textarea")) return;
    const inside = document.activeElement?.closest?.("[data-at]");
    if (!inside && event.key.startsWith("Arrow")) return;
    const next = inside ? Math.max(0, Math.min(total - 1, focused + step)) : focused;
    const target = list.querySelector(`a[data-at="${next}"]`);
    if (!target) return;
    event.preventDefault();
    target.focus();
    target.scrollIntoView({ block: "nearest" });
  };
  addEventListener("scroll", scrolled, { passive: true });
  addEventListener("resize", scrolled);
  addEventListener("keydown", keyed);
  await load();
  const again = debounce(() => load(true), 400);
  return {
    onEvent: (event) => { if (event.type !== "task_updated") again(); },
    leave() {
      round += 1;
      removeEventListener("scroll", scrolled);
      removeEventListener("resize", scrolled);
      removeEventListener("keydown", keyed);
    },
  };
}
