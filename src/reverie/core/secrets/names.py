"""Names that ask for a secret, in several languages, and the signs and verbs that give them a value.

Rules:

* A name is found by a literal word and judged by what stands before it: `api_key` asks for a secret,
  `cache key` does not, a bare `key` only for something very random.
* A name with another word behind it is another thing (`password_file`, `token count`), unless the
  word only numbers it (`DB_PASSWORD_PROD`, `password2`).
* Names are read from the lower-case text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from reverie.core.text.plain import Lazy


class Asks(Enum):
    """What a name asks for, from the loosest test of its value to the strictest."""

    PASSWORD = auto()
    API_KEY = auto()
    """Under such a name even a UUID is a secret."""
    ACCESS = auto()
    """Under such a name, too, but never a number."""
    SECRET = auto()
    TOKEN = auto()


class How(Enum):
    """What gives a name its value, from the clearest to the most doubtful."""

    SIGN = auto()
    """`password: x`, `--password x`"""
    VERB = auto()
    """`the password is x`"""
    WRAPPED = auto()
    """`password = encode("x")`"""
    LONGER = auto()
    """`password_of_prod = x`, a name with more words behind it"""
    QUOTED = auto()
    """`password "x"`"""
    NEIGHBOUR = auto()
    """`user bob password x`"""


@dataclass(frozen=True, slots=True)
class Given:
    """A name that asks for something, and where the value begins that it is given."""

    asks: Asks
    how: How
    start: int
    query: bool
    """The name is a parameter of an address: `&` ends its value."""


_PASSWORD_WORDS: Final = (
    "password", "passwd", "passwrd", "paswd", "paswrd", "pasword", "psswd", "psswrd", "pswd", "pswrd",
    "psword", "pssword", "passphrase",
    "passcode", "passwort", "kennwort", "pwd", "pass", "pw",
    "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호", "패스워드", "contraseña",
    "contrasena", "clave", "mot de passe", "mots de passe", "senha", "palavra-passe", "parola",
    "parolă", "hasło", "heslo", "jelszó", "wachtwoord", "lösenord", "adgangskode", "passord",
    "salasana", "şifre", "mật khẩu", "kata sandi", "пароль", "пароля", "паролем", "лозинка",
    "รหัสผ่าน", "كلمة المرور", "كلمة السر", "סיסמה", "סיסמא", "رمز عبور", "पासवर्ड", "κωδικός",
)  # fmt: skip
_SECRET_WORDS: Final = (
    "secret", "credential", "schlüssel", "密钥", "密鑰", "金鑰", "私钥", "令牌", "凭证", "凭据", "秘密鍵",
    "シークレット", "トークン", "キー", "시크릿", "토큰", "api 키", "api키", "секрет", "токен", "ключ", "clé",
    "chave", "jeton",
)  # fmt: skip
_TOKEN_WORDS: Final = (
    "token", "key", "pat", "login", "auth", "authentication", "access", "private", "creds", "cred",
)  # fmt: skip
_WORDS: Final = tuple(
    (word, asks)
    for words, asks in (
        (_PASSWORD_WORDS, Asks.PASSWORD),
        (_SECRET_WORDS, Asks.SECRET),
        (_TOKEN_WORDS, Asks.TOKEN),
    )
    for word in words
)
_ASCII_WORDS: Final = tuple(row for row in _WORDS if row[0].isascii())
# Words that are often the end of other words.
_ONLY_OF_A_SERVICE: Final = frozenset({"pat", "login"})
# Names that only a sign makes ask for something: "access" is a word of every text.
_ONLY_SIGNED: Final = frozenset({"auth", "authentication", "access", "private", "creds", "cred"})
# Names that are the beginning of longer ones in the list, or of other words.
_CUT_SHORT: Final = frozenset({"pass", "pw", "pat", "login"})
# Names that keep their sense with more words behind them.
_OF_MORE_WORDS: Final = frozenset({"password", "passwd", "secret", "token", "key", "credential"})
_BEGINNING: Final = frozenset({"pw", "pwd", "clave", "parola", "key", "clé", "chave", "heslo"})
_PASS_OF: Final = Lazy(
    r"(?:(?:db|user|root|admin|smtp|mysql|ftp|mail|redis|sudo|pg|login|require|master)[ _/-]?|_)$"
)
_STRONG: Final = Lazy(
    r"(?:api|secret|access|private|encryption|signing|master|auth|account|license|service|deploy"
    r"|subscription|storage|shared|consumer|client|webhook|admin|root|bot|hmac|jwt|app|session"
    r"|refresh|bearer|stream|id|oauth|security|clave|clé|schlüssel|priv|pass|crypto?|cipher|aes|des|rsa|ssh"
    r"|ssl|site|server|merchant|developer|partner|vendor|device|ingest|upload|write|read|sdk|rest|user"
    r"|enc|sign)[ _.-]?$"
)
_API: Final = Lazy(r"(?:api|secret|access|client|token|private|master|signing)[ _.-]?$")
_API_TOKEN: Final = Lazy(r"(?:api|access|auth|bearer|bot|secret)[ _.-]?$")
_CLIENT: Final = Lazy(r"(?:client|request|user|session|id|device|lock)[ _.-]?$")
_OTHER: Final = Lazy(
    r":\d{12}:$|"  # a resource name of a cloud, whose last part is only called `secret`
    r"(?:public|primary|foreign|cache|idempotency|sort|partition|object|s3|redis|json|i18n|lookup"
    r"|translation|routing|group|hash|host|dedupe|map|dict|index|row|unique|next|page|pagination"
    r"|continuation|starting|marker|sync|resume|cursor|request|pre|non|site[ _-]?map|data)[ _-]?$"
)
_LONGEST_BEFORE: Final = 40
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_. -]{2,38}$")
_ENDINGS: Final = ("private", "secret", "access", "token", "auth", "api", "key", "app", "s")
_MOST_ENDINGS: Final = 8
_MOST_DIGITS: Final = 3
_BETWEEN: Final = re.compile(r"[_. -]+")

_SUFFIX: Final = (
    r"(?:s(?![a-z])|[ _-]?(?:api|prod|production|dev|test|staging|stage|live|main|old|new|value|plaintext"
    r"|string|v?\d{1,2}))?+"
)
_CLOSING: Final = r"""(?:\(\))?+["'`*_~\\\])]{0,6}+"""
# A value may stand on the line below its name.
_OPENING: Final = (
    r"""[*_~`]{0,3}[ \t]{0,40}(?:</?[a-z]{1,8}>[ \t]{0,2}){0,2}(?:\r?\n[ \t]{0,8})?"""
    r"""(?:[bruf@$l]{1,2}(?=["'])|&quot;|&#39;|%22)?[\["'`*_~\\(“„«「『]{0,6}"""
)
_TYPE: Final = r"[a-z_&*][\w\[\]?.|&*<>]{1,30}+"
_ABOUT: Final = (
    r"[ \t](?:for|of|to|on|in|at|from|für|von|zum|pour|du|de|del|para|da|do|för|voor|для|от)"
    r"(?:[ \t][^\s:=]{1,40}+){1,4}?"
)
_IS: Final = (
    r"(?:(?:is|was)(?: now| still| set to| changed to| reset to)?|(?:set|changed|reset) to|are|ist|lautet"
    r"|est|es|era|é|è|är|er|jest|это|равен|là|adalah|คือ|هي|هو|היא|είναι)"
)
_QUOTE: Final = r"""["'`*_~\\「『“”]{0,6}"""
_SIGNS: Final = (
    rf":{{1,3}}=|[?+]=|-[ \t]|:[ \t]{{0,3}}(?:&'static )?{_TYPE}[ \t]{{0,3}}=|!?={{1,3}}>?|:-(?=[^\s-])|:|->"
    r"|→|⇒|\||—|–"
    rf"|,[ \t]{{0,4}}(?=[\"']|[a-z_.]{{1,30}}\([\"'])|\((?=[\"'])|\.(?:equals|eq)\((?=[\"'])"
    rf"|%3[ad]|\[\d{{0,4}}\][ \t]{{0,3}}="
    r"|(?<=[\"'])>|</key>\s{0,20}<(?:string|data)>|</t[dh]>\s{0,20}<td[^<>]{0,40}>"
)
_SIGN: Final = re.compile(
    rf"{_SUFFIX}{_CLOSING}(?:[ \t]{{0,4}}+(?:{_SIGNS})|[ \t]{{1,4}}+{_TYPE}[ \t]{{1,3}}+=(?!=)"
    rf"|{_ABOUT}[ \t]{{0,2}}[:=](?!//)){_OPENING}"
)
_MORE: Final = Lazy(rf"([a-z0-9_.-]{{1,40}}+){_CLOSING}[ \t]{{0,4}}+(?:{_SIGNS}){_OPENING}")
_WRAPPER: Final = Lazy(
    r"(?:new[ \t])?\]?[a-z_][\w.:]{0,40}\((?:[\"'][^\"'\s]{1,60}[\"'],[ \t]?)?[bruf]?[\"']"
)
# Words behind a name that make it the name of something else.
_OTHER_THING: Final = Lazy(
    r"id|hash|sha\d|md5|crc|file|path|name|ur[il]|count|type|expir|len|size|pub|finger|thumb|arn|version|date|time"
    r"|ttl|age|policy|rule|pattern|regex|field|label|hint|reset|prompt|mess|msg|err|format|algo|method"
    r"|provider|source|kind|stat|limit|usage|budget|index|pos|offset|start|end|var|ref|schema|column"
    r"|table|digest|check|sum|class|mode|manager|store|point|server|host|port|user|owner|mail|func|back"
    r"|handler|text|word|board|note|frame|chain|ring|less|iz|is|ed$|ing|er$|map|set|list|dir|folder"
    r"|cert|image|test|page|next|commit|tag|branch|prefix|suffix|dn|aud|iss|scope|role|nonce|mark|rotat"
)
_VERB: Final = re.compile(
    rf"{_SUFFIX}{_CLOSING}(?:[ \t]{{1,4}}+{_IS}[ \t:]|{_ABOUT}[ \t]{_IS}[ \t:]"
    rf"|[ \t]{{0,4}}+就?(?:是|为|為|设为|设置为|设定为|改为|改成|は|が|이|은|는))[ \t:]{{0,4}}{_QUOTE}"
)
_TO: Final = Lazy(rf"[ \t]to[ \t]{{1,2}}{_QUOTE}")
_IS_SET: Final = Lazy(
    r"(?:set|change|changed|reset|update|updated)(?: (?:the|my|our|its))?(?: \w{1,12})? ?$"
)
_SPACE: Final = re.compile(r"""[ \t]{1,4}["'`“]?""")
_SPACE_OR_NOTHING: Final = re.compile(r"""[ \t]{0,4}["'`“「]?""")
_DIRECT: Final = re.compile(r"\d{0,2}[\"']?[ \t]{0,2}[:=]")
_IS_FLAG: Final = Lazy(
    r"(?:^|[\s\"'`])--?[a-z][a-z_-]{0,20}$|(?:^|[\s\"'`])--?$|[#%]define[ \t]{1,8}[\w]{0,30}$"
)
_IS_ELEMENT: Final = Lazy(r"<[a-z0-9_.:-]{0,40}$")
_INSIDE: Final = Lazy(r">\s{0,40}")
_IS_NETRC: Final = Lazy(r"login[ \t]{1,4}\S{1,60}[ \t\r\n]{1,12}$")
_IS_PARAMETER: Final = Lazy(r"[?&][\w.-]{0,20}$")


# What can be a value at all: no word of a sentence that only stands beside a name.
_PROMISING: Final = {
    False: re.compile(r"\S{6}"),
    True: re.compile(r"(?=\S{0,127}?\d)\S{8}|\S{20}"),
}


def given(text: str, lowered: str) -> Iterator[Given]:
    """Yield every place of a text where a name that asks for a secret is given a value."""
    for word, asks in _ASCII_WORDS if lowered.isascii() else _WORDS:
        at = lowered.find(word)
        while at >= 0:
            end = at + len(word)
            if _may_name(lowered, word, end):
                before = lowered[max(0, at - _LONGEST_BEFORE) : at]
                if text[at].isupper() and text[at - 1 : at].islower():
                    before += "_"  # awsKey: a word of its own
                if found := _given(lowered, word, asks, before, end):
                    yield found
            at = lowered.find(word, end)


def _may_name(lowered: str, word: str, end: int) -> bool:
    """Tell the name from the beginning of a longer word, and from a word that only a sign makes one."""
    if word in _CUT_SHORT:
        return not lowered[end : end + 1].isalpha()
    return word not in _ONLY_SIGNED or _DIRECT.match(lowered, end) is not None


def _given(lowered: str, word: str, asks: Asks, before: str, end: int) -> Given | None:
    place = _place(lowered, word, end, before)
    if place is None:
        return None
    how, start = place
    if not _PROMISING[how is How.NEIGHBOUR].match(lowered, start):
        return None
    direct = _DIRECT.match(lowered, end) is not None
    kind = _kind(word, asks, before, direct=direct, how=how)
    return Given(kind, how, start, _IS_PARAMETER.search(before) is not None) if kind else None


def _kind(word: str, asks: Asks, before: str, *, direct: bool, how: How) -> Asks | None:
    """Return what the word asks for, given what stands before it; None where it is no name."""
    alone = direct and not before[-1:].isalnum()  # `pass: x` of a YAML file
    if _OTHER.search(before) or (word == "pass" and not alone and not _PASS_OF.search(before)):
        return None
    strong = asks is Asks.TOKEN and _STRONG.search(before) is not None
    if asks in (Asks.TOKEN, Asks.SECRET) and _is_service(before):
        return Asks.API_KEY
    if word in _ONLY_OF_A_SERVICE:
        return asks if word == "pat" and direct and before[-1:] in ("_", "-") else None
    if word in _ONLY_SIGNED and not (direct and how is How.SIGN):
        return None
    if word in _BEGINNING and before[-1:].isalpha() and not strong:
        # `apikey` and `signingkey` are names; `monkey` is one if it is given something random.
        return asks if word == "key" and direct and how is How.SIGN else None
    if (word in ("key", "secret") and _API.search(before)) or (
        word == "token" and _API_TOKEN.search(before)
    ):
        return Asks.API_KEY
    if word in ("secret", "credential") or (word == "token" and not _CLIENT.search(before)):
        return Asks.API_KEY if word == "secret" else Asks.ACCESS
    return Asks.SECRET if strong else asks


def is_service(word: str) -> tuple[tuple[int, int], ...]:
    """Return how long the keys of a service are, nothing for a word that names none."""
    from reverie.core.secrets.families import SERVICES

    for _ in range(_MOST_ENDINGS):  # holidayapikey, then holidayapi
        if word in SERVICES:
            return SERVICES[word]
        word = _shorter(word)
    return ()


def _shorter(word: str) -> str:
    """Return a name without the last word for keys, or the number, that it ends in."""
    plain = word.rstrip("0123456789")
    if 0 < len(word) - len(plain) <= _MOST_DIGITS:
        return plain
    return word.removesuffix(next((item for item in _ENDINGS if word.endswith(item)), ""))


def _is_service(before: str) -> bool:
    """Tell whether the name of a service that issues keys stands before the word."""
    words = _NAME.search(before)
    if words is None:
        return False
    parts = _BETWEEN.split(words[0].strip("_. -"))[-3:]
    return any(map(is_service, (*parts, "".join(parts[-2:]))))


def _place(lowered: str, word: str, end: int, before: str) -> tuple[How, int] | None:
    """Return what gives the name its value and where that begins, or None if nothing does."""
    if sign := _SIGN.match(lowered, end):
        wrapper = _WRAPPER.match(lowered, sign.end())
        return (How.WRAPPED, wrapper.end()) if wrapper else (How.SIGN, sign.end())
    if lowered.startswith(">", end) and _IS_ELEMENT.search(before):
        return How.SIGN, _INSIDE.match(lowered, end).end()  # type: ignore[union-attr]  # it begins so
    if word in _OF_MORE_WORDS and (more := _MORE.match(lowered, end)):
        return None if _OTHER_THING.search(more[1]) else (How.LONGER, more.end())
    if verb := _VERB.match(lowered, end):
        return How.VERB, verb.end()
    if _IS_SET.search(before) and (to := _TO.match(lowered, end)):
        return How.VERB, to.end()
    # Scripts without spaces need none here either: 密码hunter2.
    pattern = _SPACE if lowered[end - 1].isascii() else _SPACE_OR_NOTHING
    if space := pattern.match(lowered, end):
        if _IS_FLAG.search(before) or _IS_NETRC.search(before):
            return How.SIGN, space.end()
        quoted = lowered[space.end() - 1] in "\"'"
        return How.QUOTED if quoted else How.NEIGHBOUR, space.end()
    return None
