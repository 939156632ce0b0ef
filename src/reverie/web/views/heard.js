// What was said and not kept: it waits here for a person, and nothing else reads it.

import { get, post } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { plain } from "../lib/markdown.js";
import { attempt, button, failure, kindTag, scopeTag, time, toast } from "../lib/ui.js";

const drawn = new WeakMap(); // how often each box was drawn: an answer that was overtaken is not shown

export async function heardCard(box) {
  const draw = () => heardCard(box);
  const turn = (drawn.get(box) ?? 0) + 1;
  drawn.set(box, turn);
  try {
    const { heard } = await get("/heard");
    if (drawn.get(box) !== turn) return;
    box.hidden = !heard.length;
    replace(box, h("h2", { id: "heard" }, t("heard")), h("p", { class: "hint" }, t("heard.lead")),
      h("ul", { class: "findings heard" }, heard.map((item) => row(item, draw))),
      heard.length > 1 ? button(t("heard.keep.all"), decide("keep", heard, draw), { kind: "quiet" }) : null);
  } catch (error) {
    box.hidden = false;
    replace(box, h("h2", { id: "heard" }, t("heard")), failure(error, draw));
  }
}

function row(item, draw) {
  return h("li", { "data-heard": item.id },
    h("div", { class: "heard-said" },
      h("p", { dir: "auto" }, plain(item.summary)),
      kindTag(item.kind), scopeTag(item.scope), time(item.said)),
    h("div", { class: "actions" },
      button(t("heard.keep"), decide("keep", [item], draw)),
      button(t("heard.drop"), decide("drop", [item], draw), { kind: "quiet" })));
}

function decide(action, items, draw) {
  return attempt(async () => {
    const done = await post(`/heard/${action}`, { ids: items.map((item) => item.id) });
    const undo = async () => { await post("/undo", { run: done.run }); await draw(); };
    const said = action === "keep" ? t("heard.kept", { count: items.length }) : t("heard.dropped", { count: items.length });
    toast(said, { action: done.run ? { label: t("undo"), run: attempt(undo) } : null });
    await draw();
  });
}
