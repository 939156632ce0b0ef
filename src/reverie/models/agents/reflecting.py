"""An agent that looks back over one of its own conversations, and keeps what lasts through the tools.

Rules
- It is a call of the agent like any other: held to the same limits, one at a time, and it cannot call
  itself, because no hook of ours does anything below it.
- What it kept is in the journal, run by run, as if it had called the tools while the person was there.
- Its words are thrown away: nobody reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.models.agents.commands import HEADLESS, Order, Question, Result
from reverie.models.agents.forks import FORKS, Talk
from reverie.models.agents.model import AgentModel

if TYPE_CHECKING:
    from reverie.models.agents.model import Site


class Reflecting(AgentModel):
    """One agent, asked about one conversation."""

    def __init__(self, agent: str, site: Site, talk: Talk) -> None:
        super().__init__(HEADLESS[agent], site)
        self._talk = talk

    def _order(self, program: str, question: Question) -> Order:  # noqa: ARG002  # it has no schema
        known = self._features(program)
        return FORKS[self.agent.name](self._talk, str(self._site.jail), known)

    def _read(self, out: str, order: Order) -> Result:  # noqa: ARG002  # it writes no files
        heard = self.agent.hear(out)
        return Result({}, heard.tokens_in, heard.tokens_out)

    def _folder(self) -> str:
        return self._talk.folder
