// What is going on and what was done: tasks, runs (each can be taken back), and events as they come.

import { get, remove } from "../lib/api.js";
import { debounce, h, replace } from "../lib/dom.js";
import { t, word } from "../lib/i18n.js";
import { plain } from "../lib/markdown.js";
import { attempt, button, empty, heading, time, toast } from "../lib/ui.js";
import { runRow } from "./memory.js";

export async function show(root, { app }) {
  const tasks = h("div", {});
  const runs = h("div", {});
  const feed = h("ol", { class: "feed", tabindex: "0" }); // it scrolls
  const ran = h("div", {});
  let many = 30;
  replace(root, heading(t("nav.activity"), t("activity.lead")),
    h("section", { class: "card", "aria-labelledby": "tasks" }, h("h2", { id: "tasks" }, t("activity.tasks")), tasks),
    h("section", { class: "card", "aria-labelledby": "runs" }, h("h2", { id: "runs" }, t("activity.runs")), runs),
    h("div", { class: "two" },
      h("section", { class: "card", "aria-labelledby": "live" }, h("h2", { id: "live" }, t("activity.events")), feed),
      h("section", { class: "card", "aria-labelledby": "ran" }, h("h2", { id: "ran" }, t("activity.ran")), ran)));

  const drawTasks = async () => {
    const found = await get("/memory/tasks", { limit: 15 });
    replace(tasks, found.tasks.length ? h("ul", { class: "tasks" }, found.tasks.map(task)) : empty(t("activity.tasks.none")));
  };
  const task = (item) => {
    const over = item.status === "completed" || item.status === "failed";
    const cancel = attempt(async () => {
      await remove(`/memory/${item.kind}/${item.taskId}`);
      toast(t("task.cancelled"));
      await drawTasks();
    });
    return h("li", { "data-task": item.taskId },
      h("span", { class: `dot ${item.status}`, "aria-hidden": "true" }),
      h("strong", {}, word("verb", item.kind)), h("span", {}, word("status", item.status)),
      h("span", { class: "quiet-text", dir: "auto" }, plain(item.result?.summary ?? item.error?.message ?? "")),
      time(item.updatedAt),
      over ? null : button(t("cancel"), cancel, { kind: "quiet" }));
  };
  const drawRuns = async () => {
    const found = await get("/log", { limit: many });
    const open = new Set([...runs.querySelectorAll("li.run:has(details[open])")].map((row) => row.dataset.run));
    const rows = found.runs.map((run) => {
      const row = runRow(run, app);
      row.dataset.run = run.id;
      if (open.has(run.id)) row.querySelector("details").open = true;
      return row;
    });
    replace(runs, rows.length ? h("ol", { class: "runs" }, rows) : empty(t("activity.runs.none")),
      rows.length >= many ? button(t("more"), attempt(() => { many = Math.min(many * 2, 1000); return drawRuns(); }), { kind: "quiet" }) : null);
  };
  const drawFeed = () => replace(feed, app.feed.length
    ? app.feed.slice(0, 40).map((event) => h("li", {}, time(event._meta?.serverTimestamp ? new Date(event._meta.serverTimestamp).toISOString() : event.heard),
        h("span", { dir: "auto" }, app.sentence(event) || plain(event.type))))
    : h("li", { class: "empty" }, t("activity.events.none")));
  const drawRan = async () => {
    const found = await get("/event-log", { limit: 20 });
    replace(ran, found.events.length ? h("ul", { class: "plain-list" }, found.events.map((item) =>
      h("li", {}, h("span", { class: "tag plain" }, word("verb", String(item.name ?? item.event ?? "").replace("memory.", ""))),
        h("span", { class: "quiet-text" }, `${item.duration_ms ?? 0} ms`), item.at ? time(item.at) : null)))
      : empty(t("activity.ran.none")));
  };
  drawFeed();
  await Promise.all([drawTasks(), drawRuns(), drawRan()]);
  const again = debounce(() => Promise.all([drawTasks(), drawRuns(), drawRan()]).catch(() => {}), 200);
  return { onEvent() { drawFeed(); again(); } };
}
