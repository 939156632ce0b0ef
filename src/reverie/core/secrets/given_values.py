"""Values that are given to a name: where they end, and whether they are a secret.

Rules:

* A mention is no secret: references (`${X}`, `process.env.X`, `vault/path`), placeholders
  (`<token>`, `xxxx`, `changeme`), plain words, technical terms, dates, versions, sizes.
* A password needs two kinds of characters, or six digits. A key, secret or token must look random:
  a name made of words, as in `my-app-secret-2`, does not.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import Final

from reverie.core.secrets.names import Asks, How
from reverie.core.secrets.view import SENTENCE_MARKS
from reverie.core.text.plain import Lazy

_LONGEST: Final = 256  # so much of a value is judged; a secret is taken to its end
_LONGEST_MENTION: Final = 128  # nobody writes a longer name for a secret than this
# Bare values end at white space, quotes, markup, a blanked placeholder, or a letter of a script that
# puts no spaces between words (Thai, Lao, Burmese, Khmer, Han, Kana, Hangul).
_BARE: Final = re.compile(
    rf"[^\s\0\"'`<>|“”„«»「」『』{SENTENCE_MARKS}\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97c"
    rf"\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f"
    rf"\U00020000-\U0003fffd]{{1,{_LONGEST}}}"
)
_REST: Final = re.compile(r"[^\s\0\"'`<>|,;&]*+")
_QUOTED: Final = {
    quote: re.compile(rf"[^\s\0{quote}]{{1,{_LONGEST}}}(?={quote})") for quote in "\"'`"
}
TRAILING: Final = ",.;:)]}*_~\\&"
"""What belongs to the sentence or the markup around a bare value."""
_EMPHASIS: Final = (
    "!?"  # may be part of the value, so it is hidden with it, but says nothing about it
)
_NEXT_PARAMETER: Final = re.compile(r"&[\w.-]{1,40}=")
_NEXT_FIELD: Final = re.compile(
    r"[,;](?=[\w ]{1,30}=|$)|,(?=[A-Za-z]\w{0,30}:)|;(?=[\w-]{1,60}:)"
    r"|&(?:quot|lt|gt|#39|#34);|%2[26]|\\f[A-Z]"
)
_RUNS: Final = re.compile(r"\d+|[A-Za-z]+")

_REFERENCE: Final = Lazy(
    r"^[${<\[(~]|^&#?\w{1,8};|^%\w{1,80}%$|\$\{|\{\{|^@[a-z][\w-]{0,80}/|^!(?:secret|vault|env|ref)|^__[a-z]"
    r"|^(?:\\?-){2}[a-z]|^[A-Za-z]{1,40}(?:[*#]{1,3}[A-Za-z]{1,40}){2,20}[*#]{0,3}$|^#[a-z_-]{1,60}$|^[a-z.]{1,40}@$|^\]\(|^\\\["
    # code: a call, an index, a condition, minified statements, a format, a pattern
    r"|[A-Za-z_][(]|^[A-Za-z_][\w.]{0,60}[(]|^[A-Za-z_$][\w.$]{0,60}\[|\?\.|&&|\|\||^![01](?:[^A-Za-z0-9]|$)"
    r"|\}\)|\]\}|\)\}|\}\]|[;}](?:let|var|const|return|this|case|if|for|default|async|function)\b"
    r"|%[sd](?:\W|$)|%0?\.\w|^/?\^|\\[uxdwsb]|\[\^?[A-Za-z0-9]-|0-9[A-Za-z]|[Aa]-[Zzf]"
    r"|^(?:localhost|[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}):\d{2,5}$"
    # an alphabet, and the signature of every cache folder
    r"|ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz|^8a477f597d28d172789f06886806bc55$"
    r"|^(?:process|import\.meta|os|env|environ|secrets?|vars?|config|settings|self|this|args|opts"
    r"|options|params|ctx|context|req|request|props|state|data|user|inputs?|event|cfg|conf"
    r"|credentials?)[.\[:]"
    r"|^(?:op|vault|secret|ssm|arn|file|env|keychain|keyring|sops|aws|gcp|azure|bws|ref)[:/]"
    r"|^[A-Za-z][A-Za-z0-9+.-]{1,20}://|^[A-Za-z]:\\"
    r"|^[\w.+-]{1,80}@[\w-]{1,80}(?:\.[\w-]{1,80}){0,4}\.[A-Za-z]{2,}$"
)
# Keys that are made to be shown, in Base64: SubjectPublicKeyInfo of the usual kinds, and SSH's form.
_PUBLIC: Final = Lazy(
    r"^(?:MFkwEwYHKoZI|MHYwEAYHKoZI|MII[BC][A-Z]jANBgkqhkiG9w0BAQEFAAOC|MIGfMA0GCSqG|MCowBQYDK2V|AAAA[BCE][23][NV])"
)
_FILE: Final = Lazy(
    r"\.(?:env|json|ya?ml|toml|md|txt|pem|key|py|ts|js|sh|ini|cfg|conf|local|example|gpg|age|kdbx"
    r"|tf|go|rs|java)$"
)
_ENV_NAME: Final = Lazy(r"^[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)+$")
_PLACEHOLDER: Final = Lazy(
    r"(?i)(?:^|[-_. ])(?:your|my|the|some|example|sample|placeholder|dummy|fake|insert|enter"
    r"|replace|todo|tbd|change-?me|mock|foo|bar|foobar|here)(?:$|[-_. ])"
    r"|x{4}|\*{3}|^.{0,16}(?:\.{3}|…)|•{2}|redacted"
)
_TERM: Final = Lazy(
    r"(?i)(?:^|[-_./: ])(?:argon2(?:id|i|d)?|bcrypt\d{0,3}|scrypt|pbkdf2|sha-?\d{1,3}|md5|hmac"
    r"|aes-?\d{0,3}|rsa-?\d{0,4}|ed25519|x25519|ecdsa|x509|[hrep]s(?:256|384|512)|oauth-?[12]?"
    r"|openid|oidc|saml2?|ldap|jwt|jwks?|tls(?:v?1)?|base-?(?:16|32|58|62|64)"
    r"|utf-?(?:8|16|32)|https?|http[23]|1password|lastpass|keepassxc?|bitwarden|rfc-?\d{1,5}"
    r"|iso-?\d{1,5}|uuid(?:v?\d)?|totp|2fa|mfa|pkcs\d{1,2}|ascii|alphanumeric|chars?|characters?"
    r"|digits?|bits?|bytes?|(?:min|max)-?\d{1,3}|(?:var)?char\d{0,4}|int(?:8|16|32|64)|ipv[46])"
    r"(?:$|[-_./: ])"
)
_FIGURE: Final = Lazy(
    r"(?i)^(?:v?\d{1,9}(?:[.,:/x-]\d{1,9}){0,8}\+?|v\d{1,4}(?:[.-]\w{1,12}){0,4}"
    r"|(?-i:[A-Z]{2,10})-\d{1,6}|[<>=~^]{0,2}\d{1,5}(?:[.,]\d{1,5})?(?:%|[a-z]{1,3}|-?(?:mins?|minutes?|seconds?|hours?"
    r"|days?|weeks?|months?|years?|chars?|tokens?|bits?|bytes?|times|users|requests?))"
    r"|\d{4}-\d\d-\d\d\S{0,24}|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))$"
)
_DIGIT: Final = re.compile(r"\d")
# Punctuation that prose does not put into words. (Vowel signs of many scripts are no `\w` either.)
_MARK: Final = re.compile(r"[!#$%@^*?~;\\£€]")
_PATH: Final = re.compile(r"^\.{0,2}/\w")
_PLACE: Final = re.compile(r"[./\\]|::")
_PLACE_PART: Final = re.compile(r"[A-Za-z_]*+\d{0,2}[A-Za-z_]*+")
_UUID: Final = Lazy(r"(?i)^(?=[a-z-]{0,35}\d)[0-9a-z]{8}-(?:[0-9a-z]{4}-){3}[0-9a-z]{12}$")
# Four groups of one length, as licences have them: they look like words with numbers.
_FINGERPRINT: Final = Lazy(r"^[0-9A-F]{40}$")  # of a signing key, as packages tell of them
_GROUPS: Final = Lazy(r"^(?=[A-Z-]{0,20}\d)[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,16}$")
_HEX: Final = re.compile(r"(?i)^(?:0x)?[0-9a-f]+$")
_SPLIT: Final = re.compile(r"[-_./:@+ =,\\&?]+")
_WORD: Final = re.compile(
    r"^(?:\d{0,4}+(?:[A-Z]?[a-z]++|[A-Z]++){0,6}+\d{0,4}|[A-Za-z]\d{1,2}[A-Za-z]"
    r"|(?:[A-Z]?[a-z]++|[A-Z]++){1,4}+\d{1,5}(?:[A-Z][a-z]{2,}+){1,5}\d{0,4}|[A-Z]{4,}+\d{1,2}[A-Z]{4,}+)$"
)
_HUMP: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_PASSPHRASE: Final = Lazy(r"^[a-z]{3,12}(?:-[a-z]{3,12}){3,9}$")
_KEY_PREFIX: Final = Lazy(r"^(?:sk|rk|pk|key|api|token|pat|ghp|xox[abp])[-_]|^AKIA")


def value_span(text: str, start: int, *, query: bool) -> tuple[int, int] | None:
    """Return the span of the value that begins here: to the closing quote, else to white space."""
    quote = _QUOTED.get(text[start - 1])
    if quote and (quoted := quote.match(text, start)):
        value = quoted[0].rstrip("\\")
    elif bare := _BARE.match(text, start):
        value = bare[0]
        if query or _NEXT_PARAMETER.search(value):
            value = re.split(r"[&#]", value, maxsplit=1)[0]
        value = _NEXT_FIELD.split(value, maxsplit=1)[0].rstrip(TRAILING)
    else:
        return None
    return (start, start + len(value)) if value else None


def whole(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return the span of a secret to its end, where it is longer than what was judged."""
    start, end = span
    if end - start < _LONGEST:
        return span
    return start, _REST.match(text, end).end()  # type: ignore[union-attr]  # it matches nothing, too


