"""Of projects: how somebody says what a project uses, who looks after what, and what is set to which value.

Each row: a mode, words of which each clause that it reads has one, the pattern, what that is in plain words.
`plainly` explains the modes and fills in the parts (`<w>`).
"""

from __future__ import annotations

from typing import Final

from reverie.core.phrases.of_people import Mode

PROJECTS: Final[tuple[tuple[Mode, str, str, str], ...]] = (
    # what a project is, and who does what in it
    ("loose", "we repo project app use",
     r"<ours> (?:uses?|(?:is|are) on|runs?(?: on)?) (?!port|line|page|floor|room|day"
     r"|only)(?P<t>[a-z][\w.+#-]{1,20}) v?(?P<v>\d[\w.]{0,12})", "the {t} version is {v}"),
    ("loose", "requires require need needs",
     r"<ours> (?:requires?|needs?) (?!port|line|page|floor|room|day|only)(?P<t>[a-z][\w.+#-]{1,20})"
     r" v?(?P<v>\d[\w.]{0,12})", "the required {t} version is {v}"),
    ("plain", "version",
     r"(?:the|our) (?P<t>[a-z][\w.+#-]{1,20}) version is (?P<v>v?\d[\w.]{0,12})", "the {t} version is {v}"),
    ("told", "upgraded bumped updated moved",
     r"<ours> <h>(?:upgraded|bumped|updated|moved) (?:to|from \S{2,20} \S{1,12} to)"
     r" (?P<t>[a-z][\w.+#-]{1,20}) v?(?P<v>\d[\w.]{0,12})", "the {t} version is {v}"),
    ("plain", "port runs listens on",
     r"(?:the |our )?(?P<t>[^,;']{2,40}?) (?:(?:runs|listens|is listening|is served|answers) on (?:port )?|is"
     r" on (?:port |(?=\d{4})))(?P<v>\d{2,5})", "the port of {t} is {v}"),
    ("plain", "port",
     r"(?:the |our )?port of (?:the |our )?(?P<t>[^,;']{2,40}?) is (?P<v>\d{2,5})",
     "the port of {t} is {v}"),
    ("plain", "port",
     r"(?:the |our )?(?!port)(?P<t>[^,;']{2,40}?)(?:'s)? port is (?P<v>\d{2,5})", "the port of {t} is {v}"),
    ("told", "handed",
     r"(?P<x>\S{2,30}) <h>handed (?:over )?(?P<t>the [^,;]{2,40}?) (?:over )?to <v>",
     "the owner of {t} is {v}"),
    ("loose", "as", r"we use <v> as (?:the|our) (?P<n>[a-z][a-z -]{2,30})", "the {n} is {v}"),
    ("plain", "branch",
     r"(?:the|our) (?P<n>(?:[a-z]{2,20} )?branch) is (?:called|named) <v>", "the {n} is {v}"),
    ("told", "favourite favorite default preferred",
     r"(?P<v>[^,;]{1,40}?) <h>(?:became|become)"
     r" (?P<f>(?:my|our|the) (?:favou?rite|default|preferred) [^,;]{2,30})", "{f} is {v}"),
    ("plain", "called named",
     r"(?:the|our) (?P<n>[^,;]{2,40}?) is (?:called|named) <v>", "the name of {n} is {v}"),
    ("loose", "tests",
     r"(?:(?:the |our )?tests run|(?:please )?run tests) with <v>", "the test command is {v}"),
    ("plain", "licensed", r"<all> is (?P<v>[^\s,;]{2,20}) licen[sc]ed", "the licence is {v}"),
    ("told", "moved", r"<t> <h>moved to (?P<v>(?:https?://)?[\w-]{1,40}[./][\w./-]{2,80})",
     "the site of {t} is {v}"),
    ("plain", "is are", r"<t> (?:is|are)(?: at)? (?P<v>(?:https?://)?[\w-]{1,40}[./][\w./-]{2,80})",
     "the site of {t} is {v}"),
    ("loose", "ask post send put report",
     r"(?:please )?(?:ask|post|send|put|report) (?:your |all |the )?(?P<t>[a-z][a-z ]{2,30}) (?:in|to"
     r"|on) (?P<v>#\S{2,40})", "{t} go to {v}"),
    ("loose", "asked posted sent announced reported discussed go goes belong",
     r"<t> (?:(?:are|is) (?:asked|posted|sent|announced|reported|discussed)|go|goes|belong) (?:in|to|on)"
     r" (?P<v>#\S{2,40})", "{t} go to {v}"),
    ("plain", "kept stored retained",
     r"(?:the |our |all )?(?P<t>[^\s,;]{2,30}?)s? (?:are|is) (?:kept|stored|retained) for"
     r" (?P<v>\d[^,;]{1,30}?)(?: only)?", "the {t} retention is {v}"),
    ("plain", "keep store retain",
     r"we (?:keep|store|retain) (?:the |our |all )?(?P<t>[^\s,;]{2,30}?)s? for (?P<v>\d[^,;]{1,30}?)(?:"
     r" only)?", "the {t} retention is {v}"),
    ("plain", "retention",
     r"(?:the |our )?(?P<t>[^\s,;]{2,30}?)s? retention(?: period| time)? is (?P<v>\d[^,;]{1,30}?)(?:"
     r" only)?", "the {t} retention is {v}"),
    ("plain", "we",
     r"we are (?P<v>\d{1,7}) (?P<t>people|persons|developers|engineers|members|colleagues"
     r"|employees|volunteers)",
     "we have {v} {t}"),
    ("told", "rewrote rewritten ported converted",
     r"<ours> <h>(?:rewrote|rewritten|ported|converted) (?:the |our )?(?P<t>[^,;]{2,40}?)"
     r" (?:in|to|into) <v>", "the {t} is written in {v}"),
    ("told", "rewritten ported converted",
     r"(?:the |our )?(?P<t>[^,;]{2,40}?) (?:was|has been|is|got) (?:rewritten|ported|converted) (?:in|to"
     r"|into) <v>", "the {t} is written in {v}"),
    ("loose", "we",
     r"we (?:do|have|hold|run) (?:the |our )?(?P<t>[^,;]{2,40}?) (?P<p>on|at) (?P<v>(?:(?:mon|tues"
     r"|wednes|thurs|fri|satur|sun)days?|\d{1,2})\b[^,;]{0,30})", "{t} are {p} {v}"),
    ("plain", "version release",
     r"the (?:current|latest|newest) (?:version|release) is (?:version )?<v>",
     "the current version is {v}"),
    ("told", "version out",
     r"(?:version )?(?P<v>v?\d+(?:\.\d+){1,3}) (?:is|was|has been) (?:out|released|the current one|the"
     r" latest)", "the current version is {v}"),
    ("told", "released",
     r"<ours> <h>released (?:version )?(?P<v>v?\d+(?:\.\d+){1,3})", "the current version is {v}"),
    ("plain", "date",
     r"(?:the |our )?(?P<t>release|launch|go-live|beta|start|end) date is <v>", "the {t} is {v}"),
    ("plain", "due", r"<t> <be> due (?:on |by |at )?<v>", "the deadline for {t} is {v}"),
    ("weak", "owns", r"<v> owns <one>", "the owner of {t} is {v}"),
    ("plain", "owner", r"<v> is the owner of <t>", "the owner of {t} is {v}"),
    ("plain", "owner", r"the owner of <t> is <v>", "the owner of {t} is {v}"),
    ("loose", "belongs owned", r"<t> (?:belongs to|is owned by) <v>", "the owner of {t} is {v}"),
    ("told", "over",
     r"<v> <h>(?:took over|takes over|taken over) (?:the )?ownership of <t>", "the owner of {t} is {v}"),
    ("weak", "maintains", r"<v> maintains <one>", "the maintainer of {t} is {v}"),
    ("plain", "maintainer", r"<v> is the maintainer of <t>", "the maintainer of {t} is {v}"),
    ("plain", "maintained", r"<t> is maintained by <v>", "the maintainer of {t} is {v}"),
    ("weak", "leads", r"<v> leads <one>", "the lead of {t} is {v}"),
    ("plain", "lead head", r"<v> is the (?:lead|head|leader) of <t>", "the lead of {t} is {v}"),
    ("plain", "led", r"<t> is led by <v>", "the lead of {t} is {v}"),
    ("loose", "responsible charge",
     r"<v> is (?:responsible for|in charge of) <t>", "who looks after {t} is {v}"),
    ("weak", "after care", r"<v> (?:looks after|takes care of) <t>", "who looks after {t} is {v}"),
    ("loose", "charge", r"in charge of <t> is <v>", "who looks after {t} is {v}"),
    ("plain", "licensed licenced under",
     r"<all> <be> (?:licen[sc]ed |released |published )?under (?:the )?(?P<v>[^,;]{2,40}?)(?:"
     r" v?\d[\d.]*)?(?: licen[cs]e)?", "the licence is {v}"),
    ("plain", "license licence",
     r"(?:the |our )?licen[cs]e(?: of the (?:project|code|repo|software))? is (?:the"
     r" )?(?P<v>[^,;]{2,40}?)(?: v?\d[\d.]*)?(?: licen[cs]e)?", "the licence is {v}"),
    ("told", "license licence",
     r"(?:the |our )?licen[cs]e <h>(?:was |been |is )?(?:changed|switched|went) (?:from [^,;]{2,30} )?to"
     r" (?:the )?(?P<v>[^,;]{2,40}?)(?: v?\d[\d.]*)?(?: licen[cs]e)?", "the licence is {v}"),
    ("told", "relicensed relicenced",
     r"<ours> <h>relicen[sc]ed(?: <all>)? (?:under|to|as) (?:the )?(?P<v>[^,;]{2,40}?)(?:"
     r" v?\d[\d.]*)?(?: licen[cs]e)?", "the licence is {v}"),
    ("told", "relicensed relicenced",
     r"<all> (?:was|has been|is) relicen[sc]ed (?:under|to|as) (?:the )?(?P<v>[^,;]{2,40}?)(?:"
     r" v?\d[\d.]*)?(?: licen[cs]e)?", "the licence is {v}"),
    ("plain", "language",
     r"(?:the |our )?(?:main |primary )?(?:programming )?language is <v>", "the language is {v}"),
    ("loose", "written", r"<all> is written in <v>", "the language is {v}"),
    ("told", "rewrote rewritten ported converted",
     r"<ours> <h>(?:rewrote|rewritten|ported|converted) <all> (?:in|to|into) <v>",
     "the language is {v}"),
    ("told", "rewritten ported converted",
     r"<all> (?:was|has been|is|got) (?:rewritten|ported|converted) (?:in|to|into) <v>",
     "the language is {v}"),
    ("loose", "test tests",
     r"(?:we |you |please )?run (?:the |all |our )?tests with <v>", "the test command is {v}"),
    ("loose", "test tests",
     r"(?:the |our )?tests are (?:run|started) (?:with|by|using) <v>", "the test command is {v}"),
    ("loose", "test tests", r"<v> runs (?:the |our |all )?tests", "the test command is {v}"),
    ("plain", "command", r"(?:the |our )?test command is <v>", "the test command is {v}"),
    ("loose", "format formatted formatter",
     r"(?:we format (?:our |the |all |all our )?(?:code )?with|(?:the |our |all )?code is formatted"
     r" (?:with|by|using)|(?:the|our) formatter is) <v>", "the formatter is {v}"),
    ("loose", "lint linted linter",
     r"(?:we lint (?:our |the |all )?(?:code )?with|(?:the |our )?code is linted (?:with|by|using)"
     r"|(?:the|our) linter is) <v>", "the linter is {v}"),
    ("loose", "host hosting hosted",
     r"(?:we host (?:everything )?(?:on|at|with)|(?:everything|<all>) is hosted (?:on|at|by|with)|(?:the"
     r"|our) hosting provider is|(?:the|our) hosting is (?:with|at|on)) <v>",
     "the hosting provider is {v}"),
    ("told", "turned dialled dialed brought took",
     r"<ours> <h>(?:turned|dialled|dialed|brought|took|put) <t> (?:down|up|back) to <v>", "{t} is {v}"),
    ("told", "become became", r"<t> <h>(?:become|became) <v>", "{t} is {v}"),
    ("told", "over to from",
     r"<w> <h>(?:gone over to|went over to|switched to|moved to|changed to|gone back to|went back to"
     r"|taken to) (?P<g>[a-z]{2,14}ing) <v>", "{w} are {g} {v}"),
)  # fmt: skip
