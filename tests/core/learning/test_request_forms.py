"""Requests in thirteen languages: wherever they stand and point, what they mean is kept."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.learning.extraction import find_patches
from reverie.types import Message

NOW = datetime(2026, 5, 13, 12, tzinfo=UTC)
FACT = "the ledger closes on day K7"
LEADS = [
    "Remember that {0}.",
    "Please remember: {0}.",
    "pls remember {0}.",
    "Jot down that {0}.",
    "Write this down: {0}.",
    "Save this: {0}.",
    "Note to self: {0}.",
    "Store this for next time: {0}.",
    "Keep on file that {0}.",
    "Let's put this on record: {0}.",
    "Something you should remember: {0}.",
    "Could you keep in mind that {0}?",
    "For future reference, {0}.",
    "Merk dir bitte, dass {0}.",
    "Notier dir: {0}.",
    "Für später: {0}.",
    "Souviens-toi que {0}.",
    "Note pour plus tard : {0}.",
    "Garde en tête que {0}.",
    "Pour référence, {0}.",
    "Recuerda que {0}.",
    "Apunta que {0}.",
    "Ten en cuenta que {0}.",
    "Para futura referencia, {0}.",
    "Anota aí: {0}.",
    "Para referência futura, {0}.",
    "Não te esqueças de que {0}.",
    "Ricordati che {0}.",
    "Prendi nota: {0}.",
    "Tieni presente che {0}.",
    "Onthoud dat {0}.",
    "Noteer: {0}.",
    "Vergeet niet dat {0}.",
    "Запиши: {0}.",
    "Имей в виду на будущее, что {0}.",
    "На будущее: {0}.",
    "Zapamiętaj, że {0}.",
    "Zanotuj: {0}.",
    "Şunu unutma: {0}.",
    "Bunu not al: {0}.",
    "请记一下：{0}。",
    "请记住，{0}。",
    "覚えておいてください。{0}。",
    "メモしておいて：{0}。",
    "기억해 줘, {0}.",
    "메모해 둬: {0}.",
]
BACK = [
    "Please make a note of that.",
    "Keep that in mind please.",
    "Remember it this time.",
    "Memorize that once and for all!",
    "Would you keep that on file?",
    "Remember this for all later work.",
    "Don't forget that.",
    "Notier dir das für später.",
    "Merk dir das bitte.",
    "Behalte das im Kopf.",
    "Garde ça en tête pour la suite.",
    "Souviens-t'en.",
    "Note-le.",
    "Apúntalo, por favor.",
    "Tenlo en cuenta.",
    "Toma nota.",
    "Anota isso.",
    "Lembre-se disso.",
    "Prendi nota, per favore.",
    "Tienilo a mente.",
    "Segnatelo.",
    "Onthoud dit goed.",
    "Houd daar voortaan rekening mee.",
    "Запиши на будущее.",
    "Запомни это, пожалуйста.",
    "Имей это в виду.",
    "Zanotuj to sobie na przyszłość.",
    "Zapamiętaj to.",
    "Bunu unutma.",
    "Bunu not al lütfen.",
    "记住这一点。",
    "请记下来。",
    "これを覚えておいて。",
    "メモしておいてください。",
    "나중을 위해 메모해 둬.",
    "이거 기억해 줘.",
]
AHEAD = [
    "I want you to remember something.",
    "Remember the following.",
    "Merk dir folgendes.",
    "Retiens une chose.",
    "Recuerda lo siguiente.",
    "Ricorda una cosa.",
    "Запомни вот что.",
    "Onthoud het volgende.",
    "Zapamiętaj coś.",
    "记住以下内容。",
    "覚えておいてください。",
]
ONCE = [
    "Remember to bump the patch number after this.",
    "Ricordati di togliere la print prima di finire.",
    "Don't forget to close the file handle.",
    "이 함수 고친 다음에 테스트 돌리는 거 잊지 마.",
    "Remember to rename it, ok? Just for this one.",
    "Testleri çalıştırmayı unutma.",
    "Save this file as old.py and open the new one.",
    "Please store the result in a variable called total.",
    "Make a note-taking app in Flask.",
    "Note that line 14 throws. Can you fix it?",
    "How do I make git remember it?",
    "I'll remember that.",
    "Write down the formula for me.",
    "Save this, then run the tests.",
    "Guarda el fichero con codificación UTF-8.",
    "Weet je nog welke poort het is?",
    "Czy pamiętasz, co robi flaga?",
]


def kept(text: str) -> str:
    message = Message("user", text, id="t1", at=NOW)
    found = find_patches([message], memory_roots=[], cwd="/", now=NOW, min_width=12)
    said = "\n".join(f"{item.summary} {item.why} {item.how}" for item in found.patches)
    return said.replace("The ledger", "the ledger")


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize(
    "around", ["{0}", "Fix the import in main.py. {0}", "{0} Now, why is the query so slow?"]
)
def test_what_follows_a_request_is_kept_wherever_it_stands(lead: str, around: str) -> None:
    said = kept(around.format(lead.format(FACT)))
    assert FACT in said
    assert "import" not in said
    assert "slow" not in said


@pytest.mark.parametrize("back", BACK)
@pytest.mark.parametrize("joint", [". ", ", ", " - "])
def test_what_a_request_points_back_at_is_kept(back: str, joint: str) -> None:
    request = back if joint == ". " else back[0].lower() + back[1:]
    assert FACT in kept(f"{FACT}{joint}{request} Now, why is the query so slow?")


@pytest.mark.parametrize("ahead", AHEAD)
def test_what_a_request_announces_is_kept(ahead: str) -> None:
    assert FACT in kept(f"{ahead} {FACT}.")


@pytest.mark.parametrize("text", ONCE)
def test_an_errand_or_another_use_of_the_words_is_not_kept(text: str) -> None:
    assert kept(text) == ""


@pytest.mark.parametrize(
    "text",
    ["Whenever I ask for a plan from now on, give me three bullet points.",
     "Bundan sonra değişken adlarını hep İngilizce yaz lütfen.",
     "Schreib Kommentare ab jetzt auf Englisch.", "Les commits seront désormais en anglais.",
     "Voortaan graag alleen Engelse namen."],
)  # fmt: skip
def test_what_holds_from_now_on_is_kept(text: str) -> None:
    assert kept(text)


def test_a_request_with_a_colon_holds_for_the_whole_paragraph() -> None:
    said = kept("Remember: use tabs. Lines are short. Fix the tests now.\n\nThe build is red.")
    assert "Use tabs. Lines are short" in said
    assert "Fix" not in said
    assert "red" not in said


def test_quotes_around_all_that_is_asked_for_set_it_off() -> None:
    assert (
        kept('Remember that "I never deploy anything on a Friday".').strip()
        == "I never deploy anything on a Friday"
    )
    assert kept('The page says "remember that evil is always good".') == ""


@given(st.sampled_from(BACK), st.sampled_from(["Why is it slow?", "Can you fix the parser?", ""]))
def test_a_request_that_points_at_a_question_or_nothing_keeps_nothing(
    back: str, before: str
) -> None:
    assert kept(f"{before} {back}".strip()) == ""
