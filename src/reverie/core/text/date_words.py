"""Words for days, weeks and counts in the languages whose relative dates we understand.

Latin, Cyrillic and Hangul words are matched whole, without regard to case; Chinese and Japanese ones
as they stand. A word that also means something else (Spanish `mañana`, German `Morgen`) is listed
with what must not stand before it.
"""

from __future__ import annotations

from typing import Final

# How many days from the day of speaking.
DAYS: Final[dict[str, int]] = {
    "the day before yesterday": -2, "yesterday": -1, "today": 0, "tonight": 0, "this morning": 0,
    "this afternoon": 0, "this evening": 0, "tomorrow": 1, "the day after tomorrow": 2,
    "vorgestern": -2, "gestern": -1, "heute": 0, "morgen": 1, "übermorgen": 2,
    "avant-hier": -2, "hier": -1, "aujourd'hui": 0, "aujourd’hui": 0, "demain": 1, "après-demain": 2,
    "anteayer": -2, "ayer": -1, "hoy": 0, "mañana": 1, "pasado mañana": 2,
    "anteontem": -2, "ontem": -1, "hoje": 0, "amanhã": 1, "depois de amanhã": 2,
    "l'altro ieri": -2, "ieri": -1, "oggi": 0, "domani": 1, "dopodomani": 2,
    "eergisteren": -2, "gisteren": -1, "vandaag": 0, "overmorgen": 2,
    "позавчера": -2, "вчера": -1, "сегодня": 0, "завтра": 1, "послезавтра": 2,
    "그저께": -2, "어제": -1, "오늘": 0, "내일": 1, "모레": 2,
}  # fmt: skip

CJK_DAYS: Final[dict[str, int]] = {
    "前天": -2, "昨天": -1, "今天": 0, "今日": 0, "今晚": 0, "明天": 1, "明日": 1, "后天": 2, "後天": 2,
    "一昨日": -2, "昨日": -1, "本日": 0, "明後日": 2, "きのう": -1, "あした": 1, "あさって": 2,
}  # fmt: skip

# What turns a day word into something else when it stands before it.
NOT_AFTER: Final[dict[str, str]] = {
    "mañana": r"(?:por|de|en|a|cada|esta|la)\s+(?:la\s+)?",
    "morgen": r"(?:guten|am|jeden|goede|guter)\s+",
    "hier": r"(?:ist|sind|von|und|steht|gibt|bis)\s+",
}

# Monday is 0.
WEEKDAYS: Final[dict[str, int]] = {
    name: number
    for number, names in enumerate(
        (
            "monday montag lundi lunes segunda-feira lunedì lunedi maandag понедельник понедельника 월요일",
            "tuesday dienstag mardi martes terça-feira martedì martedi dinsdag вторник вторника 화요일",
            "wednesday mittwoch mercredi miércoles miercoles quarta-feira mercoledì mercoledi woensdag"
            " среда среду среды 수요일",
            "thursday donnerstag jeudi jueves quinta-feira giovedì giovedi donderdag четверг четверга 목요일",
            "friday freitag vendredi viernes sexta-feira venerdì venerdi vrijdag пятница пятницу пятницы"
            " 금요일",
            "saturday samstag samedi sábado sabado sabato zaterdag суббота субботу субботы 토요일",
            "sunday sonntag dimanche domingo domenica zondag воскресенье воскресенья 일요일",
        )
    )
    for name in names.split()
}
CJK_WEEKDAYS: Final[dict[str, int]] = {
    "一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6,
    "月": 0, "火": 1, "水": 2, "木": 3, "金": 4, "土": 5,
}  # fmt: skip

