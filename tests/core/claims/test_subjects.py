"""Whatever is said of one thing never takes the place of what was said of another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.claims.judgement import replaces
from tests.examples import examples

# What may be spoken of, what may be said of it, and values, in one language each.
LANGUAGES: list[tuple[list[str], list[str], list[str]]] = [
    (
        ["My brother", "My sister", "Tom", "The sales team", "The dev team", "Server A", "Server B",
         "Room 4", "Room 5", "Our staging cluster", "Our production cluster", "The Oslo office",
         "Gate 12", "Gate 14", "Sprint 3", "Sprint 4", "Team 1's build", "Team 2's build"],
        ["{s} lives in {v}.", "{s} is now in {v}.", "{s} uses {v}.", "{s}'s owner is {v}.",
         "{s} moved to {v}.", "{s} runs on {v}.", "{s} was renamed to {v}.", "{s} no longer uses {v}.",
         "{s} switched from {v} to Kafka.", "{s} costs {v} now.", "{s} belongs to {v}.",
         "{s} left {v} and joined Kafka.", "{s} sold {v}.", "{s} got rid of {v}.", "{s} was upgraded to {v}.",
         "{s} was raised to {v}.", "{s} replaced {v} with Kafka.", "Actually, {s} is in {v}.",
         "{s} gave up {v}.",
         "Correction: {s} uses {v}.", "{s} uses {v}, not Kafka.", "{s} took over {v} from Kafka."],
        ["Paris", "London", "Redis", "Anna", "8080", "9090", "40 euros"],
    ),
    (
        ["Mein Bruder", "Meine Schwester", "Der Vertrieb", "Server A", "Server B", "Raum 4", "Raum 5",
         "Das alte Büro", "Team 1", "Team 2"],
        ["{s} wohnt in {v}.", "{s} ist jetzt in {v}.", "{s} nutzt {v}.", "{s} läuft auf {v}.",
         "{s} heißt jetzt {v}.", "{s} nutzt {v} nicht mehr.", "{s} ist nach {v} umgezogen.",
         "{s} hat {v} verlassen.", "{s} hat {v} verkauft.", "{s} wurde auf {v} aktualisiert.",
         "{s} hat {v} durch Kafka ersetzt.", "Korrektur: {s} nutzt {v}.", "{s} nutzt {v}, nicht Kafka."],
        ["Paris", "London", "Redis", "Anna", "8080", "9090"],
    ),
    (
        ["Mon frère", "Ma sœur", "Le serveur A", "Le serveur B", "La salle 4", "La salle 5"],
        ["{s} habite à {v}.", "{s} utilise {v}.", "{s} est maintenant à {v}.", "{s} s'appelle {v}.",
         "{s} n'utilise plus {v}.", "{s} est passé de {v} à Kafka.", "{s} a quitté {v}.", "{s} a vendu {v}.",
         "{s} a remplacé {v} par Kafka.", "En fait, {s} utilise {v}.", "{s} a été porté à {v}."],
        ["Paris", "Londres", "Redis", "8080", "9090"],
    ),
    (
        ["Mi hermano", "Mi hermana", "El servidor A", "El servidor B", "La sala 4", "La sala 5"],
        ["{s} vive en {v}.", "{s} usa {v}.", "{s} ahora está en {v}.", "{s} se llama {v}.",
         "{s} ya no usa {v}.", "{s} dejó {v}.", "{s} ha vendido {v}.", "{s} ha subido a {v}.",
         "{s} cambió {v} por Kafka.", "En realidad {s} usa {v}."],
        ["París", "Londres", "Redis", "8080", "9090"],
    ),
    (
        ["Мой брат", "Моя сестра", "Сервер А", "Сервер Б", "Комната 4", "Комната 5"],
        ["{s} живёт в {v}.", "{s} использует {v}.", "{s} теперь в {v}.", "{s} больше не использует {v}.",
         "{s} переехал в {v}.", "{s} заменил {v} на Kafka.", "{s} бросил {v}.", "Поправка: {s} в {v}."],
        ["Париж", "Лондон", "Redis", "8080"],
    ),
    (
        ["私の兄", "私の姉", "母", "父", "弟の会社", "開発チーム", "営業部", "本社", "支社", "第一会議室",
         "第二会議室", "私の猫", "サーバーA", "サーバーB"],
        ["{s}は{v}に住んでいます。", "{s}は{v}です。", "{s}の担当は{v}です。", "{s}は{v}を使っています。",
         "{s}は{v}をやめました。", "{s}は{v}から大阪に移転しました。", "訂正：{s}は{v}です。",
         "{s}は今{v}にあります。", "{s}が{v}に変わりました。", "{s}は{v}に引っ越しました。"],
        ["東京", "京都", "奈良", "京橋", "佐藤", "月曜日", "Redis", "東京都"],
    ),
    (
        ["我哥哥", "我姐姐", "我妈", "他的公司", "开发组", "市场部", "总部", "分公司", "一号会议室",
         "二号会议室", "服务器A", "服务器B"],
        ["{s}住在{v}。", "{s}是{v}。", "{s}的负责人是{v}。", "{s}用{v}。", "{s}现在在{v}。",
         "{s}离开{v}了。", "{s}从{v}换成Kafka了。", "更正：{s}在{v}。", "{s}不用{v}了。",
         "{s}改成{v}了。", "{s}搬到{v}了。", "{s}不再用{v}。"],
        ["北京", "南京", "东京", "京城", "李娜", "周一", "Redis"],
    ),
    (
        ["제 형은", "제 누나는", "어머니는", "개발팀은", "영업팀은", "서버 A는", "서버 B는", "제 형이",
         "제 누나가", "본사는", "지사는"],
        ["{s} {v}에 살아요.", "{s} {v}입니다.", "{s} {v}를 사용해요.", "{s} 이제 {v}에 있어요.",
         "{s} {v}를 그만뒀어요.", "{s} {v}에서 대전으로 이사했어요.", "{s} {v} 대신 카프카를 써요."],
        ["서울", "부산", "대구", "월요일", "레디스"],
    ),
]  # fmt: skip


def _core(subject: str) -> str:
    """Leave out what only marks a subject: `제 형은` and `제 형이` are one."""
    return subject.rstrip("은는이가")


@given(st.data())
@settings(max_examples=examples(2500))
def test_a_statement_about_another_subject_replaces_nothing(data: st.DataObject) -> None:
    subjects, forms, values = data.draw(st.sampled_from(LANGUAGES))
    one, two = data.draw(
        st.tuples(st.sampled_from(subjects), st.sampled_from(subjects)).filter(
            lambda pair: _core(pair[0]) != _core(pair[1])
        )
    )
    old, new = (
        data.draw(st.sampled_from(forms)).format(s=name, v=data.draw(st.sampled_from(values)))
        for name in (one, two)
    )
    assert replaces(new, old) is None


# What I say of myself, and what happened to somebody else.
MINE = [
    "I live in Paris.",
    "I work at Bosch.",
    "I drive a Golf.",
    "I'm vegetarian.",
    "I'm single.",
    "I smoke.",
    "I use Redis.",
    "We use Redis.",
    "My phone is a Pixel 6.",
    "My dentist is Dr. Falk.",
    "I'm looking for a job.",
    "I live with my parents.",
    "I'm pregnant.",
    "I study at MIT.",
    "Ich wohne in Köln.",
    "Ich arbeite bei Bosch.",
    "Ich rauche.",
    "J'habite à Metz.",
    "Je travaille chez Orange.",
    "Je suis célibataire.",
    "Vivo en Cádiz.",
    "Trabajo en Iberia.",
    "Soy vegetariano.",
    "Abito a Torino.",
    "Moro em Braga.",
    "Я живу в Казани.",
    "Я курю.",
    "Mieszkam w Krakowie.",
    "Ik woon in Utrecht.",
    "我住在杭州。",
    "我在腾讯上班。",
    "我单身。",
    "大阪に住んでいます。",
    "トヨタで働いています。",
    "저는 부산에 살아요.",
    "Ankara'da oturuyorum.",
    "Bekârım.",
]
THEIRS = [
    "My brother moved to Lyon.",
    "Tom left Bosch and joined Nokia.",
    "She sold the Golf.",
    "My sister eats meat again.",
    "My cousin got married.",
    "My father quit smoking.",
    "Their team replaced Redis with Kafka.",
    "My son replaced his Pixel 6 with an iPhone 15.",
    "My colleague got a new job at Siemens.",
    "Anna graduated from MIT.",
    "My neighbour switched dentists; it's Dr. Amin now.",
    "My friend gave birth.",
    "Mein Bruder ist nach Bonn gezogen.",
    "Meine Schwester hat Bosch verlassen.",
    "Mon frère a déménagé à Nancy.",
    "Ma sœur a quitté Orange.",
    "Mi hermano se ha mudado a Huelva.",
    "Mi hermana dejó Iberia.",
    "Mio fratello si è trasferito a Pisa.",
    "Meu irmão mudou-se para o Porto.",
    "Мой брат переехал в Москву.",
    "Мой брат бросил курить.",
    "Mój brat przeprowadził się do Gdańska.",
    "Mijn broer is verhuisd naar Leiden.",
    "我弟弟搬到武汉了。",
    "我姐姐跳槽到小米了。",
    "我哥哥结婚了。",
    "弟は福岡に引っ越しました。",
    "姉はホンダに転職しました。",
    "제 동생은 대구로 이사했어요.",
    "Kardeşim Bursa'ya taşındı.",
    "I want to move to Lyon.",
    "I may quit smoking one day.",
    "We're thinking about replacing Redis.",
    "Should I leave Bosch?",
    "I will get married next year.",
]


@pytest.mark.parametrize("theirs", THEIRS)
def test_what_happens_to_others_or_is_only_planned_ends_nothing_of_mine(theirs: str) -> None:
    for mine in MINE:
        assert replaces(theirs, mine) is None, mine
        assert replaces(mine, theirs) is None, mine
