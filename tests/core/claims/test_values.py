"""A value takes the place of a value of its own sort: how, when, where or what for is none."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.claims.judgement import replaces
from reverie.core.claims.plain import bare_clauses
from reverie.core.phrases.plainly import SORTS, TABLE, rows_that_read

# What is asked: in which words it is answered, and answers. Two answers to one question may be a change.
QUESTIONS: dict[str, tuple[list[str], list[str]]] = {
    "employer": (
        ["I work at {v}.", "I work for {v}.", "I'm employed by {v}.", "I joined {v} as an engineer.",
         "I got a job at {v}.", "I was hired by {v}.", "My employer is {v}."],
        ["Siemens", "Bosch", "Bank of America"],
    ),
    "manager": (
        ["I report to {v}.", "My boss is {v}.", "My manager is {v}.", "{v} is my manager.",
         "{v} became my manager.", "My supervisor is called {v}.", "I have a new manager, {v}."],
        ["Helen", "Tobias Meyer", "Dr. Amin"],
    ),
    "job": (
        ["I'm a {v}.", "I work as a {v}.", "My job is {v}.", "My role is {v}.", "My job title is {v}.",
         "I was promoted to {v}.", "I became a {v}.", "I retrained as a {v}.", "My position is {v}."],
        ["nurse", "senior software engineer", "head of sales"],
    ),
    "salary": (
        ["I got a raise to {v}.", "My salary is {v}.", "I earn {v}.", "I make {v}."],
        ["62,000", "68,000 euros", "75k"],
    ),
    "hours": (["I work {v}.", "I went {v}."], ["full-time", "part-time"]),
    "team": (["My team is {v}.", "I'm on the {v} team.", "I joined the {v} team."], ["Platform", "Growth"]),
    "dentist": (
        ["My dentist is {v}.", "I have a new dentist, {v}.", "I changed my dentist to {v}.",
         "I moved my dentist to {v}.",
         "My dentist changed, it's {v}.", "{v} took over as my dentist.", "I switched to {v} as my dentist."],
        ["Dr. Falk", "Dr. Amin"],
    ),
    "phone": (
        ["My phone number is {v}.", "My number has changed to {v}.", "Call me at {v}."],
        ["555 0134", "+49 170 5550199"],
    ),
    "email": (
        ["My email is {v}.", "You can reach me at {v}.", "My email address is {v}.",
         "Use {v} to reach me."],
        ["a@x.org", "b@y.com"],
    ),
    "vet": (["We take the dog to {v}.", "Our vet is {v}.", "My dog's vet is {v}."], ["Dr. Kim", "Dr. Paws"]),
    "nickname": (["Call me {v}.", "My nickname is {v}."], ["Al", "Bibi"]),
    "diet": (["I'm {v}.", "I eat a {v} diet.", "I went {v}.", "I became {v}."], ["vegan", "vegetarian"]),
    "meat": (["I eat {v}."], ["meat", "everything"]),
    "bank": (
        ["I bank with {v}.", "I have an account with {v}.", "I moved my money to {v}.",
         "My account is with {v}.",
         "I switched banks to {v}."],
        ["Barclays", "Monzo"],
    ),
    "home": (
        ["I live in {v}.", "I live in a small flat in {v}.", "I moved to {v}.", "I moved into a flat in {v}.",
         "My home is in {v}.", "I'm based in {v}.", "We moved to {v}."],
        ["Leeds", "Lyon", "New York"],
    ),
    "age": (["I turned {v}.", "I am {v}.", "I am {v} years old."], ["34", "35"]),
    "car": (["I drive a {v}.", "My car is a {v}.", "I bought a new car, a {v}."], ["Volvo", "Golf"]),
    "insurer": (
        ["I'm insured with {v}.", "My insurance is with {v}.", "I switched my insurance to {v}."],
        ["Allianz", "Axa"],
    ),
    "gym": (
        ["I train at {v}.", "My gym is {v}.", "I joined {v} gym.", "I joined {v}fit.", "I go to {v}gym."],
        ["Iron", "Pure"],
    ),
    "school": (
        ["Tim goes to {v}.", "Tim attends {v}.", "Tim moved to {v}.", "We moved our son to {v}."],
        ["Oak Lane Primary", "Park Academy"],
    ),
    "major": (["I study {v}.", "I changed my major to {v}."], ["biology", "chemistry"]),
    "commute": (
        ["I commute by {v}.", "I go to work by {v}.", "I take the {v} to work."], ["train", "tram"],
    ),
    "riding": (["I {v} to work."], ["cycle", "walk", "drive"]),
    "coffee": (
        ["I take my coffee {v}.", "I drink my coffee {v}.", "I have {v} in my coffee."],
        ["black", "white", "oat milk"],
    ),
    "lunch": (["I have {v} as my lunch.", "I switched to {v} for lunch."], ["soup", "salad"]),
    "zone": (["I'm on {v} time.", "My time zone is {v}."], ["Pacific", "Eastern"]),
    "editor": (["I write code in {v}.", "My editor is {v}.", "I use {v}."], ["Vim", "Emacs"]),
    "browser": (["I browse with {v}.", "My browser is {v}."], ["Firefox", "Chrome"]),
    "notes": (["I keep my notes in {v}.", "I moved my notes to {v}."], ["Obsidian", "Notion"]),
    "storing": (["We store sessions in {v}.", "Sessions are stored in {v}."], ["Redis", "PostgreSQL"]),
    "using": (["We use {v} for billing.", "Billing is done with {v}."], ["Redis", "Valkey"]),
    "python": (
        ["We use Python {v}.", "The project is on Python {v}.", "The Python version is {v}.",
         "We upgraded to Python {v}."],
        ["3.11", "3.12"],
    ),
    "python needed": (["The project requires Python {v}.", "We need Python {v}."], ["3.9", "3.10"]),
    "port": (
        ["The API runs on port {v}.", "The API listens on {v}.", "The port of the API is {v}.",
         "The API port is {v}.", "The API's port is {v}."],
        ["8000", "8443"],
    ),
    "deadline": (["The deadline is {v}."], ["May 5", "June 12"]),
    "owner": (
        ["The owner of search is {v}.", "{v} owns search.", "{v} is the owner of search.",
         "Search belongs to {v}.", "Search is owned by {v}.", "{v} took over the ownership of search.",
         "Ben handed the search over to {v}."],
        ["Ana", "Ravi"],
    ),
    "maintainer": (
        ["{v} maintains the parser.", "{v} is the maintainer of the parser.",
         "The parser is maintained by {v}."],
        ["Ana", "Ravi"],
    ),
    "lead": (
        ["{v} leads the design team.", "{v} is the lead of the design team.",
         "The design team is led by {v}."],
        ["Ana", "Ravi"],
    ),
    "after": (
        ["{v} is responsible for backups.", "{v} looks after backups.", "In charge of backups is {v}."],
        ["Ana", "Ravi"],
    ),
    "cache": (["We use {v} as the cache.", "Our cache is {v}."], ["Redis", "Valkey"]),
    "named": (["The server is called {v}.", "Our server is named {v}."], ["Thor", "Odin"]),
    "branch": (["The main branch is called {v}.", "The main branch is named {v}."], ["develop", "trunk"]),
    "favourite": (["{v} became my favourite colour.", "My favourite colour is {v}."], ["green", "blue"]),
    "test command": (
        ["Run tests with {v}.", "The tests are run with {v}.", "We run the tests with {v}.",
         "{v} runs the tests.", "The test command is {v}.", "The tests run with {v}."],
        ["pytest", "make check", "tox"],
    ),
    "licence": (
        ["It is licensed under {v}.", "The project is {v} licensed.", "The licence is {v}.",
         "We relicensed it under {v}.", "The license was changed to {v}.", "It was relicensed under {v}."],
        ["MIT", "MPL", "Apache"],
    ),
    "site": (["The docs moved to {v}.", "The docs are at {v}."], ["docs.acme.org", "acme.dev/docs"]),
    "channel": (
        ["Ask questions in {v}.", "Questions are asked in {v}.", "Questions go to {v}."], ["#help", "#dev"],
    ),
    "retention": (
        ["Logs are kept for {v}.", "We keep logs for {v}.", "The log retention is {v}."],
        ["30 days", "90 days"],
    ),
    "people": (["We are {v} engineers."], ["12", "14"]),
    "written in": (
        ["We rewrote the parser in {v}.", "The parser was ported to {v}."], ["Go", "Rust"],
    ),
    "standup": (["We hold the standup on {v}.", "The standup is on {v}."], ["Mondays", "Thursdays"]),
    "current": (
        ["The current version is {v}.", "The latest release is {v}.", "Version {v} is out.",
         "We released version {v}."],
        ["2.4.1", "2.5.0"],
    ),
    "release": (["The release date is {v}."], ["May 5", "June 12"]),
    "due": (["The report is due on {v}."], ["May 5", "June 12"]),
    "language": (
        ["The main language is {v}.", "It is written in {v}.", "We rewrote everything in {v}.",
         "The code was ported to {v}."],
        ["Go", "Rust"],
    ),
    "formatter": (["We format our code with {v}.", "The formatter is {v}."], ["Black", "Prettier"]),
    "linter": (["We lint with {v}.", "The linter is {v}."], ["Ruff", "Pylint"]),
    "hosting": (["We host everything on {v}.", "Our hosting provider is {v}."], ["Hetzner", "AWS"]),
    "log level": (["The log level is {v}.", "We turned the log level down to {v}."], ["info", "debug"]),
    "retro": (["The retro is {v}.", "The retro became {v}."], ["weekly", "monthly"]),
    "going over": (["We switched to deploying {v}."], ["on Fridays", "on Mondays"]),
}  # fmt: skip
ONE_QUESTION = [{"meat", "diet"}, {"commute", "riding"}, {"cache", "using"}]
"""Asked in two ways, or near enough that one may end the other."""

# What may stand there as well, and is no answer: by the word before it.
AFTER_IS = [
    "stressful", "boring", "great", "very important", "on vacation", "at home", "to fix bugs",
    "that tests matter", "what I always wanted", "for guests", "in staging", "about to leave", "full", "late",
    "broken", "too expensive", "really boring", "quite stressful", "under review", "a problem", "a mess",
    "near the river", "down in Oslo", "40 minutes away", "mostly meetings", "hard to find",
]  # fmt: skip
AFTER_A = [
    "mother", "morning person", "good cook", "volunteer firefighter on weekends", "fan of tea", "problem",
]  # fmt: skip
AFTER_OTHERS = ["care", "my sister's place", "great effort", "the weekend"]
DONE = (
    "upgraded", "changed", "switched", "released", "became", "joined", "moved", "hired", "got a job", "went",
    "promoted", "retrained", "ported", "rewrote", "bought", "turned", "took over",
    "got a raise", "relicensed",
)  # fmt: skip
"""What happened once: whatever is added tells when it did, and whatever is named came of it."""
SCOPES = ["on weekends", "in staging", "for guests", "at night", "in summer", "when Ann is away"]
OPENED = ["employer", "diet"]
"""Their turns of life end a job, or a diet, whatever it was held for."""


def said(form: str, value: str, *, now: bool = False) -> str:
    text = form.format(v=value)
    text = text[0].upper() + text[1:]
    return f"{text[:-1]} now." if now else text


def no_answers(form: str) -> list[str]:
    if any(word in form for word in DONE):
        return []
    before = form.partition("{v}")[0].split()
    if (
        not before
        or before[-1] in ("Python", "version", "by", "called", "named")
        or form.partition("{v}")[2].strip(" .")
    ):
        return []
    if before[-1] in ("a", "an"):
        return AFTER_A
    return AFTER_IS if before[-1] in ("is", "are", "I'm", "am") else AFTER_OTHERS


@given(st.data())
@settings(max_examples=3000)
def test_what_is_no_answer_takes_the_place_of_none(data: st.DataObject) -> None:
    forms, values = QUESTIONS[data.draw(st.sampled_from(sorted(QUESTIONS)))]
    odd = data.draw(st.sampled_from([form for form in forms if no_answers(form)] or [""]))
    if not odd:
        return
    holding = [form for form in forms if not any(word in form for word in DONE)]
    one = said(data.draw(st.sampled_from(holding)), data.draw(st.sampled_from(values)))
    other = said(odd, data.draw(st.sampled_from(no_answers(odd))))
    now = data.draw(st.booleans())
    assert replaces(f"{other[:-1]} now." if now else other, one) is None
    assert replaces(f"{one[:-1]} now." if now else one, other) is None


@given(st.data())
@settings(max_examples=3000)
def test_two_things_that_are_no_answers_both_stay(data: st.DataObject) -> None:
    forms, _ = QUESTIONS[data.draw(st.sampled_from(sorted(QUESTIONS)))]
    open_forms = [form for form in forms if no_answers(form)]
    if not open_forms:
        return
    one, other = (
        said(form, data.draw(st.sampled_from(no_answers(form))))
        for form in (data.draw(st.sampled_from(open_forms)) for _ in range(2))
    )
    if one != other:
        assert replaces(other, one) is None


@given(st.data())
@settings(max_examples=3000)
def test_an_answer_to_another_question_takes_the_place_of_none(data: st.DataObject) -> None:
    first, second = data.draw(
        st.lists(st.sampled_from(sorted(QUESTIONS)), min_size=2, max_size=2, unique=True)
    )
    if {first, second} in ONE_QUESTION:
        return
    one, other = (
        said(
            data.draw(st.sampled_from(QUESTIONS[name][0])),
            data.draw(st.sampled_from(QUESTIONS[name][1])),
        )
        for name in (first, second)
    )
    assert replaces(f"{other[:-1]} now." if data.draw(st.booleans()) else other, one) is None


@given(st.data())
@settings(max_examples=3000)
def test_what_holds_for_a_part_ends_nothing_of_the_whole(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(set(QUESTIONS) - set(OPENED))))
    forms, values = QUESTIONS[name]
    whole, part = data.draw(st.permutations(values))[:2]
    holding = [form for form in forms if not any(word in form for word in DONE)]
    if not holding:
        return
    form = data.draw(st.sampled_from(holding))
    scoped = f"{said(form, part)[:-1]} {data.draw(st.sampled_from(SCOPES))}."
    assert replaces(scoped, said(data.draw(st.sampled_from(forms)), whole)) is None


# The same in other languages: what is said of one, in one way of saying it.
OTHER_LANGUAGES = [
    [
        "Mein Chef ist Tom.",
        "Mein Chef ist krank.",
        "Mein Chef ist Schwede.",
        "Mein Chef ist jetzt Vater.",
    ],
    ["Ich arbeite bei Bosch.", "Ich arbeite bei Nacht.", "Ich arbeite bei jedem Wetter."],
    ["Ich wohne in Köln.", "Ich wohne in einer WG.", "Ich wohne in der Nähe."],
    [
        "Die Datenbank ist Postgres.",
        "Die Datenbank ist kaputt.",
        "Die Datenbank ist jetzt schnell.",
    ],
    ["Mon chef est Paul.", "Mon chef est malade.", "Mon chef est en vacances."],
    ["J'habite à Lyon.", "J'habite à la campagne.", "J'habite à côté."],
    ["Mi jefe es Juan.", "Mi jefe es simpático.", "Mi jefe ahora es padre."],
    ["Vivo en Cádiz.", "Vivo en un piso.", "Vivo en paz."],
    ["Il mio capo è Paolo.", "Il mio capo è simpatico.", "Il mio capo è malato."],
    ["Мой начальник — Олег.", "Мой начальник — хороший человек.", "Мой начальник теперь папа."],
    ["Я живу в Казани.", "Я живу в общежитии."],
    ["Mijn baas is Piet.", "Mijn baas is ziek.", "Mijn baas is nu vader."],
    ["Mój szef to Jan.", "Mój szef to miły człowiek."],
    ["Ankara'da yaşıyorum.", "Evde yaşıyorum."],
    ["我的老板是王磊。", "我的老板是女的。", "我的老板是上海人。", "我的老板现在是个好人。"],
    ["我们的编辑器是Vim。", "我们的编辑器是免费的。", "我们的编辑器是好用的。"],
    ["我住在杭州。", "我住在五楼。", "我住在父母家。", "我住在学校附近。"],
    ["上司は田中です。", "上司は親切です。", "上司は女性です。"],
    ["私は名古屋に住んでいます。", "私はアパートに住んでいます。"],
    ["팀장은 민수입니다.", "팀장은 여자입니다.", "팀장은 휴가입니다."],
]


@pytest.mark.parametrize("beside", OTHER_LANGUAGES, ids=lambda said: said[0])
def test_what_is_no_answer_takes_the_place_of_none_in_other_languages(beside: list[str]) -> None:
    ended = [(one, two) for one, two in itertools.permutations(beside, 2) if replaces(two, one)]
    assert ended == []


@pytest.mark.parametrize("name", sorted(set(QUESTIONS) - {"meat"}))
def test_another_answer_with_a_word_of_change_is_seen(name: str) -> None:
    forms, values = QUESTIONS[name]
    pairs = [
        (said(form, new, now=True), said(form, old))
        for form in forms
        for old, new in itertools.permutations(values, 2)
    ]
    seen = sum(bool(replaces(new, old)) for new, old in pairs)
    assert seen * 4 >= len(pairs), pairs


def test_every_row_of_the_tables_is_tried() -> None:
    said_plainly = {
        key
        for forms, values in QUESTIONS.values()
        for form, value in itertools.product(forms, values)
        for key, _, _ in bare_clauses(said(form, value))
    }
    tried = set().union(*map(rows_that_read, said_plainly))
    left = [row[1:3] for place, row in enumerate(TABLE) if place not in tried]
    assert left == []


def test_every_question_says_what_it_takes() -> None:
    assert {answer for *_, answer in TABLE} == SORTS.keys()