# A named stretch of time: which unit, how many units from now.
PERIODS: Final[dict[str, tuple[str, int]]] = {
    "last week": ("week", -1), "this week": ("week", 0), "next week": ("week", 1),
    "last month": ("month", -1), "this month": ("month", 0), "next month": ("month", 1),
    "last quarter": ("quarter", -1), "this quarter": ("quarter", 0), "next quarter": ("quarter", 1),
    "last year": ("year", -1), "this year": ("year", 0), "next year": ("year", 1),
    "letzte woche": ("week", -1), "letzter woche": ("week", -1), "vorige woche": ("week", -1),
    "voriger woche": ("week", -1), "vorigen monat": ("month", -1), "diese woche": ("week", 0),
    "dieser woche": ("week", 0), "nächste woche": ("week", 1), "nächster woche": ("week", 1),
    "kommende woche": ("week", 1), "letzten monat": ("month", -1), "diesen monat": ("month", 0),
    "nächsten monat": ("month", 1), "nächster monat": ("month", 1), "letztes quartal": ("quarter", -1),
    "nächstes quartal": ("quarter", 1), "letztes jahr": ("year", -1), "dieses jahr": ("year", 0),
    "nächstes jahr": ("year", 1),
    "la semaine dernière": ("week", -1), "cette semaine": ("week", 0),
    "la semaine prochaine": ("week", 1), "le mois dernier": ("month", -1), "ce mois-ci": ("month", 0),
    "le mois prochain": ("month", 1), "le trimestre dernier": ("quarter", -1),
    "le trimestre prochain": ("quarter", 1), "l'année dernière": ("year", -1),
    "cette année": ("year", 0), "l'année prochaine": ("year", 1), "l’année prochaine": ("year", 1),
    "la semana pasada": ("week", -1), "esta semana": ("week", 0), "la próxima semana": ("week", 1),
    "la semana que viene": ("week", 1), "el mes pasado": ("month", -1), "este mes": ("month", 0),
    "el próximo mes": ("month", 1), "el mes que viene": ("month", 1), "el año pasado": ("year", -1),
    "este año": ("year", 0), "el próximo año": ("year", 1), "el año que viene": ("year", 1),
    "el trimestre pasado": ("quarter", -1), "el próximo trimestre": ("quarter", 1),
    "semana passada": ("week", -1), "próxima semana": ("week", 1), "semana que vem": ("week", 1),
    "mês passado": ("month", -1), "próximo mês": ("month", 1), "mês que vem": ("month", 1),
    "ano passado": ("year", -1), "próximo ano": ("year", 1), "ano que vem": ("year", 1),
    "la settimana scorsa": ("week", -1), "questa settimana": ("week", 0),
    "la settimana prossima": ("week", 1), "la prossima settimana": ("week", 1),
    "il mese scorso": ("month", -1), "il mese prossimo": ("month", 1), "l'anno prossimo": ("year", 1),
    "vorige week": ("week", -1), "deze week": ("week", 0), "volgende week": ("week", 1),
    "volgende maand": ("month", 1), "volgend jaar": ("year", 1),
    "на прошлой неделе": ("week", -1), "на этой неделе": ("week", 0),
    "на следующей неделе": ("week", 1), "в прошлом месяце": ("month", -1),
    "в этом месяце": ("month", 0), "в следующем месяце": ("month", 1),
    "в прошлом квартале": ("quarter", -1), "в этом квартале": ("quarter", 0),
    "в следующем квартале": ("quarter", 1), "в прошлом году": ("year", -1), "в этом году": ("year", 0),
    "в следующем году": ("year", 1),
    "지난주": ("week", -1), "이번 주": ("week", 0), "다음 주": ("week", 1), "다음주": ("week", 1),
    "지난달": ("month", -1), "이번 달": ("month", 0), "다음 달": ("month", 1), "다음달": ("month", 1),
    "작년": ("year", -1), "올해": ("year", 0), "내년": ("year", 1),
}  # fmt: skip

CJK_PERIODS: Final[dict[str, tuple[str, int]]] = {
    "上周": ("week", -1), "上週": ("week", -1), "上星期": ("week", -1), "本周": ("week", 0),
    "这周": ("week", 0), "這週": ("week", 0), "本週": ("week", 0), "下周": ("week", 1),
    "下週": ("week", 1), "下星期": ("week", 1), "下下周": ("week", 2), "上个月": ("month", -1),
    "上個月": ("month", -1), "本月": ("month", 0), "这个月": ("month", 0), "這個月": ("month", 0),
    "下个月": ("month", 1), "下個月": ("month", 1), "上季度": ("quarter", -1), "上个季度": ("quarter", -1),
    "本季度": ("quarter", 0), "下季度": ("quarter", 1), "下个季度": ("quarter", 1), "去年": ("year", -1),
    "今年": ("year", 0), "明年": ("year", 1), "先週": ("week", -1), "今週": ("week", 0),
    "来週": ("week", 1), "再来週": ("week", 2), "先月": ("month", -1), "今月": ("month", 0),
    "来月": ("month", 1), "昨年": ("year", -1), "来年": ("year", 1),
}  # fmt: skip

