"""Managed memory: remember, recall, forget, extract, dream, doctor, and the prompt made of all."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from operator import mul
from typing import TYPE_CHECKING, Final, Literal

from reverie.core.scopes import read_scope
from reverie.core.text.plain import digest
from reverie.errors import ConfigError, InvalidInput, StoreError
from reverie.memory.contextual import ContextVerbs
from reverie.memory.searching import SENTENCE_MODELS, SearchVerbs
from reverie.types import Kind, Moment, Problem, RunInfo, Skipped

if TYPE_CHECKING:
    from reverie.types import (
        Dreamed,
        Extracted,
        Forgotten,
        Prompt,
        Recalled,
        Remembered,
        Scope,
        Strategy,
        Topic,
    )


_AT_THE_END: Final = "#end"
"""Added to a session's name for the place up to which an agent has read it."""


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _kind(given: Kind | str | None) -> Kind | None:
    """Take a kind also by its name, as programs write it."""
    try:
        return None if given is None else Kind(given)
    except ValueError:
        known = ", ".join(item.value for item in Kind)
        raise InvalidInput(f"{given!r} is none of: {known}") from None


def topic_key(path: str) -> str:
    """Name a topic in the log of recalls without its words, which a file name repeats."""
    return digest(path)[:16]


class ManagedVerbs(ContextVerbs, SearchVerbs):
    """The verbs of managed memory and layers."""

    def prompt(self, query: str = "", *, context: bool = True, replay: int | None = None) -> Prompt:
        """Assemble the layered system prompt; a query adds what is recalled for it."""
        return self.layers.prompt(
            context=self.context().text if context else "",
            recalled=self.recall(query).block if query.strip() else "",
            replay=replay,
        )

    def remember(
        self,
        text: str,
        *,
        scope: Scope | str | None = None,
        kind: Kind | str | None = None,
        name: str | None = None,
        why: str | None = None,
        how: str | None = None,
        clean: bool = False,
        replaces: str | None = None,
        dry_run: bool = False,
        info: RunInfo | None = None,
    ) -> Remembered:
        """Keep one thing, unless it is known; `clean` does not look.

        Args:
            replaces: Id of an entry that does not hold any more; it is kept with its last day.
        """
        from reverie.verbs.remember import remember

        return remember(
            self.verb_context,
            text,
            scope=read_scope(scope),
            kind=_kind(kind),
            name=name,
            why=why,
            how=how,
            clean=clean,
            replaces=replaces,
            info=info,
            dry_run=dry_run,
        )

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        exclude: Collection[str] = (),
        strategy: Strategy | None = None,
        wait: bool = False,
        meaning: bool = True,
    ) -> Recalled:
        """Bring back what matters for a turn, as one block for a prompt; `wait` for the model.

        Args:
            meaning: Let a sentence model look where words find nothing, which means to load it.
        """
        from reverie.telemetry import recall_event
        from reverie.verbs.recall import recall

        started = time.monotonic()
        outcome = recall(
            self.verb_context,
            query,
            limit=limit,
            exclude=exclude,
            strategy=strategy,
            wait=wait,
            similar=self._similar(strategy or self.settings.recall.strategy),
            near=self._near_topics if meaning else None,
            ranked=self.engine.ranker.ranked,
            imported=self.engine.whence,
            closed=self.engine.closed_scopes(),
        )
        self._note(recall_event(query, outcome, duration_ms=_since(started)))
        if outcome.topics:
            with suppress(StoreError):  # a full or read-only disk must not stop a recall
                keys = [topic_key(item.path) for item in outcome.topics]
                self.recall_log.add("recalled", {"topics": keys}, at=self.clock())
        return outcome

    @property
    def prepared(self) -> bool:
        """Whether a recall by meaning would answer at once; what never goes by meaning is ready."""
        if self.embedder is not None or self._provider() not in SENTENCE_MODELS:
            return True
        return bool(getattr(self._open_embedder(), "is_loaded", True))

    def prepare(self) -> None:
        """Read what a recall needs, the sentence model too, so that the next one does not wait for it."""
        self.engine.ranker.ranked("memory")
        self._near_topics("memory")

    def _similar(self, strategy: str) -> Callable[[str, Sequence[Topic]], list[float]] | None:
        """Compare meanings by the embedder, where `hybrid` is asked for: words alone are faster."""
        embedder = self._open_embedder() if strategy == "hybrid" else None
        if embedder is None:
            return None

        def similar(query: str, topics: Sequence[Topic]) -> list[float]:
            texts = [query, *(f"{item.name}\n{item.description}\n{item.body}" for item in topics)]
            asked, *vectors = embedder.embed(texts)
            return [sum(map(mul, asked, vector)) for vector in vectors]

        return similar

    def forget(
        self,
        query: str = "",
        *,
        erase: bool = False,
        everywhere: bool = False,
        dry_run: bool = False,
        ids: Collection[str] | None = None,
        limit: int | None = None,
        scope: Scope | str | None = None,
        info: RunInfo | None = None,
    ) -> Forgotten:
        """Remove what a query means, or the entries named; with `erase` from journal and index too.

        Args:
            everywhere: With `erase`: take the words, also those of the query as they stand, out of
                notes, working memory, history, stores and every other place of this memory.
            dry_run: Say what would go, and how many things of which place hold it.
            scope: Look at the user's or the project's memory only.
        """
        from reverie.verbs.forget import forget

        return forget(
            self.verb_context,
            query,
            erase=erase,
            everywhere=everywhere,
            dry_run=dry_run,
            ids=ids,
            limit=limit,
            scope=read_scope(scope),
            info=info,
            purge=self._purge_index,
        )

    def _purge_index(self) -> list[str]:
        """Leave nothing of removed texts in the search index; return what it covers."""
        if not self.engine.indexed():
            return []
        self.index(purge=True)
        return self.search_index.searched

    def extract(
        self,
        messages: Sequence[object],
        *,
        session: str,
        info: RunInfo | None = None,
        dry_run: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
        moment: Moment = "asked",
    ) -> Extracted | Skipped:
        """Learn from the part of a conversation that was not read before.

        Args:
            moment: Why now: somebody asked, a turn is over, or the conversation is at its end (or is
                about to be shortened). An agent that serves as the model is not asked after a turn; at
                the end it reads everything that it has not read before.
        """
        from reverie.core.runs.planning import masked
        from reverie.telemetry import extract_event
        from reverie.verbs.extract import extract

        started = time.monotonic()
        session = masked(session, self.settings.secrets)
        ctx, place = self.verb_context, session
        if moment != "asked" and self.asks_an_agent():
            if moment == "turn":
                ctx = replace(ctx, model_for=lambda _verb: None)
            else:
                place = f"{session}{_AT_THE_END}"
        outcome: Extracted | Skipped | None = None
        try:
            outcome = extract(
                ctx,
                messages,
                session=session,
                place=place,
                info=info or RunInfo(verb="extract", session=session),
                dry_run=dry_run,
                cancelled=cancelled,
                instructions=lambda: self.context().text,
            )
        finally:
            if not isinstance(outcome, Skipped) and not dry_run:
                self._note(extract_event(outcome, duration_ms=_since(started)))
        return outcome

    def asks_an_agent(self) -> bool:
        """Tell whether the model is an agent of the person, which is asked seldom."""
        from reverie.core.agents.naming import is_agent

        return self.model is not None and is_agent(self.model.name)

    def dream(
        self,
        *,
        session: str = "",
        force: bool = False,
        dry_run: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Dreamed | Skipped:
        """Consolidate memory when it is time, or with `force` now; `dry_run` shows the plan."""
        from reverie.core.runs.planning import masked
        from reverie.telemetry import dream_event
        from reverie.verbs.dream import dream

        started = time.monotonic()
        session = masked(session, self.settings.secrets)
        outcome: Dreamed | Skipped | None = None
        try:
            outcome = dream(
                self.verb_context,
                session=session,
                force=force,
                dry_run=dry_run,
                sessions_since=self.engine.sessions_since,
                cancelled=cancelled,
            )
        finally:
            if not isinstance(outcome, Skipped) and not dry_run:
                trigger: Literal["auto", "manual"] = "manual" if force else "auto"
                self._note(dream_event(outcome, duration_ms=_since(started), trigger=trigger))
        return outcome

    def doctor(self) -> list[Problem]:
        """Report problems in the memory, each with the command that puts it right."""
        from reverie.verbs.doctor import HOOK_FAILED, damaged_lines, doctor, hook_failures
        from reverie.verbs.moving.pending import problems

        with self.engine.looking_for_secrets() as scan:
            found = doctor(self.verb_context, recalls=self._recalls(), scan=scan)
        standing = [item for item in self.notices if item.code != "run_recovered"]
        try:
            self.engine.trusted()
        except ConfigError as error:  # a broken list of trusted folders trusts nothing
            standing.append(Problem(error.code, str(error), str(error.evidence.get("path", ""))))
        standing += self._agents_standing()
        failures = hook_failures(self.event_log.read(limit=1000, name=HOOK_FAILED))
        self.usage_log.read(limit=1)
        logs = (self.event_log, self.usage_log, self.recall_log)
        held = self.layers.pending()
        standing += self.engine.set_aside()
        return [*standing, *failures, *damaged_lines(logs), *problems(held), *found]

    def _agents_standing(self) -> list[Problem]:
        """Say what keeps an installation in an agent from its work; two memories side by side do not."""
        from reverie.local.agents.standing import BOTH, standing
        from reverie.local.engine import LocalEngine

        if not isinstance(self.engine, LocalEngine):
            return []
        found = standing(self.workspace, dialect=self.dialect.name, env=self.env)
        return [item for item in found if item.code != BOTH]

    def _recalls(self) -> dict[str, int] | None:
        """Count how often each topic was recalled; None while nobody has recalled anything."""
        counted = Counter(
            key for event in self.recall_log.read(limit=100_000) for key in event.get("topics", ())
        )
        if not counted:
            return None
        return {item.path: counted[topic_key(item.path)] for item in self.store.topics()}
