// The three verbs a person starts from anywhere: remember, forget, dream. Each shows before it does.

import { get, post } from "../lib/api.js";
import { diffFiles } from "../lib/diff.js";
import { h, replace, scrolling } from "../lib/dom.js";
import { moment, t, word } from "../lib/i18n.js";
import { plain } from "../lib/markdown.js";
import { attempt, button, dialog, empty, explain, failure, field, kindTag, loading, scopeTag, select, toast }
  from "../lib/ui.js";

const OVER = new Set(["completed", "failed"]);

// Follows a task by its events; asks too, because the event may have come before we listened.
export function follow(kind, taskId, onState) {
  return new Promise((resolve) => {
    let over = false;
    const done = (status) => {
      over = true;
      removeEventListener("reverie:event", heard);
      clearInterval(timer);
      resolve(status);
    };
    const look = async () => {
      try {
        const task = await get(`/memory/${kind}/${taskId}`);
        if (over) return; // another look was faster
        onState(task.status);
        if (OVER.has(task.status)) done(task);
      } catch (error) {
        if (error.status === 404) done({ status: "failed", error: { message: explain(error) } });
      }
    };
    const heard = ({ detail }) => {
      if (detail.type === "task_updated" && detail.data.taskId === taskId) look();
    };
    addEventListener("reverie:event", heard);
    const timer = setInterval(look, 3000);
    look();
  });
}

export function undoAction(run) {
  return { label: t("undo"), run: attempt(async () => {
    await post("/undo", { run });
    toast(t("undone"));
  }) };
}

function steps(status) {
  const names = ["queued", "running", "completed"];
  const at = names.indexOf(status);
  return [
    h("p", { class: "hidden", role: "status" }, word("status", status)),
    h("ol", { class: "steps" }, names.map((name, place) =>
      h("li", { class: place < at || status === "completed" ? "done" : place === at ? "now" : "",
        "aria-current": place === at ? "step" : null }, word("status", name))))];
}

export function rememberDialog(app) {
  const box = dialog(t("remember"));
  const text = h("textarea", { rows: "5", required: true, dir: "auto", placeholder: t("remember.example") });
  let scope = "";
  const scopes = select(
    [["", t("scope.auto")], ["user", word("scope", "user")], ["project", word("scope", "project")]],
    scope, (value) => { scope = value; }, t("scope"));
  const send = async () => {
    if (!text.value.trim()) return text.focus();
    const body = { content: text.value };
    if (scope) body.scope = scope;
    try {
      const { taskId } = await post("/memory/remember", body);
      box.show(steps("queued"));
      box.actions(button(t("close"), box.close));
      const task = await follow("remember", taskId, (status) => box.show(steps(status)));
      if (task.status === "failed") throw new Error(task.error?.message);
      box.close();
      toast(task.result.summary);
    } catch (error) {
      box.show(form(), failure(error));
      box.actions(...buttons());
    }
    return undefined;
  };
  const form = () => [
    field(t("remember.what"), text, t("remember.hint")),
    field(t("scope"), scopes),
  ];
  const buttons = () => [button(t("cancel"), box.close, { kind: "quiet" }),
    button(t("remember.do"), send, { kind: "primary" })];
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
  });
  box.show(...form());
  box.actions(...buttons());
  text.focus();
}

export function forgetDialog(app, choice = {}) {
  const box = dialog(t("forget"), { wide: true });
  const query = h("input", { type: "search", value: choice.query ?? "", dir: "auto",
    placeholder: t("forget.example"), "aria-label": t("forget.what") });
  const found = h("div", { class: "found", "aria-live": "polite" });
  const chosen = new Set();
  const name = (entry) => `${entry.scope}:${entry.id}`;
  let files = [];

  const boxes = (entries, on) => entries.map((entry) => {
    if (on) chosen.add(name(entry));
    return h("label", { class: "pick" },
      h("input", { type: "checkbox", checked: on, onchange: (event) => {
        if (event.target.checked) chosen.add(name(entry));
        else chosen.delete(name(entry));
        buttons();
      } }),
      scrolling(h("span", { dir: "auto" }, plain(entry.summary))),
      kindTag(entry.topic), scopeTag(entry.scope));
  });

  const look = attempt(async () => {
    const body = { dryRun: true };
    if (choice.ids) body.ids = choice.ids;
    else if (query.value.trim()) body.query = query.value;
    else return replace(found, empty(t("forget.say")));
    replace(found, loading());
    chosen.clear();
    let plan;
    try {
      plan = await post("/memories/forget", body);
    } catch (error) {
      return replace(found, failure(error));
    }
    files = plan.files;
    replace(found,
      h("p", {}, plan.removedEntries.length ? t("forget.will", { count: plan.removedEntries.length }) : t("forget.nothing")),
      boxes(plan.removedEntries, true),
      plan.candidates.length
        ? h("details", {}, h("summary", {}, t("forget.near", { count: plan.candidates.length })),
            boxes(plan.candidates.slice(0, 50), false))
        : null,
      files.length ? h("details", {}, h("summary", {}, t("forget.diff")), diffFiles(files, app.short)) : null);
    return buttons();
  });

  const go = (erase) => attempt(async () => {
    box.actions(loading());
    let done;
    try {
      done = await post("/memories/forget", { ids: [...chosen], erase });
    } catch (error) {
      replace(found, failure(error));
      return buttons();
    }
    receipt(box, done);
    return undefined;
  });

  const buttons = () => box.actions(
    button(t("cancel"), box.close, { kind: "quiet" }),
    button(t("forget.erase"), () => sure(), { kind: "danger", disabled: !chosen.size }),
    button(t("forget.retire"), go(false), { kind: "primary", disabled: !chosen.size }));
  const sure = () => {
    box.actions(h("p", { class: "warn", role: "alert" }, t("forget.sure", { count: chosen.size })),
      button(t("cancel"), buttons, { kind: "quiet" }),
      button(t("forget.erase.do"), go(true), { kind: "danger" }));
  };

  const form = h("form", { class: "ask", onsubmit: (event) => { event.preventDefault(); look(); } },
    query, h("button", { type: "submit" }, t("preview")));
  box.show(choice.ids ? null : form, found);
  buttons();
  if (choice.ids || choice.query) look();
  else { replace(found, empty(t("forget.say"))); query.focus(); }
}

