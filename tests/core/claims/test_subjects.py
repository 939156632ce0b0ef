"""Whatever is said of one thing never takes the place of what was said of another."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.claims.judgement import replaces

# What may be spoken of, what may be said of it, and values, in one language each.
LANGUAGES: list[tuple[list[str], list[str], list[str]]] = [
    (
        ["My brother", "My sister", "Tom", "The sales team", "The dev team", "Server A", "Server B",
         "Room 4", "Room 5", "Our staging cluster", "Our production cluster", "The Oslo office",
         "Gate 12", "Gate 14", "Sprint 3", "Sprint 4", "Team 1's build", "Team 2's build"],
        ["{s} lives in {v}.", "{s} is now in {v}.", "{s} uses {v}.", "{s}'s owner is {v}.",
         "{s} moved to {v}.", "{s} runs on {v}.", "{s} was renamed to {v}.", "{s} no longer uses {v}.",
         "{s} switched from {v} to Kafka.", "{s} costs {v} now.", "{s} belongs to {v}."],
        ["Paris", "London", "Redis", "Anna", "8080", "9090", "40 euros"],
    ),
    (
        ["Mein Bruder", "Meine Schwester", "Der Vertrieb", "Server A", "Server B", "Raum 4", "Raum 5",
         "Das alte Büro", "Team 1", "Team 2"],
        ["{s} wohnt in {v}.", "{s} ist jetzt in {v}.", "{s} nutzt {v}.", "{s} läuft auf {v}.",
         "{s} heißt jetzt {v}.", "{s} nutzt {v} nicht mehr.", "{s} ist nach {v} umgezogen."],
        ["Paris", "London", "Redis", "Anna", "8080", "9090"],
    ),
    (
        ["Mon frère", "Ma sœur", "Le serveur A", "Le serveur B", "La salle 4", "La salle 5"],
        ["{s} habite à {v}.", "{s} utilise {v}.", "{s} est maintenant à {v}.", "{s} s'appelle {v}.",
         "{s} n'utilise plus {v}.", "{s} est passé de {v} à Kafka."],
        ["Paris", "Londres", "Redis", "8080", "9090"],
    ),
    (
        ["Mi hermano", "Mi hermana", "El servidor A", "El servidor B", "La sala 4", "La sala 5"],
        ["{s} vive en {v}.", "{s} usa {v}.", "{s} ahora está en {v}.", "{s} se llama {v}.",
         "{s} ya no usa {v}."],
        ["París", "Londres", "Redis", "8080", "9090"],
    ),
    (
        ["Мой брат", "Моя сестра", "Сервер А", "Сервер Б", "Комната 4", "Комната 5"],
        ["{s} живёт в {v}.", "{s} использует {v}.", "{s} теперь в {v}.", "{s} больше не использует {v}."],
        ["Париж", "Лондон", "Redis", "8080"],
    ),
    (
        ["私の兄", "私の姉", "母", "父", "弟の会社", "開発チーム", "営業部", "本社", "支社", "第一会議室",
         "第二会議室", "私の猫", "サーバーA", "サーバーB"],
        ["{s}は{v}に住んでいます。", "{s}は{v}です。", "{s}の担当は{v}です。", "{s}は{v}を使っています。",
         "{s}は今{v}にあります。", "{s}が{v}に変わりました。", "{s}は{v}に引っ越しました。"],
        ["東京", "京都", "奈良", "京橋", "佐藤", "月曜日", "Redis", "東京都"],
    ),
    (
        ["我哥哥", "我姐姐", "我妈", "他的公司", "开发组", "市场部", "总部", "分公司", "一号会议室",
         "二号会议室", "服务器A", "服务器B"],
        ["{s}住在{v}。", "{s}是{v}。", "{s}的负责人是{v}。", "{s}用{v}。", "{s}现在在{v}。",
         "{s}改成{v}了。", "{s}搬到{v}了。", "{s}不再用{v}。"],
        ["北京", "南京", "东京", "京城", "李娜", "周一", "Redis"],
    ),
    (
        ["제 형은", "제 누나는", "어머니는", "개발팀은", "영업팀은", "서버 A는", "서버 B는", "제 형이",
         "제 누나가", "본사는", "지사는"],
        ["{s} {v}에 살아요.", "{s} {v}입니다.", "{s} {v}를 사용해요.", "{s} 이제 {v}에 있어요."],
        ["서울", "부산", "대구", "월요일", "레디스"],
    ),
]  # fmt: skip


def _core(subject: str) -> str:
    """Leave out what only marks a subject: `제 형은` and `제 형이` are one."""
    return subject.rstrip("은는이가")


@given(st.data())
@settings(max_examples=1500)
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
