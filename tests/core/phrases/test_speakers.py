"""Who speaks of whom, and whose memory that makes it inside a project."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest

from reverie.core.learning.statements import read_statement
from reverie.core.phrases.speakers import divides_work, for_others, says_i
from reverie.core.topics.remember import read_memo
from reverie.types import Scope

OF_THE_PROJECT = [
    "Tom and I share the on-call, he does weekends",
    "I own the billing service, Rachel owns the gateway",
    "I wrote the retry logic in the uploader, please keep it",
    "Dana reviews the migrations and I review everything else",
    "Maria handles the designs, Leo the copy and I ship it",
    "Always keep error messages under 80 characters",
    "write release notes in plain English for customers",
    "Answer customer emails in a polite tone",
    "no jargon in the onboarding docs",
    "Use a friendly tone in the app's texts",
    "Never use emojis in commit messages of the public repo",
    "bullet points only in the status page updates",
    "i file di configurazione sono in conf/",
    "i ticket vanno chiusi entro venerdì",
    "backend i frontend mają osobne pipeline'y",
    "testy i lint działają w CI",
    "i dati vengono salvati ogni ora",
    "lint i testovi idu u CI",
    "the docs are written by Ines and me, she does the tutorials",
    "I'm in charge of the payments module in this project",
    "Ik doe de backend en Lisa de frontend",
    "Ich kümmere mich um das Backend, Jana um das Frontend",
    "je m'occupe du backend et Luc du frontend",
    "yo llevo el backend y Marta el frontend",
    "io faccio il backend e Paolo il frontend",
    "Я занимаюсь бэкендом, а Олег фронтендом",
    "我负责后端，小李负责前端",
    "私はバックエンド担当、田中さんはフロントエンド担当です",
    "summaries in the weekly report must have three bullet points",
    "respond to pull requests within a day",
    "reply to reviewers before merging",
    "the release notes must be brief",
    "Priya and me look after the importer, she's on it Mondays",
    "I take the frontend tickets, Omar takes the rest",
    "I rewrote the scheduler in Rust last month",
    "I manage the releases and Kofi the docs",
    "Yusuf writes the tests, I do the reviews",
    "keep tooltips short and friendly",
    "Don't be too formal in the newsletter",
    "log messages should be terse",
    "labels in the UI are always in sentence case",
    "i servizi girano su Kubernetes",
    "i branch si chiamano feature/nome",
    "kod i dokumentacja są w jednym repo",
    "Ich betreue die API, Sven die Datenbank",
    "je gère les déploiements, Inès la base de données",
    "Eu cuido do frontend e a Rita do backend",
    "Я отвечаю за релизы, Катя за тесты",
    "我做前端，老王做后端",
    "I hardcoded the timeout in the client, see the comment",
    "this repo is my side project",
]
OF_THE_PERSON = [
    "Ben öğrenciyim",
    "Ben doktorum",
    "eşim doktor",
    "Kızım sekiz yaşında",
    "أنا مهندس برمجيات",
    "اسمي ليلى",
    "أعيش في القاهرة",
    "أفضل الإجابات القصيرة",
    "زوجتي طبيبة",
    "عندي حساسية من الفول السوداني",
    "娘は八歳です",
    "夫はアレルギーがあります",
    "老婆对花生过敏",
    "我妈住在成都",
    "아내는 의사입니다",
    "i hate mornings",
    "i work as a nurse",
    "i never drink coffee",
    "ok so i live in Leeds",
    "I maintain a small vegetable garden",
    "I wrote a novel last year",
    "I own a house in Kent",
    "I review restaurants as a hobby",
    "I handle stress badly",
    "My wife and I split the housework",
    "Anna and I have two kids",
    "my brother does the cooking and I wash up",
    "Reply to me in Dutch",
    "Keep your summaries brief",
    "Write your answers in plain English",
    "I like release days",
    "your comments should be polite",
    "always respond in French",
    "I fixed my sleep by getting up at six",
    "I'm a backend developer on the payments team",
    "I work on the search team at Siemens",
    "i miei figli si chiamano Ugo e Lea",
    "Ho due figli",
    "mam dwoje dzieci i psa",
    "Mieszkam w Gdańsku i pracuję zdalnie",
    "jestem lekarzem i mieszkam w Łodzi",
    "Mijn dochter heet Fleur",
    "Meine Frau heißt Ute",
    "ma fille s'appelle Zoé",
    "мою жену зовут Ольга",
    "tengo dos hijos",
    "Tenho alergia a camarão",
    "I'm the only designer at my company",
    "i've got three kids and no time",
    "i dont eat meat",
    "i am left handed",
    "I take the bus to work",
    "I do yoga on Mondays",
    "I write poetry",
    "I run a bakery in Porto",
    "My boss reviews everything I write",
    "Rosa and I are getting married in June",
    "Ben 34 yaşındayım",
    "annem Ankara'da oturuyor",
    "أنا أم لطفلين",
    "أعمل من البيت",
    "母は大阪に住んでいます",
    "女儿今年上小学",
    "남편은 군인입니다",
    "я живу в Риге с моим братом",
    "Don't use jargon with me",
    "Answer in bullet points",
    "talk to me like I'm a beginner",
    "No emojis please",
    "always call me Dr. Stein",
    "I own two horses",
    "I built my own house",
    "I manage a hotel in Split",
    "i use arch linux btw",
    "I'd rather get short replies",
    "I speak Polish, my family is from Łódź",
    "i moved to Kraków last year",
    "Nie lubię kawy",
    "sono allergico alle fragole",
    "mi piace il jazz",
    "jestem z Krakowa i lubię góry",
]


@pytest.mark.parametrize("text", OF_THE_PROJECT)
def test_work_and_what_others_read_is_the_projects(text: str) -> None:
    assert read_memo(text).scope is Scope.PROJECT


@pytest.mark.parametrize("text", OF_THE_PERSON)
def test_what_somebody_is_has_or_likes_is_the_persons(text: str) -> None:
    assert read_memo(text).scope is Scope.USER


@pytest.mark.parametrize("text", OF_THE_PERSON)
def test_what_is_said_of_this_repository_is_never_the_persons(text: str) -> None:
    assert read_memo(f"in this repo: {text}").scope is Scope.PROJECT


def test_who_does_what_in_the_work_is_seen_whatever_the_names_and_parts() -> None:
    names = ("Ana", "Kofi", "Zoë", "Bartholomew")
    verbs = (("does", "do"), ("maintains", "maintain"), ("reviews", "review"))
    parts = ("the parser", "the docs", "our login service", "the mobile app")
    for name, (does, do), part in product(names, verbs, parts):
        assert divides_work(f"{name} {does} {part}, I {do} the rest")
        assert divides_work(f"I {do} {part} and {name} {does} everything else")
        assert divides_work(f"{name} and I share {part}")
        assert not divides_work(f"{name} {does} the cooking and I {do} the dishes")


def test_how_something_sounds_that_others_read_is_not_how_to_talk_to_the_person() -> None:
    for audience in ("customers", "release notes", "the changelog", "お客様", "客户"):
        assert for_others(f"no jargon: {audience}")
        assert not for_others(f"tell me about {audience} without jargon")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I live in Łódź", True),
        ("i speak Polish", True),
        ("I test falliscono quando manca la rete", False),
        ("backend i frontend są osobno", False),
        ("for (i = 0; i < 3; i++)", False),
        ("use -i to edit in place", False),
    ],
)
def test_a_small_letter_is_the_speaker_in_english_only(text: str, said: bool) -> None:
    assert says_i(text) is said


@pytest.mark.parametrize("text", [*OF_THE_PROJECT, *OF_THE_PERSON])
def test_learning_judges_whose_it_is_as_remember_does(text: str) -> None:
    statement = read_statement(f"Remember: {text}", on=date(2026, 3, 10))
    assert statement is not None
    memo = read_memo(statement.summary, kind=statement.kind)
    assert memo.scope is read_memo(text).scope
