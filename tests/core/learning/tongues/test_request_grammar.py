"""Requests put together from their parts: what is kept is the fact, and nothing of the request."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.learning.extraction import find_patches
from reverie.core.learning.requests import has_substance
from reverie.types import Message

NOW = datetime(2026, 5, 13, 12, tzinfo=UTC)

# A fact, how a message may go on with a task, and verbs: before a clause, pointing back, and courtesies.
ENGLISH = (
    "the ledger closes on day K7",
    ["", "please ", "pls ", "could you ", "can u ", "I'd like you to ", "I want you to ",
     "make sure you ", "would you please ", "it would be great if you could "],
    ["remember that {0}", "memorise that {0}", "bear in mind that {0}", "keep in mind for later that {0}",
     "make a note that {0}", "jot down that {0}", "write this down: {0}", "save this for next time: {0}",
     "put this in your notes: {0}", "hold on to this: {0}", "add this to your memory - {0}",
     "store this -> {0}", "commit this to memory, {0}", "remember for good that {0}",
     "keep on file that {0}"],
    ["remember that", "remember it once and for all", "keep that in mind when I ask about trains",
     "write it down somewhere", "make a note of that", "hold on to that for later", "store that",
     "keep this at the back of your mind", "file that away", "put that in your notes",
     "save it for future sessions", "jot that down, ok", "don't forget that",
     "bear it in mind from now on"],
)  # fmt: skip
OTHERS = {
    "de": (
        "der Server steht in Halle",
        ["", "bitte "],
        ["merk dir, dass {0}", "schreib dir auf: {0}", "behalte im Kopf, dass {0}", "notiere bitte: {0}",
         "vergiss nicht, dass {0}", "speicher dir das ab: {0}", "halte fest: {0}"],
        ["merk dir das", "speicher dir das ab", "schreib dir das bitte auf", "behalte das im Hinterkopf",
         "vergiss das nicht", "notier dir das für später", "kannst du dir das merken"],
    ),
    "fr": (
        "le serveur est à Lyon",
        ["", "s'il te plaît, "],
        ["retiens que {0}", "note bien ceci : {0}", "souviens-toi que {0}", "n'oublie pas que {0}",
         "tu peux noter que {0}", "j'aimerais que tu retiennes que {0}", "mets ça dans tes notes : {0}"],
        ["retiens-le", "note-le quelque part", "garde ça en tête", "ne l'oublie pas",
         "mémorise ça une fois pour toutes"],
    ),
    "es": (
        "el servidor está en Madrid",
        ["", "por favor, "],
        ["recuerda que {0}", "apunta esto: {0}", "quiero que recuerdes que {0}",
         "guarda esto para luego: {0}",
         "ten en cuenta que {0}", "toma nota: {0}"],
        ["apúntalo", "recuérdalo", "guárdalo para más adelante", "no lo olvides",
         "tenlo presente, por favor"],
    ),
    "pt": (
        "o servidor fica no Porto",
        ["", "por favor, "],
        ["lembra-te de que {0}", "anota: {0}", "guarda isto para depois: {0}", "tem em mente que {0}",
         "gostaria que lembrasses que {0}"],
        ["anota isso", "guarda isso para a próxima vez", "não te esqueças disso", "lembra-te disso"],
    ),
    "it": (
        "il server è a Torino",
        ["", "per favore, "],
        ["ricordati che {0}", "segnati che {0}", "tieni a mente che {0}", "annota: {0}",
         "potresti ricordare che {0}"],
        ["segnatelo", "tienilo a mente", "non dimenticarlo", "prendine nota",
         "ricordatelo una volta per tutte"],
    ),
    "nl": (
        "de server staat in Utrecht",
        ["", "alsjeblieft, "],
        ["onthoud dat {0}", "schrijf even op voor later: {0}", "vergeet niet dat {0}", "noteer: {0}",
         "kun je onthouden dat {0}"],
        ["onthoud dat", "schrijf dat even op", "vergeet dat niet", "kun je dat onthouden"],
    ),
    "ru": (
        "сервер стоит в Казани",
        ["", "пожалуйста, "],
        ["запомни, что {0}", "запиши себе: {0}", "сохрани себе на потом: {0}", "не забывай, что {0}",
         "можешь запомнить, что {0}", "имей в виду, что {0}"],
        ["запомни это", "запиши где-нибудь", "не забудь об этом", "имей это в виду", "учти на будущее"],
    ),
    "pl": (
        "serwer stoi w Poznaniu",
        ["", "proszę, "],
        ["zapamiętaj, że {0}", "zapisz sobie: {0}", "miej na uwadze w przyszłości, że {0}",
         "nie zapominaj, że {0}"],
        ["zapamiętaj to", "zapisz to sobie", "miej to na uwadze", "nie zapomnij o tym"],
    ),
    "tr": (
        "sunucu Bursa ofisinde duruyor",
        ["", "lütfen "],
        ["şunu unutma: {0}", "hatırla lütfen, {0}", "aklında bulunsun: {0}", "bunu not al: {0}"],
        ["bunu not al", "bunu unutma", "bunu aklında tut", "bunu kaydet lütfen"],
    ),
    "zh": (
        "我们的服务器在杭州机房",
        ["", "请", "帮我"],
        ["记住，{0}", "记一下：{0}", "别忘了，{0}", "记到备忘录里：{0}", "牢记：{0}"],
        ["记住这一点", "记下来", "把这个记下来", "记在心里"],
    ),
    "ja": (
        "サーバーは大阪にあります",
        [""],
        ["メモしておいて：{0}", "覚えておいてください、{0}", "これを記憶しておいてね：{0}"],
        ["これを覚えておいて", "忘れないでください", "メモしといて", "頭に入れておいてください"],
    ),
    "ko": (
        "서버는 부산 사무실에 있어",
        ["", "꼭 "],
        ["기억해 줘: {0}", "메모해 둬, {0}", "이거 저장해 줘: {0}", "잊지 마, {0}"],
        ["이거 기억해 줘", "꼭 메모해 둬", "이걸 잊지 마세요", "적어 둬"],
    ),
}  # fmt: skip
TASK = "Split that giant loop into functions."
QUESTION = "Now, why is the query so slow?"


def kept(text: str) -> list[str]:
    message = Message("user", text, id="t1", at=NOW)
    found = find_patches([message], memory_roots=[], cwd="/", now=NOW, min_width=12)
    return [" ".join(f"{item.summary} {item.why} {item.how}".split()) for item in found.patches]


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@st.composite
def asked(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a message with one request, and the fact that it is about."""
    language = draw(st.sampled_from(["en", *OTHERS]))
    fact, forms, leads, backs = ENGLISH if language == "en" else OTHERS[language]
    stop = "。" if language in ("zh", "ja") else "."
    form = draw(st.sampled_from(forms))
    if draw(st.booleans()):
        said = form + draw(st.sampled_from(leads)).format(fact)
    else:
        back = draw(st.sampled_from(backs))
        plain = "" if re.match(r"(?:ne|no|non|não|nie|can|kun|kannst) ", back) else form
        joint = draw(st.sampled_from([f"{stop} ", ", ", " - "]))
        second = capital(plain + back) if joint.startswith(stop) else plain + back
        said = f"{fact}{joint}{second}"
    said = capital(said) if draw(st.booleans()) else said
    before, after = draw(st.sampled_from([("", ""), (f"{TASK} ", ""), ("", f" {QUESTION}")]))
    return f"{before}{said}{stop}{after}", fact


