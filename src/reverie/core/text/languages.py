"""Tell which language a text is in, from its function words, and stem it as that language does.

Rules:

* A language is named only where its small words or its own letters say so: at least two different words,
  no fewer than a tenth of all, and more than of any other language. A few keywords have no language.
* Only languages of the Latin script are told apart here. Other scripts have their stemmers by script, and
  English and German have theirs in `core.text.stems`; they are known here so as not to be taken for others.
* What is found by a language's stems comes on top of the terms that every text gets, under names of its
  own (`ro:copil`). So a text or a query whose language was not recognised is found as before.
"""

from __future__ import annotations

import re
from functools import lru_cache
from threading import local
from typing import TYPE_CHECKING, Final

from reverie.core.text.scripts import VIETNAMESE
from reverie.core.text.words import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ENGLISH", "is_word", "language_of", "own_stems", "slips"]

ENGLISH: Final = "en"

_FUNCTION_WORDS: Final = {
    ENGLISH: """the of and to in is that it was for on are with as at be this have from by not but what
        which who how when where why did does do his her its their were had has can will would i you my we""",
    "de": """der die das und ist nicht mit ein eine einen einem einer von zu auf für den dem des sich auch
        wie was wer wann wo warum welche welcher welches bei nach aus im am war wurde hat wird sind ich""",
    "fr": """le la les des et est une dans que qui pour pas sur au aux avec ce cette ces sont il elle ils
        nous vous du quel quelle quels quelles comment où était été ont par plus leur ses mes mon ma j'ai""",
    "es": """el la los las de y en que es un una por con para del se no lo como más su al qué quién cuál
        cómo cuándo dónde cuántos cuántas fue era son está están hay pero sus mi mis este esta""",
    "pt": """o os as de e em que é um uma por com para do da dos das no na nos nas se não como mais seu sua
        ao à qual quais quem quando onde quanto quantos foi são está estão mas meu minha este esta""",
    "it": """il lo gli le di e in che è un una per con non del della dei delle nel nella si come più su al
        alla quale quali chi cosa quando dove quanti quanto era sono stato ha hanno ma mio mia questo""",
    "nl": """de het een en van is dat niet op te met voor zijn aan er door ook als bij naar uit wat wie waar
        wanneer hoe welke werd waren heeft hebben worden ik je mijn deze dit om""",
    "ro": """și în de la care cu pe nu din este un o pentru că mai au fost sunt ce cine când unde cum cât
        câte câți câtor căror cărui prin lui al ale ai a se sau după către fi avea era acest eu mea""",
    "tr": """ve bir bu da de için ile olarak olan ne kim nerede nasıl hangi kaç mı mi mu mü gibi daha çok
        en o ama değil var yok sonra kadar tarafından zaman neden hangisi olduğu ben benim""",
    "sv": """och att det som en ett är på av för med den till inte har de om var vad vem när hur vilka vilken
        vilket från kan var blev hade eller jag min mitt mina""",
    "da": """og at det som en et er på af for med den til ikke har de om var hvad hvem hvornår hvor hvordan
        hvilke hvilken hvilket fra kan blev havde eller jeg min mit mine""",
    "no": """og at det som en et er på av for med den til ikke har de om var hva hvem når hvor hvordan hvilke
        hvilken hvilket fra kan ble hadde eller jeg min mitt mine""",
    "fi": """ja on ei se että oli ovat joka mutta kun myös mikä mitä kuka missä milloin miten kuinka ne hän
        sen tai olivat ollut kuin jos niin minä minun""",
    "hu": """a az és hogy nem is egy volt ez meg mint de mi ki hol mikor hogyan melyik milyen hány vagy már
        csak van voltak lett ezt azt én""",
    "pl": """i w na z nie do się to że jest jak co kto gdzie kiedy ile czy od po przez dla o był była były
        są jego jej który która które jaki jaka jakie oraz ja mój moja""",
    "cs": """a v na se je že to s z do o ve jako by pro byl byla bylo jsou kdo co kde kdy jak kolik který
        která které od po za jeho nebo já můj moje""",
    "id": """yang dan di dari untuk dengan pada adalah ini itu ke tidak dalam apa siapa mana kapan bagaimana
        berapa oleh sebagai akan ada atau saya juga""",
    "ca": """el la els les de i en que és un una per amb no del dels al als com més seu seva què qui quin
        quina quan on quants quantes va van són està han però meu meva aquest aquesta""",
}  # fmt: skip
_STEMMERS: Final = {
    "fr": "french", "es": "spanish", "pt": "portuguese", "it": "italian", "nl": "dutch", "ro": "romanian",
    "tr": "turkish", "sv": "swedish", "da": "danish", "no": "norwegian", "fi": "finnish", "hu": "hungarian",
    "pl": "polish", "cs": "czech", "id": "indonesian", "ca": "catalan",
}  # fmt: skip