UNITS: Final[dict[str, str]] = {
    name: unit
    for unit, names in {
        "day": "day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen день дня дней",
        "week": "week weeks woche wochen semaine semaines semana semanas settimana settimane weken"
        " неделю недели недель неделя",
        "month": "month months monat monate monaten mois mes meses mês mese mesi maand maanden"
        " месяц месяца месяцев",
        "year": "year years jahr jahre jahren an ans año años ano anos anno anni jaar год года лет",
    }.items()
    for name in names.split()
}
CJK_UNITS: Final[dict[str, str]] = {
    "天": "day", "日": "day", "周": "week", "週": "week", "週間": "week", "星期": "week", "个星期": "week",
    "个月": "month", "個月": "month", "か月": "month", "ヶ月": "month", "カ月": "month", "年": "year",
}  # fmt: skip
HANGUL_UNITS: Final[dict[str, str]] = {
    "일": "day", "주": "week", "주일": "week", "개월": "month", "년": "year",
}  # fmt: skip

NUMBERS: Final[dict[str, int]] = {
    name: number
    for names, number in (
        ("a an one ein eine einem einer einen un une una um uma uno een один одну одного", 1),
        ("two zwei deux dos dois duas due twee два две двух", 2),
        ("three drei trois tres três tre drie три трёх трех", 3),
        ("four vier quatre cuatro quatro quattro четыре", 4),
        ("five fünf cinq cinco cinque vijf пять", 5),
        ("six sechs seis sei zes шесть", 6),
        ("seven sieben sept siete sete sette zeven семь", 7),
        ("eight acht huit ocho oito otto восемь", 8),
        ("nine neun neuf nueve nove negen девять", 9),
        ("ten zehn dix diez dez dieci tien десять", 10),
        ("twelve zwölf douze doce doze dodici twaalf двенадцать", 12),
    )
    for name in names.split()
}
CJK_NUMBERS: Final[dict[str, int]] = {
    "一": 1, "两": 2, "兩": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "十": 10, "半": 0,
}  # fmt: skip

# Words that say a thing happens again and again: then a weekday is no date.
RECURRING: Final = (
    r"\b(?:every|each|always|never|usually|weekly|daily|monthly|often|regularly|any|no|whenever|"
    r"jeden|jede|jedes|immer|nie|niemals|wöchentlich|kein|keine|keinen|"
    r"chaque|tous|toutes|toujours|jamais|cada|todos|todas|siempre|nunca|ningún|sempre|mai|ogni|"
    r"elke|altijd|nooit|кажд\w+|всегда|никогда|обычно)\b|每|总是|從不|从不|毎|いつも|必ず|매주|매일|항상|절대"
)

# Words that say a date is meant: something is due, ships, starts, ends.
EVENT = (
    r"\b(?:due|deadlines?|releas\w+|ship(?:s|ped|ping)?|launch\w*|expir\w+|ends?|ending|starts?|starting|"
    r"begins?|will|going to|gonna|freez\w+|frozen|cut(?:s|ting)?|migrat\w+|deploy\w*|demo|audit|meeting|"
    r"review|planned|scheduled|plan|goes? live|go-live|delivery|submit\w*|leav\w+|mov\w+|switch\w*|"
    r"finish\w*|done|ready|must|need\w*|have to|fällig|frist|wird|werden|veröffentlich\w+|endet|beginnt|"
    r"fertig|abgabe|muss|müssen|geplant|livraison|échéance|sortie|sera|serons|livrer|prévu\w*|"
    r"doit|devons|entrega|vence|lanzamiento|lanzamos|será|debe|plazo|prazo|lançamento|scadenza|rilascio|"
    r"срок|релиз\w*|выпус\w+|будет|дедлайн\w*|нужно|должн\w+|заверш\w+)\b"
)