@given(asked())
def test_the_fact_is_kept_and_nothing_else(case: tuple[str, str]) -> None:
    text, fact = case
    assert [said.casefold() for said in kept(text)] == [fact.casefold()]


REST = [
    "will you", "please", "once and for all", "for later", "somewhere", "thanks", "ok", "this time",
    "when I ask about food", "whenever I plan a trip", "from now on", "in your notes", "", "bitte",
    "für später", "pour plus tard", "por favor", "per favore", "пожалуйста", "alsjeblieft", "lütfen",
]  # fmt: skip


@given(
    st.sampled_from(["Remember that", "Remember it", "Make a note", "Write it down", "Keep that in mind",
                     "Don't forget this", "Speicher dir das ab", "Merk dir das", "Note-le",
                     "Запомни это"]),
    st.lists(st.sampled_from(REST), max_size=3),
    st.sampled_from(["", "Why is it slow? ", "Can you fix the parser? "]),
)  # fmt: skip
def test_a_request_without_a_statement_leaves_no_rest_behind(
    verb: str, rest: list[str], before: str
) -> None:
    tail = " ".join(part for part in rest[:1] if part)
    assert kept(f"{before}{verb} {tail}".strip() + ".") == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The importer flips the Y axis. I keep explaining it, so please write it down somewhere.",
         "The importer flips the Y axis"),
        ("Looks good. Keep a record of this please. The freeze is 22 August.", "The freeze is 22 August"),
        ("You'll need this again so hold on to it: the kit sits at 172.16.4.21.",
         "the kit sits at 172.16.4.21"),
        ("Remember that when I deploy, the cache is cold.", "when I deploy, the cache is cold"),
        ("Keep in mind that for layouts we use grids.", "for layouts we use grids"),
        ("Note that Gwen is away? No: I'd like you to note that Gwen signs.", "Gwen signs"),
    ],
)  # fmt: skip
def test_what_is_meant_is_the_nearest_statement(text: str, fact: str) -> None:
    assert any(fact.casefold() in said.casefold() for said in kept(text))
    assert all("explaining" not in said and "need this again" not in said for said in kept(text))


@pytest.mark.parametrize(
    "text",
    [
        "Could you log that error?", "Can you save this as a PDF?", "We shipped v1 on Friday, remember?",
        "Keep that window open please.", "Can you remember what we named the queue?", "Keep this short.",
        "Add it to the notes table in the schema.", "As far as I remember, it is not ordered, right?",
        "Yes, I remember that the cache is warm.", "Vergeet niet om straks opnieuw te starten.",
        "Nie zapomnij usunąć tego loga.", "No recuerdo si el eje Y apunta hacia abajo.",
        "サーバーの名前を覚えていますか？", "你还记得那个函数吗？",
    ],
)  # fmt: skip
def test_other_uses_of_the_verbs_ask_for_nothing(text: str) -> None:
    assert kept(text) == []


@given(st.text(max_size=40))
def test_courtesy_alone_has_no_substance(text: str) -> None:
    assert not has_substance("please, this")
    assert has_substance(f"the port is 80 {text}")
