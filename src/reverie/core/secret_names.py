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


class Asks(Enum):
    """What a name asks for, from the loosest test of its value to the strictest."""

    PASSWORD = auto()
    API_KEY = auto()
    """Under such a name even a UUID is a secret."""
    SECRET = auto()
    TOKEN = auto()


class How(Enum):
    """What gives a name its value, from the clearest to the most doubtful."""

    SIGN = auto()
    """`password: x`, `--password x`"""
    VERB = auto()
    """`the password is x`"""
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
    "password", "passwd", "passwrd", "paswd", "pasword", "psswd", "pswd", "pssword", "passphrase",
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
_TOKEN_WORDS: Final = ("token", "key", "pat", "login")
_WORDS: Final = tuple(
    (word, asks)
    for words, asks in (
        (_PASSWORD_WORDS, Asks.PASSWORD),
        (_SECRET_WORDS, Asks.SECRET),
        (_TOKEN_WORDS, Asks.TOKEN),
    )
    for word in words
)
# Words that are often the end of other words.
_ONLY_OF_A_SERVICE: Final = frozenset({"pat", "login"})
_BEGINNING: Final = frozenset({"pw", "pwd", "clave", "parola", "key", "clé", "chave", "heslo"})
_PASS_OF: Final = re.compile(
    r"(?:(?:db|user|root|admin|smtp|mysql|ftp|mail|redis|sudo|pg|login)[ _/-]?|_)$"
)
_STRONG: Final = re.compile(
    r"(?:api|secret|access|private|encryption|signing|master|auth|account|license|service|deploy"
    r"|subscription|storage|shared|consumer|client|webhook|admin|root|bot|hmac|jwt|app|session"
    r"|refresh|bearer|stream|id|oauth|security|clave|clé|schlüssel)[ _.-]?$"
)
_API: Final = re.compile(r"(?:api|secret|access|client|token|private|master|signing)[ _.-]?$")
_API_TOKEN: Final = re.compile(r"(?:api|access|auth|bearer|bot|secret)[ _.-]?$")
_OTHER: Final = re.compile(
    r":\d{12}:$|"  # a resource name of a cloud, whose last part is only called `secret`
    r"(?:public|primary|foreign|cache|idempotency|sort|partition|object|s3|redis|json|i18n|lookup"
    r"|translation|routing|group|hash|host|dedupe|map|dict|index|row|unique|next|page|pagination"
    r"|continuation|starting|marker|sync|resume|cursor)[ _-]?$"
)
_LONGEST_BEFORE: Final = 40
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_. -]{2,38}$")
_ENDING: Final = re.compile(r"(?:api|secret|private|access|key|token|auth|app|s)+$")
_BETWEEN: Final = re.compile(r"[_. -]+")

_SUFFIX: Final = (
    r"(?:s|[ _-]?(?:api|prod|production|dev|test|staging|stage|live|main|old|new|value|plaintext"
    r"|string|v?\d{1,2}))?"
)
_CLOSING: Final = r"""["'`*_~\\\])]{0,6}[ \t]{0,4}"""
# A value may stand on the line below its name.
_OPENING: Final = r"""[*_~`]{0,3}[ \t]{0,40}(?:\r?\n[ \t]{0,8})?[\["'`*_~\\(“„«「『]{0,6}"""
_ABOUT: Final = (
    r"(?:[ \t](?:for|of|to|on|in|at|from|für|von|zum|pour|du|de|del|para|da|do|för|voor|для|от)"
    r"(?:[ \t][^\s:=]{1,40}){1,4}?)?"
)
_IS: Final = (
    r"(?:(?:is|was)(?: now| still| set to| changed to| reset to)?|(?:set|changed|reset) to|are|ist|lautet"
    r"|est|es|era|é|è|är|er|jest|это|равен|là|adalah|คือ|هي|هو|היא|είναι)"
)
_QUOTE: Final = r"""["'`*_~\\「『“”]{0,6}"""
_SIGN: Final = re.compile(
    rf"{_SUFFIX}{_CLOSING}(?:(?::=|:[ \t]{{0,3}}[a-z_][\w\[\]?.|]{{1,24}}[ \t]{{0,3}}=|!?={{1,3}}>?"
    rf"|:-(?=[^\s-])|:|->|→|⇒|\||—|–|,[ \t]{{0,4}}(?=[\"']))|{_ABOUT}[ \t]{{0,2}}[:=]){_OPENING}"
)
_VERB: Final = re.compile(
    rf"{_SUFFIX}{_CLOSING}(?:(?<=[ \t]){_IS}[ \t:]|{_ABOUT}[ \t]{_IS}[ \t:]"
    rf"|就?(?:是|为|為|设为|设置为|设定为|改为|改成|は|が|이|은|는))[ \t:]{{0,4}}{_QUOTE}"
)
_TO: Final = re.compile(rf"[ \t]to[ \t]{{1,2}}{_QUOTE}")
_IS_SET: Final = re.compile(
    r"(?:set|change|changed|reset|update|updated)(?: (?:the|my|our|its))?(?: \w{1,12})? ?$"
)
_SPACE: Final = re.compile(r"""[ \t]{1,4}["'`“]?""")
_SPACE_OR_NOTHING: Final = re.compile(r"""[ \t]{0,4}["'`“「]?""")
_DIRECT: Final = re.compile(r"[\"']?[ \t]{0,2}[:=]")
_IS_FLAG: Final = re.compile(r"(?:^|[\s\"'`])--?[a-z][a-z-]{0,20}$|(?:^|[\s\"'`])--?$")
_IS_NETRC: Final = re.compile(r"login[ \t]{1,4}\S{1,60}[ \t\r\n]{1,12}$")
_IS_PARAMETER: Final = re.compile(r"[?&][\w.-]{0,20}$")


