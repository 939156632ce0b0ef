"""Lives of a memory, drawn by chance; at their end something is erased, and every byte is looked at."""

from __future__ import annotations

import json
import random
import unicodedata

import pytest

from reverie.errors import ReverieError
from reverie.memory import Memory
from tests.server import Server
from tests.traces import traces

NAMES = [
    "quokka",
    "zebrawood",
    "Xylander",
    "Würzmeister",
    "jalapeño",
    "Žižkov",
    "пельмени",
    "Тихомиров",
    "φεγγάρι",
    "Oxymoron",
    "vuvuzela",
    "krypton-9",
    "baobab",
    "Nganga",
    "pterodactyl",
    "Łódź",
    "straßenfest",
    "naïveté",
]
FORMS = [
    "The {n} service runs on port {d}",
    "I prefer {n} over plums",
    "Our deploy of {n} happens every week",
    "Unser {n} steht in Halle {d}",
    "Мы храним {n} на складе",
    "Nous utilisons {n} pour les tests",
    "我们的{n}放在三号仓库的左边架子上",
    "{n}は札幌で動いています、週末も",
    "La base de {n} está en Madrid",
    "{n} lives in src/{n}.rs",
]


class Life:
    """One memory, what was said to it, and the one thing that will be erased."""

    def __init__(self, memory: Memory, seed: int) -> None:
        self.memory = memory
        self.chance = random.Random(seed)
        self.victim, *others = self.chance.sample(NAMES, 6)
        form = self.chance.choice(FORMS)
        drawn = [(self.chance.choice(FORMS), name) for name in others]
        self.neighbours = list(
            dict.fromkeys(self.say(f, n) for f, n in [*drawn, (form, others[0])])
        )
        self.said = [self.say(form, self.victim)]

    def say(self, form: str, name: str) -> str:
        return form.format(n=name, d=self.chance.randrange(1000, 9999))

    def begin(self) -> None:
        for text in self.neighbours:
            self.memory.remember(text)
        why = f"because {self.victim} is loved by all" if self.chance.random() < 0.4 else ""
        self.memory.remember(self.said[0], why=why)

    def entry(self) -> str | None:
        for topic in self.memory.store.topics():
            for entry in topic.entries:
                if self.victim in entry.summary:
                    return f"{topic.scope.value}:{entry.id}"
        return None

    def step(self) -> None:
        memory, entry = self.memory, self.entry()
        step = self.chance.choice(
            [
                "move",
                "move",
                "update",
                "dream",
                "heard",
                "index",
                "retire and undo",
                "edit",
                "recall",
            ]
        )
        try:
            if step == "dream":
                memory.dream(force=True)
            elif step == "heard":
                self.listen(self.said[0], f"s{self.chance.randrange(99)}")
            elif step == "index":
                memory.index()
            elif step == "recall":
                memory.recall(self.said[-1])
            elif entry is not None and step == "move":
                memory.move(entry, to=self.chance.choice(["user", "project"]))
            elif entry is not None and step == "update":
                self.said.append(self.say(self.chance.choice(FORMS), f"{self.victim}ine"))
                memory.update(entry, self.said[-1])
            elif entry is not None and step == "retire and undo":
                self.retire_and_undo(entry)
            elif entry is not None and step == "edit":
                topic = next(t for t in memory.store.topics() if self.victim in t.text)
                again = topic.text.replace("port", "gate")
                memory.edit(topic.scope, topic.rel, again, base=None)
        except ReverieError:
            pass  # refused is a fine answer; what counts is what is left at the end

    def retire_and_undo(self, entry: str) -> None:
        before = {topic.path: topic.text for topic in self.memory.store.topics()}
        done = self.memory.forget(ids=[entry])
        self.memory.undo(done.run)
        assert {topic.path: topic.text for topic in self.memory.store.topics()} == before

    def listen(self, text: str, session: str, *, at: str = "") -> None:
        told = {"role": "user", "content": text, **({"timestamp": at} if at else {})}
        self.memory.extract([told, {"role": "assistant", "content": "ok"}], session=session)

    def written(self, text: str) -> str:
        """Return a statement as somebody else might write it."""
        spaced, taken_apart = "  ".join(text.split(" ")), unicodedata.normalize("NFD", text)
        loud = text.upper() if text.isascii() else text
        return self.chance.choice([text, loud, f"{text}!", f'"{text}"', spaced, taken_apart])

    def entries(self) -> str:
        topics = self.memory.store.topics()
        return "\n".join(f"{topic.rel}\n{topic.text}" for topic in topics)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_after_any_life_an_erasure_leaves_no_byte_and_no_neighbour_suffers(
    memory: Memory, engine: str, seed: int, request: pytest.FixtureRequest
):
    server: Server | None = request.getfixturevalue("server") if engine == "postgres" else None
    life = Life(memory, seed)
    life.begin()
    for _ in range(life.chance.randrange(1, 7)):
        life.step()
    retired = None
    if life.chance.random() < 0.4:
        retired = memory.forget(life.said[-1])
    before = life.entries()
    for text in reversed(life.said):
        memory.forget(life.written(text), erase=True)
    if retired is not None and retired.receipt is not None:
        memory.forget(retired.receipt.id, erase=True)
    assert traces(memory, life.victim.lower(), server=server) == []
    after = life.entries()
    assert [text for text in life.neighbours if text in before and text not in after] == []
    assert memory.verify().ok
    for number in range(2):
        for text in life.said:
            life.listen(life.written(text), f"again{number}", at="2020-01-01T00:00:00Z")
    assert life.victim.lower() not in life.entries().lower()
    assert life.victim.lower() not in json.dumps([item.summary for item in memory.heard()]).lower()