# Letters that few of these languages have; a word with one counts like a small word.
_LETTERS: Final = {
    "ı": ("tr",), "ğ": ("tr",), "ş": ("tr", "ro"), "ț": ("ro",), "ţ": ("ro",), "ă": ("ro",), "ș": ("ro",),
    "ł": ("pl",), "ż": ("pl",), "ź": ("pl",), "ś": ("pl",), "ć": ("pl",), "ą": ("pl",), "ę": ("pl",),
    "ě": ("cs",), "ř": ("cs",), "ů": ("cs",), "ő": ("hu",), "ű": ("hu",), "ñ": ("es",), "ã": ("pt",),
    "õ": ("pt",), "ß": ("de",), "å": ("sv", "da", "no"), "ø": ("da", "no"), "æ": ("da", "no"),
}  # fmt: skip

_SETS: Final = {name: frozenset(some.split()) for name, some in _FUNCTION_WORDS.items()}
_OF_WORD: Final[dict[str, tuple[str, ...]]] = {
    word: tuple(name for name, some in _SETS.items() if word in some)
    for word in frozenset().union(*_SETS.values())
}
_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = re.compile(r"[a-zà-ɏḀ-ỿ]+")
_LETTER: Final = re.compile(f"[{''.join(_LETTERS)}]")
_READ: Final = 4_000  # characters that are looked at; more tell nothing new
_LEAST_WORDS: Final = 2
_LEAST_SHARE: Final = 0.1
_MIN_CHARS: Final = 3
_MAX_CHARS: Final = 40  # a longer run is no word of a language
_CACHE: Final = 1 << 15

_stemmers = local()  # a stemmer keeps state, so each thread has its own


def language_of(text: str) -> str:
    """Name the language of a text of the Latin script; empty where its small words do not tell.

    >>> language_of("Câți locuitori are orașul în care s-a născut?")
    'ro'
    >>> language_of("kubernetes ingress timeout")
    ''
    """
    head = text[:_READ].lower()
    if not head.isascii() and VIETNAMESE.search(head):
        return ""  # its marks make its words, and it has no endings
    read = _WORD.findall(head)
    counts: dict[str, float] = {}
    kinds: dict[str, set[str]] = {}
    # Plain letters tell nothing: of most words it is enough to know that they are no small words.
    for word in filter(_OF_WORD.__contains__, read) if head.isascii() else read:
        owners = _OF_WORD.get(word, ())
        if not owners and (letter := _LETTER.search(word)):
            owners = _LETTERS[letter[0]]
        for name in owners:
            counts[name] = counts.get(name, 0.0) + 1 / len(owners)
            kinds.setdefault(name, set()).add(word)
    if not counts:
        return ""
    first, *others = sorted(counts, key=lambda name: (-counts[name], name))
    second = counts[others[0]] if others else 0.0
    sure = len(kinds[first]) >= _LEAST_WORDS and counts[first] >= _LEAST_SHARE * len(read)
    return first if sure and counts[first] > second else ""


def own_stems(text: str, language: str | None = None) -> list[tuple[str, str]]:
    """Return words of a text with their stems in its language; none where it is unknown or needs none.

    Args:
        language: What it is, if that is known already.

    >>> own_stems("Los niños juegan en el parque.")
    [('niños', 'es:nin'), ('juegan', 'es:jueg'), ('parque', 'es:parqu')]
    """
    language = language_of(text) if language is None else language
    if language not in _STEMMERS:
        return []
    small = _SETS[language]
    return [
        (word, _stemmed(language, word))
        for word in _WORD.findall(text.lower())
        if _MIN_CHARS <= len(word) <= _MAX_CHARS and word not in small and _LATIN.fullmatch(word)
    ]


@lru_cache(maxsize=_CACHE)
def _stemmed(language: str, word: str) -> str:
    return f"{language}:{normalize(_stemmer(language)(word))}"


def _stemmer(language: str) -> Callable[[str], str]:
    cached: dict[str, Callable[[str], str]] | None = getattr(_stemmers, "by_language", None)
    if cached is None:
        cached = _stemmers.by_language = {}
    if language not in cached:
        from Stemmer import Stemmer  # only a text in another language pays for loading the library

        cached[language] = Stemmer(_STEMMERS[language], 0).stemWord
    return cached[language]


# --- slips of the finger: every word that is one slip away from a misspelt one ----------------------------

MIN_MISSPELT: Final = 5
MAX_MISSPELT: Final = 24
_ALPHABETS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "אבגדהוזחטיכלמנסעפצקרשתםןךףץ",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءأإآ",
)


def is_word(word: str) -> bool:
    """Say whether a folded word can be misspelt: long enough, and of letters of one alphabet."""
    return MIN_MISSPELT <= len(word) <= MAX_MISSPELT and _alphabet(word) is not None


def _alphabet(word: str) -> str | None:
    return next((letters for letters in _ALPHABETS if all(char in letters for char in word)), None)


def slips(word: str) -> Iterator[str]:
    """Yield every word that is one slip away from a folded one; none for what cannot be misspelt.

    >>> {"garden", "gardener"} <= set(slips("gardne")) | set(slips("gardeneer"))
    True
    """
    letters = _alphabet(word) if is_word(word) else None
    if letters is None:
        return
    yield word[1] + word[0] + word[2:]
    for at in range(1, len(word) + 1):
        before, after = word[:at], word[at:]
        if len(after) > 1:
            yield f"{before}{after[1]}{after[0]}{after[2:]}"
        if after:
            yield before + after[1:]
            for letter in letters:
                yield before + letter + after[1:]
        for letter in letters:
            yield before + letter + after
