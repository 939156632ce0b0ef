"""Values that are given to a name: which names ask for a secret, and which values are one.

Rules:

* A mention is no secret: references (`${X}`, `process.env.X`, `vault/path`), placeholders
  (`<token>`, `xxxx`, `changeme`), plain words, technical terms, dates, versions, sizes.
* A password needs two kinds of characters (or six digits). A key, secret or token must look random:
  a name made of words, as in `my-app-secret-2`, does not.
* Values are read from a folded text (ASCII width), names from its lower-case form.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from enum import Enum
from typing import Final


class Asks(Enum):
    """What a name asks for, from the loosest test of its value to the strictest."""

    PASSWORD = "password"
    SECRET = "secret"
    TOKEN = "token"


# Longer names first where one begins another. `[ _-]?` joins: api key, api_key, api-key, apikey.
_PASSWORD_NAMES: Final = (
    r"passwords?|passwd|passphrase|passcode|passwort|passwörter|kennwort|(?<![a-z])p(?:ass)?wd|(?<![a-z])pw"
    r"|(?:db|user|root|admin|smtp|mysql|ftp|mail|redis|sudo|pg|login)[ _/-]?pass(?!w|p|c)"
    r"|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|패스워드|contraseñas?|contrasena|(?<![a-z])clave"
    r"|mots?[ -]de[ -]passe|senhas?|palavra-passe|(?<![a-z])parolă?|hasło|heslo|jelszó|wachtwoord|lösenord"
    r"|adgangskode|passord|salasana|şifre|mật khẩu|kata sandi|парол[ьяюе]|лозинка|รหัสผ่าน"
    r"|كلمة المرور|كلمة السر|סיסמה|סיסמא|رمز عبور|पासवर्ड|κωδικός πρόσβασης"
)
_SECRET_NAMES: Final = (
    r"api[ _.-]?keys?|secret[ _-]?access[ _-]?keys?|secret[ _-]?keys?|secret[ _-]?tokens?|secrets?"
    r"|(?:access|private|encryption|signing|master|auth|account|license|service|deploy|subscription|storage"
    r"|shared|consumer|client|webhook|admin|root|bot|hmac|jwt|app|session)[ _-]?keys?"
    r"|(?:auth|access|refresh|bearer|bot|api|personal[ _-]access|deploy|id|session|oauth|security)[ _-]?tokens?"
    r"|credentials?|api[ _-]?schlüssel|schlüssel|clave[ _-]?api|clé[ _-]?(?:api|secrète)|chave"
    r"|密钥|密鑰|金鑰|私钥|令牌|凭证|凭据|秘密鍵|シークレット|トークン|api ?キー|アクセスキー"
    r"|시크릿|토큰|api ?키|секрет|токен|ключ"
)
NAMES: Final = re.compile(
    f"(?P<password>{_PASSWORD_NAMES})|(?P<secret>{_SECRET_NAMES})|(?P<token>tokens?|(?<![a-z])keys?)"
)
_OTHER_KEYS: Final = re.compile(
    r"(?:public|primary|foreign|cache|idempotency|sort|partition|object|s3|redis|json|i18n|translation|lookup|routing"
    r"|group|hash|host|dedupe|map|dict|index|row|unique|next|page|continuation)[ _-]?$"
)
# What may stand behind a name without making it another thing: DB_PASSWORD_PROD, password2.
_SUFFIX: Final = r"(?:[ _-]?(?:prod|production|dev|test|staging|stage|live|main|old|new|value|v?\d{1,2}))?"
_CLOSING: Final = r"""["'`*_~\\\])]{0,6}[ \t]{0,4}"""
_OPENING: Final = r"""[*_~`]{0,3}[ \t]{0,8}[\["'`*_~\\(]{0,6}"""
_ABOUT: Final = (
    r"(?:[ \t](?:for|of|to|on|in|at|from|für|von|zum|pour|du|de|del|para|da|do|för|voor|для|от)"
    r"(?:[ \t][^\s:=：]{1,40}){1,4}?)?"
)
_IS: Final = (
    r"(?:is|was|are|be|ist|lautet|est|es|era|é|è|är|er|on|jest|to|это|равен|была|là|adalah|คือ|هي|هو|היא|σε|:|=)"
)
GIVES: Final = re.compile(
    rf"{_SUFFIX}{_CLOSING}(?:"
    rf"(?P<sign>:=|={{1,3}}>?|:|->|→|⇒|\||—|–){_OPENING}"
    rf"|{_ABOUT}[ \t](?P<word>{_IS})[ \t:]{{1,4}}[\"'`*_~\\]{{0,6}}"
    r"|(?P<unspaced>(?:就)?(?:是|为|為|设为|改为|は|が|이|은|는|:)[ \t:]{0,4}[\"'`*_~\\「『“”]{0,6})"
    rf"|{_ABOUT}[ \t]{{0,2}}(?P<late>[:=]){_OPENING}"
    r")"
)
FLAG: Final = re.compile(r"""[ \t]{1,4}["']?""")

# Bare values end at white space, quotes, brackets of markup, a blanked placeholder, or CJK text.
_CJK: Final = "\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97c\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003fffd"
BARE: Final = re.compile(rf"[^\s\0\"'`<>|“”„«»{_CJK}]{{1,512}}")
QUOTED: Final = {quote: re.compile(rf"[^{quote}\n\0]{{1,512}}(?={quote})") for quote in "\"'`"}
_TRAILING: Final = ",.;:!?)]}*_~\\"

_REFERENCE: Final = re.compile(
    r"^[$%{<\[(]|\$\{|\{\{|^(?:process|import\.meta|os|env|environ|secrets?|vars?|config|settings|self|this|args|opts"
    r"|options|params|ctx|context|req|request|props|state|data|user|inputs?|event|cfg|conf|credentials?)[.\[:]"
    r"|^(?:op|vault|secret|ssm|arn|file|env|keychain|keyring|sops|aws|gcp|azure|bws|doppler|ref)[:/]"
    r"|[A-Za-z_]\(|^[A-Za-z][A-Za-z0-9+.-]{1,20}://|^(?:~|\.{1,2})?/[\w.-]+/|^~|^[A-Za-z]:\\|^@[a-z]"
    r"|\.(?:env|json|ya?ml|toml|md|txt|pem|key|py|ts|js|sh|ini|cfg|conf|local|example|gpg|age|kdbx|tf|go|rs|java)$"
    r"|^[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}$|^!(?:secret|vault|env|ref)"
)
_ENV_NAME: Final = re.compile(r"^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
_PLACEHOLDER: Final = re.compile(
    r"(?i)(?:^|[-_. ])(?:your|my|the|a|some|example|sample|placeholder|dummy|fake|insert|enter|replace|redacted|todo"
    r"|tbd|changeme|change-?me|mock|foo|bar|foobar|here)(?:$|[-_. ])|x{4,}|\*{3,}|\.{3,}|…|•{2,}|^0+$|redacted"
)
_TERMS: Final = re.compile(
    r"(?i)(?:^|[-_./: ])(?:argon2(?:id|i|d)?|bcrypt\d*|scrypt|pbkdf2|sha-?\d{1,3}|md5|hmac|aes-?\d*|rsa-?\d*|ed25519|ecdsa|x509"
    r"|x25519|hs(?:256|384|512)|[re]s(?:256|384|512)|oauth-?[12]?|openid|base-?(?:16|32|58|62|64)|utf-?(?:8|16|32)|http[23s]?"
    r"|1password|lastpass|keepassxc?|bitwarden|rfc-?\d+|iso-?\d+|uuid(?:v?\d)?|totp|2fa|mfa|k8s|kubernetes|pkcs\d+|ascii"
    r"|alphanumeric|chars?|characters?|digits?|bits?|bytes?|min|max|varchar\d*|char\d+|int(?:8|16|32|64)|i18n|a11y|win32|ipv[46]"
    r"|web3|oidc|saml2?|ldap|cookie|jwt|jwks?|ssh|tls(?:v?1(?:\.\d)?)?)(?:$|[-_./: ])"
)
_NUMBERISH: Final = re.compile(
    r"(?i)^(?:v?\d+(?:[.,:/xX-]\d+)*\+?|[<>=~^]*\d+(?:[.,]\d+)?(?:%|[a-z]{1,3}|-?(?:mins?|hours?|days?|weeks?|months?|years?"
    r"|chars?|tokens?|bits?|bytes?|times|users|requests?|minutes?|seconds?))|[A-Z]{2,10}-\d{1,6}|\d{4}-\d\d-\d\d\S*"
    r"|v\d+(?:\.\d+)*\S{0,12})$"
)
_DATE: Final = re.compile(r"^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$")
_UUID: Final = re.compile(r"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_HEX: Final = re.compile(r"(?i)^(?:0x)?[0-9a-f]+$")
_WORD: Final = re.compile(r"^(?:\d{0,4}(?:[A-Z]?[a-z]+|[A-Z]+){0,6}\d{0,4}|[A-Za-z]\d{1,2}[A-Za-z])$")
_SPLIT: Final = re.compile(r"[-_./:@+ ]+")
_KEY_PREFIX: Final = re.compile(r"^(?:sk|rk|pk|key|api|token|pat|ghp|xox[abp]|AKIA)[-_]?")


def trimmed(value: str) -> str:
    """Cut what belongs to the sentence or the markup around a bare value."""
    return value.rstrip(_TRAILING)


def is_secret(value: str, asks: Asks, *, before: str = "", said: bool = False) -> bool:
    """Tell whether a value given to a name is a secret, not a reference, a placeholder or a word.

    `before` is the lower-case text just before the name; `said` when a verb, not a sign, gives it.
    """
    if is_mention(value):
        return False
    if asks is Asks.PASSWORD:
        return _is_password(value, said=said)
    if asks is Asks.TOKEN and _OTHER_KEYS.search(before):
        return False
    return _is_random(value, strict=asks is Asks.TOKEN)


def is_mention(value: str) -> bool:
    """Tell whether a value only points to a secret, stands for one, or is a technical term."""
    return bool(
        _REFERENCE.search(value)
        or _ENV_NAME.search(value)
        or _PLACEHOLDER.search(value)
        or _TERMS.search(value)
        or _NUMBERISH.search(value) and not (value.isdigit() and len(value) >= 6)
        or _DATE.search(value)
        or len(set(value)) <= 1
        or _is_path_of_names(value)
    )  # fmt: skip


def entropy(value: str) -> float:
    """Return the bits of information in each character, by the frequencies within the value."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values())


def _is_password(value: str, *, said: bool) -> bool:
    if not 6 <= len(value) <= 128 or " " in value:
        return False
    letters = any(char.isalpha() for char in value)
    digits = any(char.isdigit() for char in value)
    marks = any(not char.isalnum() and char not in "-_./'’&()[]{}:,+" for char in value)
    if said and not (letters and (digits or marks)):
        return False
    return letters and (digits or marks) or value.isdigit()


def _is_random(value: str, *, strict: bool) -> bool:
    """Tell whether a value looks drawn, not written: long, mixed, and not built from words."""
    if " " in value or len(value) > 4096:
        return False
    digits = sum(char.isdigit() for char in value)
    if _UUID.search(value):
        return not strict
    if _HEX.search(value):
        return len(value) >= 32 and digits > 0 and entropy(value.lower()) > 2.5
    upper = any(char.isupper() for char in value)
    lower = any(char.islower() for char in value)
    if not digits:
        return len(value) >= 20 and upper and lower and _changes(value) > 0.4
    if not strict and len(value) >= 8 and _KEY_PREFIX.search(value) and not _of_words(value):
        return True
    if not strict and 8 <= len(value) < 16:
        marks = any(not char.isalnum() and char not in "-_./:" for char in value)
        return upper + lower + marks >= 2 and not _of_words(value)
    if len(value) < (20 if strict else 16) or _of_words(value):
        return False
    return entropy(value) >= (3.5 if strict else 3.0) and (upper or lower)


def _changes(value: str) -> float:
    """Return how often the case changes from letter to letter; in camelCase it does so rarely."""
    return sum(a.isupper() != b.isupper() for a, b in zip(value, value[1:], strict=False)) / len(value)


def _of_words(value: str) -> bool:
    return all(_WORD.search(part) for part in _SPLIT.split(value))


def _is_path_of_names(value: str) -> bool:
    """Tell whether it is `a/b/c`, `a.b.c` or `a::b` of plain names: a place, not a value."""
    return bool(re.search(r"[./\\]|::", value)) and all(
        re.fullmatch(r"[A-Za-z_]*\d{0,2}", part) for part in re.split(r"[./\\:-]+", value)
    )
