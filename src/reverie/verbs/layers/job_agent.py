"""Background jobs by an agent: it edits a draft of the job's files; the job checks what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.core.asking.draft import Draft
from reverie.core.layers.job_prompts import ROOT, job_messages
from reverie.errors import BudgetSpent
from reverie.verbs.asking.agent import DREAM_TURNS, Limits, run_agent
from reverie.verbs.layers.job_work import Proposal

if TYPE_CHECKING:
    from reverie.verbs.layers.job_work import JobTask, Propose
    from reverie.verbs.verb_context import LayerContext


def proposer(ctx: LayerContext) -> Propose | None:
    """Return a way to ask an agent for the texts of a job; None when no model is used."""
    model, settings = ctx.model_for("cognition"), ctx.settings.model
    if model is None:
        return None

    def propose(task: JobTask) -> Proposal | None:
        texts = {f"{ROOT}/{rel}": text for rel, text in task.files.items()}
        messages = job_messages(
            task.job, files=task.files, taken=task.turns, limit=task.limit, today=ctx.clock().date()
        )
        limits = Limits(DREAM_TURNS, settings.run_seconds, settings.run_tokens)
        run = run_agent(
            messages, Draft({ROOT: task.root}, texts, texts), model=model, limits=limits
        )
        if not run.finished:
            raise BudgetSpent(f"the agent was not done after {DREAM_TURNS} turns", usage=run.usage)
        files = {
            path.removeprefix(f"{ROOT}/"): run.draft.files.get(path, "")
            for path in run.draft.changed
        }
        return Proposal(files, run.text, run.usage)

    return propose