def is_secret(value: str, asks: Asks, how: How = How.SIGN) -> bool:
    """Tell whether a value given to a name is a secret, not a reference, a placeholder or a word."""
    value = value.rstrip(_EMPHASIS)
    if how in (How.WRAPPED, How.LONGER) and is_of_words(value):
        return False
    if asks is Asks.PASSWORD:
        if how is How.LONGER and not _is_random(value, strict=False):
            return False
        return _is_password(value, how) and not is_mention(value)
    if how in (
        How.NEIGHBOUR,
        How.QUOTED,
    ):  # `our api key 0a1b2c`: only something drawn can be meant
        if _FINGERPRINT.search(value):
            return False
        drawn = len(value) >= 20 and not _UUID.search(value) and is_drawn(value)
        return drawn and (asks is Asks.API_KEY or not _HEX.search(value))
    loose = asks in (Asks.API_KEY, Asks.ACCESS)
    if _UUID.search(value):
        return loose and how is not How.LONGER
    if loose and is_grouped(value):
        return True
    if _HEX.search(value):
        if (value.isdigit() and asks is not Asks.API_KEY) or (not loose and len(value) < 32):
            return False
        return (
            len(value) >= 16 and _DIGIT.search(value) is not None and entropy(value.lower()) > 2.5
        )
    strict = asks is Asks.TOKEN or how is How.LONGER
    return _is_random(value, strict=strict) and not is_mention(value)


