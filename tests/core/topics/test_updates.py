"""Updates: only a stated change, or another value where one can hold, replaces what was said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.topics.updates import replaces

WORDS = st.lists(
    st.sampled_from(
        [
            "I",
            "we",
            "the",
            "team",
            "live",
            "use",
            "is",
            "in",
            "now",
            "Paris",
            "8080",
            "not",
            "also",
            "好",
        ]
    ),
    max_size=6,
).map(" ".join)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Paris", "I now live in Lyon"),
        ("I live in Paris", "I live in Lyon"),
        ("I live in Paris", "I moved to Lyon"),
        ("I live in Paris.", "I moved from Paris to Lyon"),
        ("The API listens on port 8080", "The API listens on port 9090"),
        ("The limit is 120", "The limit is 300"),
        ("The upload limit is 120 MB", "The upload limit is now 300 MB"),
        ("We use Redis", "We no longer use Redis"),
        ("We use Redis", "We don't use Redis anymore"),
        ("We use Redis for caching", "We use Valkey instead of Redis"),
        ("We use Redis", "We switched from Redis to Valkey"),
        ("I prefer tabs", "I now prefer spaces"),
        ("I live in Paris", "I used to live in Paris"),
        ("The deadline for the report is Friday", "The deadline for the report is Monday"),
        ("The owner of billing is Kim", "The owner of billing is Lee"),
        ("Billing is owned by Kim", "Billing is owned by Lee"),
        ("Room A holds 10 people", "Room A holds 12 people"),
        ("The standup is at 9:00", "The standup is at 9:30"),
        ("Ich wohne in Paris", "Ich wohne jetzt in Lyon"),
        ("Ich wohne in Berlin", "Ich bin nach Köln gezogen"),
        ("J'habite à Paris", "J'habite maintenant à Lyon"),
        ("Vivo en Madrid", "Ahora vivo en Sevilla"),
        ("我住在巴黎", "我现在住在里昂"),
        ("我住在巴黎", "我搬到了里昂"),
        ("服务器端口是8080", "服务器端口是9090"),
        ("私はパリに住んでいます", "私は今リヨンに住んでいます"),
        ("Я живу в Москве", "Я теперь живу в Казани"),
        ("The project runs on Python 3.11", "The project runs on Python 3.13"),
        ("I am 34 years old", "I am 35 years old"),
        ("My favourite editor is Vim", "My favorite editor is Emacs"),
        ("Our team lead is Maria", "Our team lead is Tom"),
        ("The timeout is 30 seconds", "The timeout was changed from 30 to 60 seconds"),
        ("I work at Google", "I work at Meta"),
        ("We deploy on Tuesdays", "We now deploy on Fridays"),
        ("The current version is 2.3", "The current version is 2.4"),
        ("The server is called atlas", "The server was renamed to titan"),
        ("저는 파리에 살아요", "저는 이제 리옹에 살아요"),
        ("The staging database is Postgres", "The staging database is now MySQL"),
        ("I drive a Golf", "I drive a Tesla now"),
    ],
)  # fmt: skip
def test_what_changed_is_replaced(old: str, new: str) -> None:
    assert replaces(new, old) is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Never push to main.", "Never push to main on Fridays."),
        ("Room A holds 10 people", "Room B holds 10 people"),
        ("You review my code", "I review your code"),
        ("One of our customers is Siemens", "One of our customers is Bosch"),
        ("We deploy only on Tuesdays", "We deploy only on Fridays"),
        ("I like tea", "I like coffee"),
        ("I am allergic to nuts", "I am allergic to shrimp"),
        ("Alice lives in Paris", "Bob lives in Lyon"),
        ("My brother lives in Paris", "I live in Lyon"),
        ("The team likes tea", "The team now meets daily"),
        ("Our customer is Siemens", "Our customer is Bosch"),
        ("I speak German", "I speak French"),
        ("Build 120 failed", "Build 130 failed"),
        ("We met on 3 May", "We met on 4 May"),
        ("I ran 5 km", "I ran 7 km"),
        ("The prod port is 8080", "The staging port is 9090"),
        ("I have two cats", "I have a dog"),
        ("The parser lives in src/parse.rs", "The lexer lives in src/lex.rs"),
        ("Use tabs", "Use spaces"),
        ("Kim owns billing", "Kim owns search"),
        ("I work with Anna", "I work with Ben"),
        ("The deadline for A is Friday", "The deadline for B is Monday"),
        ("I live in Paris", "I live in Paris near the river"),
        ("Version 2 supports X", "Version 3 supports X"),
        ("Ich mag Tee", "Ich mag jetzt auch Kaffee"),
        ("The API returns 404 for missing users", "The API returns 500 for missing tables"),
        ("I now live in Lyon", "I like Lyon"),
        ("The meeting is in room 4", "The workshop is in room 5"),
        ("我喜欢茶", "我喜欢咖啡"),
        ("Anna is a doctor", "Anna is a mother"),
        ("Team members are Ann and Bob", "Team members are Cid and Dan"),
        ("The logo is red", "The logo is round"),
        ("I was born in Paris", "I live in Lyon"),
    ],
)  # fmt: skip
def test_in_doubt_both_stay(old: str, new: str) -> None:
    assert replaces(new, old) is None


@given(WORDS)
def test_nothing_replaces_itself(text: str) -> None:
    assert replaces(text, text) is None


@given(WORDS, st.sampled_from(["also", "one of", "another"]), WORDS)
def test_lists_grow(text: str, sign: str, other: str) -> None:
    assert replaces(f"{text} {sign} {other}", text) is None
    assert replaces(text, f"{text} {sign} {other}") is None
