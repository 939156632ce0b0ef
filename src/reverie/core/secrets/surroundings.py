"""Secrets that no shape of their own gives away, only what stands around them.

A private key has its frame, a connection password its address, credentials their header, and a
password or token the name it is given to. Each function yields spans of the view it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from reverie.core.secrets.given_values import (
    TRAILING,
    entropy,
    is_drawn,
    is_grouped,
    is_mention,
    is_of_words,
    is_secret,
    is_uuid,
    value_span,
    whole,
)
from reverie.core.secrets.names import Asks, How, given, is_service
from reverie.core.secrets.rules import (
    ASSIGNMENT,
    AUTHORIZATION,
    CONNECTION,
    COOKIE,
    PASSWORD,
    PRIVATE_KEY,
    SERVICE,
)
from reverie.core.secrets.view import lower
from reverie.core.text.plain import Lazy

if TYPE_CHECKING:
    from reverie.core.secrets.rules import (
        Found,
    )

_KEY_HEAD: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_TAIL: Final = Lazy(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# A body that was cut off: lines of base64, perhaps quoted, indented or with written-out \n.
_KEY_LINES: Final = Lazy(r"(?:(?:[\s>|\"',*#]|\\[nr])*+[A-Za-z0-9+/=]{16,}+)+")
_KEY_LINE: Final = Lazy(
    r"(?:[ \t>|#]{0,20}(?:\r?\n|\\n)){1,3}[ \t>|#]{0,20}[A-Za-z0-9+/=]{4,200}[ \t]{0,9}(?:\r?\n|\\n|$)"
)
_KEY_INSIDE: Final = Lazy(r"[A-Za-z0-9+/=]{24}")
_BLANKS: Final = frozenset("xX0\\nr \t\r\n>|#*\"',")
_LONGEST_KEY: Final = 20_000

_USERINFO: Final = Lazy(
    r"://([^\s\0:/?#<>\"'`]{0,100}):([^\s\0/<>\"'`]{1,256})@([A-Za-z0-9_.\[-]{0,80})"
)
# https://token@host, https://token:x-oauth-basic@host
_USER_TOKEN: Final = Lazy(
    r"https?://([A-Za-z0-9_-]{20,255})(?::[^\s\0/<>\"'`@]{0,60})?@[A-Za-z0-9]"
)
# https://host-of-a-service/v3/key
_PATH_KEY: Final = Lazy(
    r"://([a-z0-9.-]{4,80})/(?:[\w.-]{1,40}/){0,3}(?:v\d|api|keys?|tokens?|bot|hooks?|webhooks?|services?|ws|rpc)/"
    r"([A-Za-z0-9_-]{20,100})(?![A-Za-z0-9_-])"
)
_CURL_USER: Final = Lazy(
    r"(?<![\w-])(?:-u|-U|--user|--proxy-user|-a|--auth)[ \t=]{0,3}[\"']?([^\s:\"'\0]{0,80})"
    r":([^\s\"'\0]{4,128})()"
)
_HEADERS: Final = Lazy(
    r"(?:^|[\s\"'`{,(;])(?P<name>set-cookie2?|cookie|x-[a-z0-9-]{0,40}(?:api-?key|token|secret|signature|auth|authorization|hmac)(?:-[a-z0-9]{1,12}){0,2}"
    r"|x-hub-signature(?:-256)?|api-?key|apikey|signature|proxy-authorization|private-token|job-token|deploy-token|ocp-apim-subscription-key"
    r"|x-vault-token|x-auth-token|x-access-token|x-csrf-token|x-xsrf-token|x-goog-api-key|x-amz-security-token|x-functions-key|www-authenticate)"
    r"[\"'`]{0,2}[ \t]{0,3}[:=][ \t]{0,3}[\"'`]{0,2}"
)
_HEADER_WORDS: Final = (
    "cookie", "x-", "apikey", "api-key", "api_key", "signature", "-token", "ocp-apim", "www-auth",
    "proxy-auth",
)  # fmt: skip
_COOKIE: Final = Lazy(r"([\w.-]{1,60})=[\"']?([A-Za-z0-9._~+/=%:|-]{16,4000})")
_HEADER_VALUE: Final = Lazy(
    r"(?:[a-z][a-z0-9-]{1,12}[ =]{1,2})?[\"']?([A-Za-z0-9._~+/=-]{16,4000})"
)
_SIGNED: Final = Lazy(
    r"[?&;](?:amp;)?(?:x-amz-signature|x-amz-security-token|x-goog-signature|x-oss-signature|signature|sig|sign|hmac|hash|token|access_token|auth_token"
    r"|id_token|refresh_token|api_?key|apikey|key|secret|auth|jwt|sas|code|session|sessionid|sid|password|passwd|pwd|pass)="
)
_PARAMETER: Final = Lazy(r"[A-Za-z0-9._~+/=%:|-]{12,4000}")
_OPAQUE: Final = re.compile(
    r"(?<![A-Za-z0-9+/_.-])[A-Za-z0-9][A-Za-z0-9+/_.~-]{15,400}={0,2}(?![A-Za-z0-9+/_-])"
)
_GIVEN: Final = Lazy(
    r"([a-z0-9][a-z0-9_. -]{2,50}|[a-z0-9][a-z0-9_. -]{2,40}\r?\n[a-z_ ]{1,12})[\"'`\])]{0,3}"
    r"(?:[ \t]{0,40}(:=|=>|->|[:=]|,|(?=\())[ \t]{0,40}[\"'`(\[{]{0,3}|[ \t]{1,4}[\"'`]?|\r?\n[ \t]{0,8})$"
)
_GLUED: Final = Lazy(
    r"([a-z][a-z0-9]{2,24})[._-]((?:(?:api|secret|private|access|key|token|tok|auth)[._-]?){0,4})(?<=[._-])(?=[a-z0-9])"
)
_KEY_WORD: Final = Lazy(
    r"api|secret|private|access|key|token|tok(?:$|[^a-z])|auth|pat(?:$|[^a-z])|login"
)
# A word for a key, and no other word on the way to the value.
_BESIDE: Final = Lazy(
    r"(?<![a-z])(?:(?:api|access|auth|secret|private|bearer)[ _-]?(?:key|token)s?|secrets?|tokens?"
    r"|credentials?|authorization|authenticat\w{1,4}|passwords?|pat)(?![a-z])"
    r"(?!.{0,60}(?:hash|sha\d|md5|digest|finger|public|commit|version|image|cache|next|page|cursor))"
)
_KEYED: Final = Lazy(
    r"(?!(?:cache|public|pub|idempotency|primary|foreign|sort|partition|next|page|i18n|test)[_-])"
    r"(?:[a-z][a-z0-9]{0,11}[_-]){0,2}[a-z0-9]{0,6}(?:sk|key|token|tok|secret|pat|live|ek|auth)[_-]"
    r"(?:[a-z][a-z0-9]{0,5}[_-]){0,2}(?=[A-Za-z0-9]{20,200}$)"
)
_EDGE: Final = Lazy(r"[\s\"'`=:(\[,>]$")
_LONG: Final = 28
_NEAR: Final = 3  # spaces; behind more words, an identifier is meant as often as a key
_PARTS: Final = re.compile(r"[^a-z0-9]+")
_ELEMENT: Final = Lazy(
    r"<((?:[A-Za-z][\w.:-]{0,40}?)?(?i:password|passwd|pwd|passphrase|secret|token|key|credentials?))"
    r"(?:[ \t][^<>]{0,200})?>"
    r"([^<\0]{6,4000})</"
)
_PAIR: Final = Lazy(
    r"(?i:key|name|var|variable)[\"']?[ \t]{0,4}[=:][ \t]{0,4}[\"']?([\w.-]{0,60}"
    r"(?i:password|passwd|passphrase|pwd|pass|secret|token|key|credential|pat|auth|login)[\w.-]{0,20})[\"']?"
    r"[ \t\r\n,]{1,40}[\"']?(?i:value)[\"']?[ \t]{0,4}[=:][ \t]{0,4}[\"']?([^\s\0\"'<>]{6,256})"
)
_WEB_KEY: Final = Lazy(r"\"(?:d|p|q|dp|dq|qi|k)\"[ \t]{0,3}:[ \t]{0,3}\"([A-Za-z0-9_-]{20,2000})\"")
_PASSWORD_ELEMENT: Final = Lazy(r"(?i)pass|pwd")
_ELEMENT_WORD: Final = Lazy(r"[^\s{}\0\"'<>]{6,4000}")
_NOT_A_KEY: Final = Lazy(
    r"(?<![a-z])(?:hash|sha|sum|commit|digest|version|uuid|guid|integrity|path|url|uri|image|revision|rev|ref|name|md5|etag|nonce|fingerprint|thumbprint|public"
    r"|title|branch|tag|file|folder|dir|host|domain|email|user|username|project|region|bucket|model|class|type|format|date|time|number|phone|size"
    r"|cursor|page|etag|trace|span|request|account|client|app|group|org|team|channel|object|resource|package|module|import|from|require|include|repo)"
    r"(?:_?id)?s?[\"'`\])]{0,3}[ \t]{0,4}(?::=|=>|->|[:=]|,)"
)
_STAND_INS: Final = frozenset(
    {
        "pass",
        "password",
        "passwd",
        "pwd",
        "pw",
        "secret",
        "token",
        "key",
        "p",
        "mypassword",
        "anoncvs",
        "anonymous",
        "guest",
        "tiger",
    }
)
# In an address, a word for it stands where a password would.
_PASSWORD_NAME: Final = Lazy(
    r"^[^0-9]*(?:pass|wort$|woord|contrase|senha|clave|parol|heslo|haslo)[^0-9]*$"
)
_FONT: Final = re.compile(r"\\f[A-Z]")  # of a manual page: \fIpassword\fR
_LOCAL: Final = frozenset(
    {"localhost", "127.0.0.1", "[", "db", "postgres", "mysql", "redis", "mongo"}
)

_SCHEME: Final = Lazy(
    r"(?:authorization[\"'`]{0,2}[ \t]{0,3}[:=][ \t]{0,3}[\"'`]{0,2}"
    r"(?:(basic|bearer|token|digest|apikey|bot|ntlm|negotiate)[ \t]{1,3})?|(?<![a-z])bearer[ \t]{1,3}[\"'`]?)"
)
_CREDENTIAL: Final = Lazy(r"[A-Za-z0-9._~+/=-]{12,}+")
# hunter2abc is the password
_IS_THE_PASSWORD: Final = Lazy(
    r"(?i)[ \t](?:is|as|ist|est)[ \t](?:the|my|our|a|das|le)?[ \t]?(?:\w{1,16}[ \t])?"
    r"pass(?:word|wort|phrase)(?![\w-]|[ \t](?!for|of|to|on|für))"
)
_VALUE_BEFORE: Final = Lazy(r"(?:^|(?<=[\s\"'`]))([^\s\0\"'`<>|]{6,128})[\"'`]?$")
_LONGEST_STATED: Final = 132
# login: admin / hunter2abc
_LOGIN: Final = Lazy(
    r"(?i)(?<![a-z])(?:login|logins|credentials?|creds|user/pass(?:word)?|username/password|账号密码"
    r"|用户名密码)[*_`]{0,3}[ \t]?(?:is|are|[:=])[*_`]{0,3}[ \t]{0,3}[\w.@+-]{2,60}[ \t]?[/:|,][ \t]?"
    r"([^\s\0\"'`<>|]{6,128})"
)
_LOGIN_WORDS: Final = (
    "login", "credential", "creds", "user/pass", "username/pass", "账号密码", "用户名密码",
)  # fmt: skip


def private_keys(text: str) -> Iterator[Found]:
    """Find private key blocks that have a body; a header in a sentence is only a mention."""
    heads = list(_KEY_HEAD.finditer(text))
    if not heads:
        return
    limits = [head.start() for head in heads[1:]] + [len(text)]
    for head, limit in zip(heads, limits, strict=True):
        body, limit = head.end(), min(limit, head.end() + _LONGEST_KEY)
        tail = _KEY_TAIL.search(text, body, limit)
        lines = _KEY_LINES.match(text, body, limit) or _KEY_LINE.match(text, body, limit)
        if lines and not set(lines[0]) - _BLANKS:
            continue
        if tail and (lines or _KEY_INSIDE.search(text, body, tail.start())):
            yield head.start(), tail.end(), PRIVATE_KEY.id
        elif lines:
            yield head.start(), lines.end(), PRIVATE_KEY.id


def connections(text: str) -> Iterator[Found]:
    """Find passwords in addresses (`scheme://user:password@host`) and after `curl -u`."""
    patterns = []
    if "://" in text and "@" in text:
        patterns.append(_USERINFO)
    if any(word in text for word in ("curl", "wget", "http ", "https ", "xh ")):
        patterns.append(_CURL_USER)
    if "://" in text:
        for match in _USER_TOKEN.finditer(text) if "@" in text else ():
            if is_drawn(match[1]):
                yield *match.span(1), CONNECTION.id
        for match in _PATH_KEY.finditer(text):
            if any(map(is_service, match[1].split("."))) and is_drawn(match[2]):
                yield *match.span(2), SERVICE.id
    for pattern in patterns:
        for match in pattern.finditer(text):
            user, password, host = match.groups()
            if not is_shown(password) and not (password == user and host in _LOCAL):
                yield *match.span(2), CONNECTION.id


def headers(text: str) -> Iterator[Found]:
    """Find the values of cookies, of headers that carry a key, and of signed addresses."""
    lowered = lower(text)
    told = any(word in lowered for word in _HEADER_WORDS)
    for header in _HEADERS.finditer(lowered) if told else ():
        if "cookie" in header["name"]:
            line = lowered.find("\n", header.end(), header.end() + 8000)
            limit = header.end() + 8000 if line < 0 else line
            for pair in _COOKIE.finditer(text, header.end(), min(limit, len(text))):
                if is_drawn(pair[2]):
                    yield *pair.span(2), COOKIE.id
        elif (
            (value := _HEADER_VALUE.match(text, header.end()))
            and is_drawn(value[1])
            and text[value.end() : value.end() + 1] not in ("(", "[")  # what a program calls
        ):
            yield *value.span(1), COOKIE.id
    for sign in _SIGNED.finditer(lowered) if "://" in text and "?" in text else ():
        value = _PARAMETER.match(text, sign.end())
        if value and is_drawn(value[0]):
            yield *value.span(), COOKIE.id


def elements(text: str) -> Iterator[Found]:
    """Find what stands in an element that is named for a secret: `<password>...</password>`."""
    for element in _ELEMENT.finditer(text) if "</" in text else ():
        asks = Asks.PASSWORD if _PASSWORD_ELEMENT.search(element[1]) else Asks.SECRET
        for word in _ELEMENT_WORD.finditer(text, *element.span(2)):
            if is_secret(word[0], asks) or (asks is Asks.SECRET and is_drawn(word[0])):
                yield *word.span(), (PASSWORD if asks is Asks.PASSWORD else ASSIGNMENT).id


def pairs(text: str) -> Iterator[Found]:
    """Find values whose name stands beside them: `name: DB_PASSWORD, value: x`."""
    for match in _PAIR.finditer(text) if "value" in text or "Value" in text else ():
        name = lower(match[1])
        asks = Asks.PASSWORD if _PASSWORD_ELEMENT.search(name) else Asks.API_KEY
        value = match[2].rstrip(TRAILING)
        if is_secret(value, asks) and (
            "login" not in name or (is_drawn(value) and len(value) >= 20)
        ):
            start = match.start(2)
            yield (
                start,
                start + len(match[2].rstrip(TRAILING)),
                (PASSWORD if asks is Asks.PASSWORD else ASSIGNMENT).id,
            )


def web_keys(text: str) -> Iterator[Found]:
    """Find the private parts of a JSON Web Key."""
    if '"kty"' in text:
        for match in _WEB_KEY.finditer(text):
            yield *match.span(1), PRIVATE_KEY.id


def services(text: str) -> Iterator[Found]:
    """Find random-looking values that are given to the name of a service which issues keys."""
    for match in _OPAQUE.finditer(text):
        start, end = match.span()
        if _is_keyed(match[0]):
            yield start, end, SERVICE.id
            continue
        if text[end : end + 1] == "(" or not any(map(str.isdigit, match[0])):
            continue
        glued = _GLUED.match(lower(match[0]))
        if glued and is_service(glued[1]):  # datadog-key-0a1b2c
            start += glued.end()
            named = " ".join(glued.groups(""))
        else:
            before = lower(text[max(0, start - 64) : start])
            if _NOT_A_KEY.search(before):
                continue
            if _is_beside(before, match[0]):
                yield start, end, ASSIGNMENT.id
                continue
            given = _GIVEN.search(before)
            if given is None:
                continue
            named = given[1] if given[2] else f"{given[1]} "
        if _is_of_service(named, text[start:end], signed=not glued and not named.endswith(" ")):
            yield start, end, SERVICE.id


def _is_keyed(value: str) -> bool:
    """Tell whether a value says of itself that it is a key, as tokens of most services do."""
    keyed = _KEYED.match(value)
    if keyed is None:
        return False
    body = value[keyed.end() :]
    digits = sum(map(str.isdigit, body))
    mixed = body not in (body.lower(), body.upper())
    return digits >= (2 if mixed else 5) and is_drawn(body) and entropy(body) >= 3.3


def _is_beside(before: str, value: str) -> bool:
    """Tell whether a value that can hardly be anything but a key stands behind a word for one."""
    if len(value) < _LONG:
        return False
    line = before[before.rfind("\n") + 1 :]
    beside = _BESIDE.search(line)
    if beside is None or not _EDGE.search(line) or line.count(" ", beside.end()) > _NEAR:
        return False
    kinds = sum(any(map(test, value)) for test in (str.isupper, str.islower, str.isdigit))
    if kinds < 3 or is_mention(value) or is_of_words(value) or is_uuid(value):
        return False
    return entropy(value) >= 3.9 and sum(map(value.count, "/.+")) <= len(value) / 16


def _is_of_service(name: str, value: str, *, signed: bool) -> bool:
    parts = _PARTS.split(name.strip())[-4:]
    joined = {"".join(parts[-count:]) for count in (2, 3)}
    known = [spans for part in {*parts, *joined} for spans in is_service(part)]
    if not known:
        return False
    fits = any(low <= len(value) <= high for low, high in known)
    if _KEY_WORD.search(name):
        return is_drawn(value) or (fits and (signed or is_grouped(value)))
    return fits and (is_drawn(value) or (signed and is_uuid(value)))


def authorizations(text: str) -> Iterator[Found]:
    """Find the credentials of an Authorization header, and tokens after `Bearer`."""
    lowered = lower(text)
    if "authorization" not in lowered and "bearer" not in lowered:
        return
    for scheme in _SCHEME.finditer(lowered):
        match = _CREDENTIAL.match(text, scheme.end())
        if match is None or is_mention(match[0]):
            continue
        mixed = any(map(str.isdigit, match[0]))
        if mixed or (scheme[1] == "basic" and not match[0].islower()):
            yield match.start(), match.end(), AUTHORIZATION.id


def assignments(text: str) -> Iterator[Found]:
    """Find concrete values given to names that ask for a password, a key or a token."""
    last = (0, 0)
    for place in given(text, lower(text)):
        if last[0] <= place.start < last[1]:  # a name inside a value, which may be very long
            continue
        span = value_span(text, place.start, query=place.query)
        if span and is_secret(text[slice(*span)], place.asks, place.how):
            last = whole(text, span)
            yield *last, (PASSWORD if place.asks is Asks.PASSWORD else ASSIGNMENT).id


def stated(text: str) -> Iterator[Found]:
    """Find passwords that stand before the word, and pairs of a user and a password."""
    lowered = lower(text)
    found: list[tuple[int, str]] = []
    if "pass" in lowered:
        for verb in _IS_THE_PASSWORD.finditer(text):
            begin = max(0, verb.start() - _LONGEST_STATED)
            if value := _VALUE_BEFORE.search(text[begin : verb.start()]):
                found.append((begin + value.start(1), value[1]))
    if any(word in lowered for word in _LOGIN_WORDS):
        found += ((match.start(1), match[1]) for match in _LOGIN.finditer(text))
    for start, told in found:
        password = told.rstrip(TRAILING)
        if is_secret(password, Asks.PASSWORD, How.VERB):
            yield start, start + len(password), PASSWORD.id


def is_shown(password: str) -> bool:
    """Tell whether an address only shows where the password goes; there, digits are a password."""
    if len(password) < 4 or password.isdigit():
        return len(password) < 4
    password = _FONT.sub("", password).strip("[](){}")
    if len(password) < 4:
        return True
    lowered = password.lower()
    named = password.isalpha() or "_" in password
    if lowered in _STAND_INS or (named and _PASSWORD_NAME.search(lowered)):
        return True
    return is_mention(password)