def is_drawn(value: str) -> bool:
    """Tell whether a value that stands where a key would looks drawn: no name, no number, no date."""
    if value.isdigit() or is_mention(value):
        return False
    if _HEX.search(value):
        return (
            len(value) >= 16 and _DIGIT.search(value) is not None and entropy(value.lower()) > 2.8
        )
    return _is_random(value, strict=False) and entropy(value) >= 3.0


def is_uuid(value: str) -> bool:
    """Tell whether a value is a UUID, which some services issue as keys."""
    return _UUID.search(value) is not None


def is_mention(value: str) -> bool:
    """Tell whether a value only points to a secret, stands for one, or is a technical term."""
    value = value[:_LONGEST_MENTION]
    return (
        len(set(value)) == 1
        or any(
            pattern.search(value)
            for pattern in (_REFERENCE, _FILE, _ENV_NAME, _PLACEHOLDER, _TERM, _PUBLIC)
        )
        or (_FIGURE.search(value) is not None and not _is_number(value))
        or _is_place(value)
    )


def entropy(value: str) -> float:
    """Return the bits of information in each character, by the frequencies within the value."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values())


def _is_number(value: str) -> bool:
    """Tell whether it is digits long enough for a password and no date."""
    return (
        value.isdigit() and len(value) >= 6 and not (len(value) == 8 and value[:2] in ("19", "20"))
    )


def _is_password(value: str, how: How) -> bool:
    if not 6 <= len(value) <= 128:
        return False
    letters = any(char.isalpha() for char in value)
    digits = _DIGIT.search(value) is not None
    marks = _MARK.search(value) is not None
    if how is How.NEIGHBOUR:
        return letters and digits and len(value) >= 8 and not is_of_words(value)
    if letters and (digits or marks):
        return how is not How.QUOTED or digits
    # Of digits alone, and of words alone, only a clear sign makes a password.
    return how is How.SIGN and (
        value.isdigit()
        or _PASSPHRASE.search(value) is not None
        or (len(value) >= 8 and _is_jumbled(value))
    )


def _is_random(value: str, *, strict: bool) -> bool:
    """Tell whether a value looks drawn, not written: long, mixed, and not built from words."""
    upper, lower = value != value.lower(), value != value.upper()
    if not _DIGIT.search(value):
        return (
            len(value) >= (20 if strict else 12) and _is_jumbled(value) and not is_of_words(value)
        )
    if not (upper or lower) or is_of_words(value):
        return False
    if strict:
        mixed = upper and lower and sum(map(str.isdigit, value)) > 1
        return (len(value) >= 20 and entropy(value) >= 3.5) or (len(value) >= 14 and mixed)
    if len(value) < 16:
        mixed = upper + lower + (_MARK.search(value) is not None) >= 2
        runs = len(_RUNS.findall(value)) >= 5  # a1b2c3d4e5
        return len(value) >= 8 and (mixed or runs or _KEY_PREFIX.search(value) is not None)
    return entropy(value) >= 3.0 or len(_RUNS.findall(value)) >= 8


def is_of_words(value: str) -> bool:
    """Tell whether a value is built from words and numbers, as names are."""
    # Letters that change their case at every second place are no camelCase.
    humps = _HUMP.findall(value)
    if len(humps) > 3 and sum(map(len, humps)) < 2.8 * len(humps):
        return False
    return all(_WORD.search(part) for part in _SPLIT.split(value))


def is_grouped(value: str) -> bool:
    """Tell whether a value is made of groups of one length, as licences are."""
    return _GROUPS.search(value) is not None and len(set(map(len, value.split("-")))) == 1


def _is_jumbled(value: str) -> bool:
    """Tell whether the case changes from letter to letter far more often than in camelCase."""
    if value in (value.lower(), value.upper()):
        return False
    return sum(a.isupper() != b.isupper() for a, b in pairwise(value)) > 0.4 * len(value)


def _is_place(value: str) -> bool:
    """Tell whether it is `a/b/c`, `a.b.c` or `a::b` of plain names: a place, not a value."""
    if _PATH.search(value):
        return is_of_words(value.lstrip("./"))
    return _PLACE.search(value) is not None and all(
        _PLACE_PART.fullmatch(part) for part in re.split(r"[./\\:-]+", value)
    )
