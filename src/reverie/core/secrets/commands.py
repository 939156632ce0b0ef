"""Passwords that a command line, a program's source or a file of credentials gives away.

Rules:

* Each row has words, one of which every match contains, and a pattern whose last group is the password.
* A pattern is compiled when a text first holds one of its words: few texts do.
* Every repetition is bounded, so that matching is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from reverie.core.secrets.given_values import TRAILING, is_secret
from reverie.core.secrets.names import Asks, How
from reverie.core.secrets.rules import COMMAND
from reverie.core.secrets.surroundings import is_shown

if TYPE_CHECKING:
    from reverie.core.secrets.rules import Found

_ARGUMENT: Final = r"\\?[\"']?([^\s\"'\\\0<>|;&]{4,128})"
_OPTIONS: Final = (
    r"[ \t](?:[^\r\n\0]{0,200}?[ \t])?"  # whatever stands before the one that is meant
)
_NAMED: Final = r"(?:password|passwd|pwd|secret|token|key)"
_COMMANDS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (
        ("mysql", "mariadb", "mycli"),
        rf"(?:mysql\w{{0,10}}|mariadb[\w-]{{0,10}}|mycli){_OPTIONS}-p(?!ort|rotocol|ager|rint){_ARGUMENT}",
    ),
    (("mongo",), rf"mongo(?:sh|dump|restore|export|import)?{_OPTIONS}-p[ \t]{{0,3}}{_ARGUMENT}"),
    (
        ("login",),
        r"(?:docker|podman|buildah|nerdctl|helm|az|oc|acr|skopeo|cf|crane|heroku|ibmcloud)[ \t]"
        rf"(?:[^\r\n\0]{{0,80}}?[ \t])?login{_OPTIONS}(?:-p|--password|--token)[ \t=]{{1,3}}{_ARGUMENT}",
    ),
    (("sshpass",), rf"sshpass[ \t](?:-v[ \t])?-p[ \t]{{0,3}}{_ARGUMENT}"),
    (
        ("sexec", "SEXEC", "sExec"),
        rf"(?i:psexec(?:\.exe)?){_OPTIONS}-p[ \t]{{1,3}}{_ARGUMENT}",
    ),
    (
        ("SecureString",),
        rf"ConvertTo-SecureString[ \t]{{1,3}}(?:-String[ \t]{{1,3}})?{_ARGUMENT}",
    ),
    (("unseal",), rf"vault operator unseal[ \t]{{1,3}}{_ARGUMENT}"),
    (("redis-cli",), rf"redis-cli{_OPTIONS}(?:-a|--pass)[ \t]{{1,3}}{_ARGUMENT}"),
    (("ldap",), rf"ldap(?:search|add|modify|delete|whoami){_OPTIONS}-w[ \t]{{0,3}}{_ARGUMENT}"),
    (("sqlcmd", "bcp", "osql"), rf"(?:sqlcmd|bcp|osql){_OPTIONS}-P[ \t]{{0,3}}{_ARGUMENT}"),
    (
        ("rdesktop", "evil-winrm", "mosquitto_", "beeline"),
        rf"(?:rdesktop|evil-winrm|mosquitto_(?:pub|sub)|beeline){_OPTIONS}-[pP][ \t]{{1,3}}{_ARGUMENT}",
    ),
    (("xfreerdp",), rf"xfreerdp{_OPTIONS}/p:{_ARGUMENT}"),
    (
        ("keytool",),
        rf"keytool{_OPTIONS}-(?:store|key|dest|src)[a-z]{{0,10}}pass[ \t]{{1,3}}{_ARGUMENT}",
    ),
    (("openssl",), rf"openssl{_OPTIONS}-pass(?:in|out)?[ \t]{{1,3}}[\"']?pass:{_ARGUMENT}"),
    (
        ("htpasswd",),
        r"htpasswd[ \t]-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}[ \t]{1,3}\S{1,120}[ \t]{1,3}\S{1,60}[ \t]{1,3}"
        + _ARGUMENT,
    ),
    (
        ("sqlplus", "smbclient"),
        rf"(?:sqlplus|smbclient){_OPTIONS}(?:-U[ \t]{{1,3}})?[\"']?[\w.@\\-]{{1,60}}[/%]"
        rf"(?=[^/\s]{{4,60}}(?:@|[\"'\s]|$)){_ARGUMENT}",
    ),
    (  # SQL: a user and its password, which has a digit; in prose much is identified by something
        ("dentified", "DENTIFIED", " PASSWORD", " password"),
        r"(?i:identified[ \t](?:with[ \t][\w\"'`]{1,40}[ \t])?(?:by|as)(?:[ \t]password)?"
        r"|(?:role|user)[ \t][\w\"'`@%.-]{1,80}[ \t](?:with[ \t])?(?:login[ \t])?(?:encrypted[ \t])?password"
        r"|set[ \t]password(?:[ \t]for[ \t][\w\"'`@%.-]{1,80})?[ \t]?=(?:[ \t]?password\()?)"
        r"[ \t]{0,3}\\?[\"']?((?=[^\s\"']{0,60}\d)[^\s\"'\\;)\0]{6,128})",
    ),
    (
        ("CURLOPT_",),
        r"CURLOPT_(?:PROXY)?(?:USERPWD|PASSWORD|XOAUTH2_BEARER|KEYPASSWD)[ \t]{0,3}(?:,|=>?)[ \t]{0,3}"
        r"[\"'](?:[^\s:\"']{1,60}:)?([^\s\"'\0]{4,400})[\"']",
    ),
    (  # a key in bytes
        ("0x",),
        r"(?i:(?:key|secret|token|password|passwd|pwd|seed)[a-z0-9_]{0,12}(?:\[\w{0,12}\])?[ \t]{0,3}"
        r"[:=]?=?[ \t\r\n]{0,8}(?:new[ \t])?(?:[a-z\[\]]{0,12}[ \t]?)[\[{(][ \t\r\n]{0,12})"
        r"((?:0x[0-9A-Fa-f]{2}[ \t\r\n]{0,8},[ \t\r\n]{0,12}){7,300}0x[0-9A-Fa-f]{2})",
    ),
    (("${",), rf"\$\{{\w{{0,50}}(?i:{_NAMED})\w{{0,12}}:[-=]([^\s\"'{{}}\0]{{6,128}})\}}"),
)
_STRING: Final = r"[ \t\r\n]{0,20}[\"'][^\"'\r\n\0]{1,120}[\"'][ \t]{0,4},[ \t\r\n]{0,20}"
_LAST: Final = r"[\"']([^\"'\s\0]{6,128})[\"'][ \t\r\n]{0,20}[,)]"
# What must look like a password, too: words, pattern, and how clearly it is given.
_JUDGED: Final = (
    (  # what counts when a variable is not set
        ("env", "ENV"),
        rf"(?i:(?:env\w{{0,10}}|getenv)[\w.:]{{0,12}}[\[(.][ \t]{{0,2}}[\"']?[\w.-]{{0,50}}{_NAMED}"
        r"[\w-]{0,12}[\"']?[ \t]{0,2}[\])]?[ \t]{0,3}(?:or|\|\||\?\?|,)[ \t]{0,3}[\"'])"
        r"([^\s\"'\0]{6,128})[\"']",
        How.SIGN,
    ),
    (  # the default of something that is named for a secret
        ("default", "Default"),
        rf"(?i:{_NAMED}[\"'\]]{{0,2}}[ \t]{{0,3}}(?:[:=,(]|\{{|=>)[^;\0]{{0,120}}?(?<![a-z])"
        r"default(?:value)?[\"']?[ \t]{0,3}(?:[:=]|=>)[ \t]{0,3}"
        r"(?:[\"']([^\s\"'\0]{6,128})[\"']|([^\s\"'\\<>{}(),;\0]{6,128})))",
        How.WRAPPED,
    ),
    (  # what a program is given in its source: a user and a password, perhaps behind an address
        ("redential", "REDENTIAL", "uth", "ogin", "ogon", "DirectoryEntry", "loudant"),
        r"(?:(?i:credentials?|auth(?:enticat(?:e|or|ion))?|log[io]n|cloudant)\w{0,12}|DirectoryEntry|auth=)"
        rf"[ \t]{{0,2}}\((?:[^()\"'\r\n\0]{{1,120}},)?(?:{_STRING}){{1,2}}{_LAST}",
        How.SIGN,
    ),
    (
        ("onnect", "PDO", "mysqli", "MySQLdb"),
        r"(?:[Cc]onnect\w{0,12}|PDO|mysqli)[ \t]{0,2}\((?:[^()\"'\r\n\0]{1,120},"
        rf"|{_STRING}){_STRING}{_LAST}",
        How.SIGN,
    ),
)
_STAND_IN: Final = re.compile(r"^[\[{(<$%]|^\*(?![0-9A-F]{40})|^-|^[A-Z_]{3,}$|^\.{2,}$")
# One line of .pgpass: host:port:database:user:password.
_PGPASS: Final = (
    r"(?m)^[ \t]{0,8}(?:[\w.*-]{1,100}|\[[0-9a-f:]{2,45}\]):(?:\d{2,5}|\*):[A-Za-z_*][\w.*-]{0,63}"
    r":[A-Za-z_*][\w.@*-]{0,63}:([^\s\0:\"'<>]{4,128})[ \t]{0,8}$"
)


def commands(text: str) -> Iterator[Found]:
    """Find passwords on command lines, in sources, and in lines of a .pgpass."""
    for words, pattern in _COMMANDS:
        if _has_any(text, words):
            for start, value in _values(text, pattern):
                yield start, start + len(value), COMMAND.id
    for words, pattern, how in _JUDGED:
        if _has_any(text, words):
            for start, value in _values(text, pattern):
                if is_secret(value, Asks.PASSWORD, how):
                    yield start, start + len(value), COMMAND.id
    if text.count(":") >= 4:
        for match in _compiled(_PGPASS).finditer(text):
            if is_secret(match[1], Asks.PASSWORD):
                yield *match.span(1), COMMAND.id


def _has_any(text: str, words: tuple[str, ...]) -> bool:
    return any(map(text.__contains__, words))  # every text is asked some thirty times


def _values(text: str, pattern: str) -> Iterator[tuple[int, str]]:
    """Yield what a pattern finds, without what only shows where a password goes."""
    for match in _compiled(pattern).finditer(text):
        group = match.lastindex or 1
        value = match[group].rstrip(TRAILING)
        if not _STAND_IN.search(value) and not is_shown(value):
            yield match.start(group), value


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