function receipt(box, done) {
  const paper = done.receipt;
  const save = () => {
    const data = new Blob([JSON.stringify(paper, null, 2)], { type: "application/json" });
    const link = h("a", { href: URL.createObjectURL(data), download: `receipt-${paper.id}.json` });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  box.show(
    h("p", { class: "done", role: "status" }, done.summary),
    paper ? h("dl", { class: "facts" },
      h("dt", {}, t("receipt")), h("dd", {}, h("code", {}, paper.id)),
      h("dt", {}, t("when")), h("dd", {}, moment(paper.at)),
      h("dt", {}, t("receipt.kind")),
      h("dd", {}, paper.erased ? t("receipt.erased") : t("receipt.retired"))) : null,
    done.left?.length
      ? h("div", {}, h("p", {}, t("receipt.left")),
          h("ul", { class: "findings" }, done.left.slice(0, 50).map((item) =>
            h("li", {}, h("strong", {}, plain(item.what)), ": ", plain(item.reason)))))
      : null,
    paper ? h("p", { class: "hint" }, t("receipt.hint")) : null,
    paper ? h("pre", { tabindex: "0" }, h("code", {}, `reverie verify --forgotten ${paper.id}`)) : null);
  box.actions(
    paper ? button(t("receipt.save"), save, { kind: "quiet" }) : null,
    done.run && !paper?.erased
      ? button(t("undo"), async () => { box.close(); await undoAction(done.run).run(); }, { name: "undo", kind: "quiet" })
      : null,
    button(t("close"), box.close, { kind: "primary" }));
}

function opText(op) {
  if (op.op === "merge") return t("op.merge", { kept: plain(op.kept.summary), count: op.removed.length });
  if (op.op === "supersede")
    return t("op.supersede", { kept: plain(op.kept.summary), removed: plain(op.removed.summary) });
  if (op.op === "redate") return t("op.redate", { entry: plain(op.entry.summary) });
  if (op.op === "prune_catalog") return t("op.prune", { count: op.lines.length });
  return op.op;
}

export async function dreamDialog(app) {
  const box = dialog(t("dream"), { wide: true });
  box.show(h("p", {}, t("dream.planning")), loading());
  let plan;
  try {
    plan = await post("/dream/plan");
  } catch (error) {
    return box.show(failure(error));
  }
  if (!box.box.isConnected) return undefined;
  if (plan.status === "skipped") return box.show(empty(plan.message || plan.reason));
  const refused = plan.refused.length
    ? h("details", {}, h("summary", {}, t("dream.refused", { count: plan.refused.length })),
        h("ul", {}, plan.refused.slice(0, 100).map((item) => h("li", {}, plain(`${item.what}: ${item.reason}`)))))
    : null;
  if (!plan.ops.length) {
    box.show(empty(t("dream.nothing")), refused);
    return box.actions(button(t("close"), box.close, { kind: "primary" }));
  }
  const run = async () => {
    try {
      const { taskId } = await post("/memory/dream");
      box.actions(button(t("close"), box.close, { kind: "quiet" }));
      const task = await follow("dream", taskId, (status) => box.show(h("p", {}, t("dream.running")), steps(status)));
      if (task.status === "failed") throw new Error(task.error?.message);
      const [newest] = (await get("/log", { limit: 5 })).runs.filter((item) => item.verb === "dream");
      const files = newest ? (await get("/diff", { run: newest.id })).files : [];
      box.show(h("p", { class: "done", role: "status" }, t("dream.done", { count: task.result.dedupedEntries })),
        steps("completed"), diffFiles(files, app.short));
      box.actions(
        newest ? button(t("undo"), async () => { box.close(); await undoAction(newest.id).run(); }, { name: "undo", kind: "quiet" }) : null,
        button(t("close"), box.close, { kind: "primary" }));
    } catch (error) {
      box.show(failure(error));
    }
  };
  box.show(
    h("p", {}, t("dream.plan", { count: plan.ops.length })),
    h("ul", { class: "ops" }, plan.ops.map((op) => h("li", { dir: "auto" }, h("span", { class: "tag plain" }, word("step", op.op)), " ", opText(op)))),
    refused,
    plan.strategy === "model" ? h("p", { class: "hint" }, t("dream.model")) : null,
    diffFiles(plan.files, app.short));
  box.actions(button(t("cancel"), box.close, { kind: "quiet" }), button(t("dream.apply"), run, { name: "dream", kind: "primary" }));
  return undefined;
}