def given(text: str, lowered: str) -> Iterator[Given]:
    """Yield every place of a text where a name that asks for a secret is given a value."""
    for word, asks in _WORDS:
        at = lowered.find(word)
        while at >= 0:
            end = at + len(word)
            before = lowered[max(0, at - _LONGEST_BEFORE) : at]
            if text[at].isupper() and text[at - 1 : at].islower():
                before += "_"  # awsKey: a word of its own
            place = _place(lowered, end, before)
            direct = _DIRECT.match(lowered, end) is not None
            if place and (kind := _kind(word, asks, before, direct=direct)):
                yield Given(kind, *place, query=_IS_PARAMETER.search(before) is not None)
            at = lowered.find(word, end)


def _kind(word: str, asks: Asks, before: str, *, direct: bool) -> Asks | None:
    """Return what the word asks for, given what stands before it; None where it is no name."""
    alone = direct and not before[-1:].isalnum()  # `pass: x` of a YAML file
    if _OTHER.search(before) or (word == "pass" and not alone and not _PASS_OF.search(before)):
        return None
    strong = asks is Asks.TOKEN and _STRONG.search(before) is not None
    if asks in (Asks.TOKEN, Asks.SECRET) and _is_service(before):
        return Asks.API_KEY
    if word in _ONLY_OF_A_SERVICE:
        return None
    if word in _BEGINNING and before[-1:].isalpha() and not strong:
        return None  # `apikey` and `signingkey` are names; `monkey` and `hotkey` are not
    if (word in ("key", "secret") and _API.search(before)) or (
        word == "token" and _API_TOKEN.search(before)
    ):
        return Asks.API_KEY
    return Asks.SECRET if strong else asks


def is_service(word: str) -> tuple[tuple[int, int], ...]:
    """Return how long the keys of a service are, nothing for a word that names none."""
    from reverie.core.secret_families import SERVICES

    return SERVICES.get(word) or SERVICES.get(_ENDING.sub("", word), ())


def _is_service(before: str) -> bool:
    """Tell whether the name of a service that issues keys stands before the word."""
    words = _NAME.search(before)
    if words is None:
        return False
    parts = _BETWEEN.split(words[0].strip("_. -"))[-3:]
    return any(map(is_service, (*parts, "".join(parts[-2:]))))


def _place(lowered: str, end: int, before: str) -> tuple[How, int] | None:
    """Return what gives the name its value and where that begins, or None if nothing does."""
    if sign := _SIGN.match(lowered, end):
        return How.SIGN, sign.end()
    if verb := _VERB.match(lowered, end):
        return How.VERB, verb.end()
    if _IS_SET.search(before) and (to := _TO.match(lowered, end)):
        return How.VERB, to.end()
    # Scripts without spaces need none here either: 密码hunter2.
    pattern = _SPACE if lowered[end - 1].isascii() else _SPACE_OR_NOTHING
    if space := pattern.match(lowered, end):
        flag = _IS_FLAG.search(before) or _IS_NETRC.search(before)
        return How.SIGN if flag else How.NEIGHBOUR, space.end()
    return None
