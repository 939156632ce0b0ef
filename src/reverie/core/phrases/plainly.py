"""Plainly: sentences said again in the words that the rules of change compare.

Rules

* `I report to Ann`, `my boss is called Ann` and `Ann became my manager` answer one question. Each is said
  again as `my manager is Ann`; then the rules for one sentence with another value judge it, as any other.
* A sentence is *plain* if it says what is; *loose* if more than one of it can hold (`I drive a Volvo`), so
  that another one ends it only with a word of change; *told* if it tells of the change (`I turned 35`).
* A pattern reads a whole clause without words for now, and names at most one value. What a value holds for
  stays with it.

Every repetition is bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from reverie.core.phrases.tools import kind_of, tools_of

Mode: TypeAlias = Literal["plain", "loose", "told"]


@dataclass(frozen=True, slots=True)
class Plain:
    """A clause in plain words."""

    key: str
    mode: Mode = "plain"


_PARTS: Final = {
    "w": (
        r"(?P<w>i|we|he|she|they|(?!(?:i|we|he|she|they|you|the|an?|this|that|it|there|who|what)\b)"
        r"[^\s,;]{2,30}(?: [^\s,;]{2,30}){0,2}?)"
    ),
    "own": r"(?P<own>my|our|his|her|their|[^\s,;]{2,30}(?: [^\s,;]{2,30})?'s)",
    "v": r"(?P<v>[^,;]{1,60})",
    "t": r"(?P<t>[^,;]{2,60}?)",
    "h": r"(?:(?:have|has|had|just|recently|finally|already|since|officially|then) ){0,3}",
    "work": (
        r"(?P<v>(?:\S{2,30} ){0,3}(?:developer|engineer|programmer|designer|manager|teacher|nurse"
        r"|midwife|doctor|chef"
        r"|cook|accountant|lawyer|analyst|consultant|architect|journalist|editor|writer|translator|electrician"
        r"|plumber|carpenter|mechanic|pharmacist|pilot|intern|assistant|director|headmistress|headmaster|principal"
        r"|clerk|secretary|librarian|barista|waiter|waitress|cashier|researcher|scientist|professor|lecturer"
        r"|postdoc|administrator|firefighter|paramedic|photographer|tester|salesman|saleswoman|salesperson"
        r"|bookkeeper|receptionist|dispatcher|baker|butcher|gardener|tailor|hairdresser|head of \S{2,30}"
        r"|team lead|tech lead|vp of \S{2,30}|cto|ceo|cfo|supervisor|foreman|apprentice|trainee))"
    ),
    "post": (
        r"(?P<n>(?:(?:family|skin|eye|tax|driving|piano|guitar|swimming|personal) )?(?:manager|boss"
        r"|supervisor"
        r"|doctor|gp|dentist|orthodontist|paediatrician|pediatrician"
        r"|physio|physiotherapist|therapist|psychologist|optician|vet|hairdresser|barber|lawyer|solicitor|accountant"
        r"|tax adviser|tax advisor|landlord|landlady|tutor|coach|trainer|teacher|mentor|cleaner"
        r"|nanny|babysitter"
        r"|childminder|flatmate|roommate|neighbour|assistant|partner|boyfriend|girlfriend|employer|bank|insurer|gym"
        r"|school|phone number|mobile number|number|address|e-?mail|e-?mail address|car|phone"
        r"|laptop|job|job title"
        r"|role|desk|surname|last name|nickname|password manager))"
    ),
    "school": (
        r"(?P<v>(?:\S{1,30} ){0,4}(?:school|primary|secondary|elementary|academy|college|high"
        r"|grammar|kindergarten"
        r"|nursery|preschool|gymnasium|university|montessori|lyceum)(?: school)?)"
    ),
    "gym": r"(?P<v>(?:\S{1,30} ){0,3}(?:\w{0,20}gym|\w{0,20}fit|\w{0,20}fitness\w{0,20}|health club))",
    "act": (
        r"(?P<n>store|keep|save|track|format|host|deploy|build|run|test|lint|publish|write|log|send|generate|upload"
        r"|manage|handle|document|monitor|archive|translate|design|package|render|cache|index|report|collect|review"
        r"|record|bill|plan|compile|sign|scan)"
    ),
    "ours": (
        r"(?:we|(?:the|our) (?:repo|repository|project|app|application|code|codebase|service"
        r"|product|system|team"
        r"|company|platform|whole project|stack))"
    ),
    "all": (
        r"(?:it|everything|all of it|it all|(?:the|our) (?:whole |entire )?(?:repo|repository|project|app"
        r"|application|code|codebase|code base|software|product|system))"
    ),
    "be": r"(?:am|is|are)",
}

_PART: Final = re.compile(r"(?<!\?P)<(\w+)>")
"""A part of a pattern, in another one."""

# Mode, a word of each clause that the pattern reads, the pattern, what it is in plain words.
_TABLE: Final[tuple[tuple[Mode, str, str, str], ...]] = (
    # work
    ("loose", "work works",
     r"<w> works? (?:at|for|with) (?!home|night|weekends|\d)<v>", "{own} employer is {v}"),
    ("loose", "employed", r"<w> <be> employed (?:at|by|with) <v>", "{own} employer is {v}"),
    ("told", "joined started start starts",
     r"<w> <h>(?:joined|started at|start at|starts at) (?P<v>[^,;]{1,40}) as (?:an? )?[^,;]{2,40}",
     "{own} employer is {v}"),
    ("told", "job position",
     r"<w> <h>(?:started|got|took|found|landed|accepted) (?:an? |my )?(?:new )?(?:job|position) (?:at"
     r"|with) <v>", "{own} employer is {v}"),
    ("told", "hired", r"<w> (?:was|got|have been|has been) hired (?:by|at) <v>", "{own} employer is {v}"),
    ("plain", "report reports", r"<w> (?:directly )?reports? (?:directly )?to <v>", "{own} manager is {v}"),
    ("plain", "boss supervisor manager superior",
     r"<own> (?:line |direct )?(?:boss|supervisor|manager|superior) <be>(?: called)? <v>",
     "{own} manager is {v}"),
    ("plain", "boss supervisor manager superior",
     r"<v> <be> <own> (?:line |direct )?(?:boss|supervisor|manager|superior)", "{own} manager is {v}"),
    ("told", "became",
     r"<v> <h>became <own> (?:line |direct |new )*(?:boss|supervisor|manager)", "{own} manager is {v}"),
    ("loose", "am is are", r"<w> <be> (?:an? |the )?<work>", "{own} job is {v}"),
    ("plain", "work works", r"<w> works? as (?:an? |the )?<v>", "{own} job is {v}"),
    ("plain", "job role title position",
     r"<own> (?:job title|job|role|title|position|profession) (?:is|is that of) (?:an? |the )?<v>",
     "{own} job is {v}"),
    ("told", "promoted",
     r"<w> (?:was|got|have been|has been|am|is) promoted to (?:the )?<v>", "{own} job is {v}"),
    ("told", "became become", r"<w> <h>(?:became|become) (?:an? |the )?<work>", "{own} job is {v}"),
    ("told", "retrained", r"<w> <h>retrained (?:as|to be|to become) (?:an? )?<v>", "{own} job is {v}"),
    ("told", "raise rise",
     r"<w> <h>(?:got|received|was given|were given) an? (?:pay )?(?:raise|rise) to <v>",
     "{own} salary is {v}"),
    ("plain", "salary", r"<own> (?:yearly |annual |monthly )?salary is <v>", "{own} salary is {v}"),
    ("loose", "earn earns make makes",
     r"<w> (?:earns?|makes?) (?P<v>[^\s,;]{0,3}\d[^,;]{0,40})", "{own} salary is {v}"),
    ("plain", "full-time part-time full part",
     r"<w> (?:works?|<be>) (?P<v>full|part)[- ]time", "{own} hours is {v}-time"),
    ("told", "full-time part-time full part",
     r"<w> <h>(?:went|switched to|changed to|gone|moved to|go) (?P<v>full|part)[- ]time",
     "{own} hours is {v}-time"),
    ("plain", "team", r"<own> team is (?:called )?(?:the )?<v>", "{own} team is {v}"),
    ("loose", "team",
     r"<w> (?:<be> (?:on|in|part of)|works? (?:on|in)|belongs? to) the (?P<v>[^\s,;]{2,30}(?:"
     r" [^\s,;]{2,30})?) team", "{own} team is {v}"),
    ("told", "team",
     r"<w> <h>(?:joined|moved to|switched to|transferred to|changed to|was moved to|got moved to|was"
     r" transferred to) the (?P<v>[^\s,;]{2,30}(?: [^\s,;]{2,30})?) team", "{own} team is {v}"),
    # who somebody goes to, and how to reach them
    ("told", "new",
     r"<w> <h>(?:have|has|got|found|with) an? (?:brand )?new <post> (?:(?:is|it is|called|named|namely)"
     r" )?<v>", "{own} {n} is {v}"),
    ("told", "changed switched",
     r"<w> <h>(?:changed|switched|swapped) (?:my |our |his |her )?<post>s? (?:to|it is|it is now) <v>",
     "{own} {n} is {v}"),
    ("told", "moved", r"<w> <h>moved (?:my|our|his|her) <post> to <v>", "{own} {n} is {v}"),
    ("plain", "number phone mobile cell",
     r"<own> (?:phone|number|mobile|cell|cell phone|mobile number|phone number|cell number|telephone"
     r" number) (?:is|has changed to|changed to) (?P<v>\+?[\d(][\d \-/()]{3,25})",
     "{own} phone number is {v}"),
    ("plain", "reach find call text",
     r"(?:you can |please )?(?:reach|find|call|text|phone) (?:me|us) (?:at|on|under) (?P<v>\+?[\d(][\d"
     r" \-/()]{3,25})", "my phone number is {v}"),
    ("plain", "reach find contact write mail you'll",
     r"(?:you can |you will |please )?(?:reach|find|contact|mail|email|write to) (?:me|us) (?:at|on"
     r"|under|to) (?P<v>\S{1,40}@\S{3,40})", "my email is {v}"),
    ("told", "use", r"(?:please )?use (?P<v>\S{1,40}@\S{3,40})(?: .{1,40})?", "my email is {v}"),
    ("plain", "email e-mail mail",
     r"<own> (?:e-?mail|e-?mail address|mail|mail address) (?:is|has changed to|changed to) <v>",
     "{own} email is {v}"),
    ("loose", "cat dog pet pets rabbit horse puppy kitten",
     r"<w> (?:take|go to|bring) (?:the|our|my) (?:cat|dog|pets?|rabbit|horse|puppy|kitten) to <v>",
     "the vet is {v}"),
    ("plain", "vet",
     r"(?:(?:my|our|the|\w{2,20}'s) )(?:(?:cat|dog|pet|rabbit|horse|puppy|kitten)'s )?vet is <v>",
     "the vet is {v}"),
    ("plain", "call", r"(?:please )?call me <v>", "my nickname is {v}"),
    # home and daily life
    ("plain", "live lives",
     r"<w> lives? in (?:(?:an?|my|our|the) )?(?:\S{1,20} ){0,2}(?:flat|house|apartment|studio|room"
     r"|cottage|bungalow|place|loft|condo) in <v>", "{w} live in {v}"),
    ("told", "moved",
     r"<w> <h>moved (?:in)?to (?:(?:an?|my|our|the) )?(?:\S{1,20} ){0,2}(?:flat|house|apartment|studio"
     r"|room|cottage|bungalow|place|loft|condo) in <v>", "{w} live in {v}"),
    ("told", "moved relocated",
     r"<w> <h>(?:moved|relocated)(?: back| over| away| out)? to (?!an? |the )<v>", "{w} live in {v}"),
    ("told", "moved relocated",
     r"we <h>(?:moved|relocated)(?: back| over| away| out)? to (?!an? |the )<v>", "i live in {v}"),
    ("plain", "hometown home town", r"<own> (?:home|hometown|home town) is <v>", "{w} live in {v}"),
    ("plain", "based", r"<w> <be> based in <v>", "{w} live in {v}"),
    ("told", "turned", r"<w> <h>turned (?P<v>\d{1,3})", "{w} is {v} years old"),
    ("plain", "am is", r"<w> <be> (?P<v>\d{1,3})", "{w} is {v} years old"),
    ("loose", "drive drives", r"<w> drives? (?:an? |my |the )?<v>", "{own} car is {v}"),
    ("plain", "car", r"<own> car is (?:an? |the )?<v>", "{own} car is {v}"),
    ("told", "car",
     r"<w> <h>(?:bought|got|have|has) an? new car (?:it is )?(?:an? )?<v>", "{own} car is {v}"),
    ("loose", "bank banks", r"<w> banks? (?:with|at) <v>", "{own} bank is {v}"),
    ("loose", "account",
     r"<own> (?:main |bank |current |checking )?account is (?:with|at) <v>", "{own} bank is {v}"),
    ("told", "account accounts bank banks",
     r"<w> <h>(?:switched|moved|changed|transferred) (?:(?:my|our) )?(?:main |bank |current"
     r" )?(?:accounts?|banks?) (?:over )?to <v>", "{own} bank is {v}"),
    ("loose", "insured", r"<w> <be> insured (?:with|by|at) <v>", "{own} insurer is {v}"),
    ("loose", "insurance", r"<own> (?P<n>(?:\S{2,20} )?)insurance is with <v>", "{own} {n}insurer is {v}"),
    ("told", "insurance",
     r"<w> <h>(?:switched|moved|changed) (?:my |our )?(?P<n>(?:\S{2,20} )?)insurance (?:over )?to <v>",
     "{own} {n}insurer is {v}"),
    ("loose", "train trains work works exercise gym",
     r"<w> (?:trains?|works? out|exercises?|goes?) (?:at|to) (?:the )?<gym>", "{own} gym is {v}"),
    ("loose", "train trains out", r"<w> (?:trains?|works? out) at (?:the )?<v>", "{own} gym is {v}"),
    ("loose", "gym", r"<own> gym(?: membership)? is (?:at |with |called )?<v>", "{own} gym is {v}"),
    ("told", "joined", r"<w> <h>joined (?:the )?<gym>", "{own} gym is {v}"),
    ("loose", "goes attends school",
     r"<w> (?:goes to|go to|attends?|is at) (?:the )?<school>", "{own} school is {v}"),
    ("told", "moved changed switched started starts",
     r"<w> <h>(?:moved|changed|switched|started|starts|went)(?: up| over)? (?:to|at) (?:the )?<school>",
     "{own} school is {v}"),
    ("told", "moved changed switched sent",
     r"(?:we|i) <h>(?:moved|changed|switched|sent) (?:my|our) (?P<p>son|daughter|kid|child) to <school>",
     "my {p}'s school is {v}"),
    ("loose", "study studies",
     r"<w> stud(?:y|ies) (?!at |in )(?P<v>[^,;]{1,40}?)(?: (?:at|in) [^,;]{1,40})?", "{own} major is {v}"),
    ("told", "major",
     r"<w> <h>(?:changed|switched) (?:my )?(?:major|subject|majors|subjects|course) to <v>",
     "{own} major is {v}"),
    ("loose", "commute commutes", r"<w> commutes? (?:to work )?by <v>", "{w} commute by {v}"),
    ("loose", "work", r"<w> (?:go|goes|get|gets|travel|travels) to work by <v>", "{w} commute by {v}"),
    ("loose", "work", r"<w> (?:take|takes) the (?P<v>[^\s,;]{2,20}) to work", "{w} commute by {v}"),
    ("loose", "work", r"<w> (?:cycle|cycles|bike|bikes|ride my bike) to work", "{w} commute by bike"),
    ("loose", "work", r"<w> (?:walk|walks) to work", "{w} commute by foot"),
    ("loose", "work", r"<w> drives? to work", "{w} commute by car"),
    ("loose", "coffee tea",
     r"<w> (?:take|drink|have)s? (?:my|his|her) (?P<n>coffee|tea) <v>", "{own} {n} is {v}"),
    ("plain", "time",
     r"<w> <be> (?:on|in) (?P<v>\S{3,20}(?: \S{3,20}){0,2}) time", "{own} time zone is {v} time"),
    ("plain", "zone timezone",
     r"<own> time ?zone is (?P<v>\S{2,20}(?: \S{2,20}){0,3})", "{own} time zone is {v}"),
    ("loose", "write code",
     r"<w> (?:write|edit|do|code)s?(?: (?:my |the |all my )?code)? (?:in|with) <v>", "{own} editor is {v}"),
    ("loose", "browse browses",
     r"<w> (?:browse|surf)s? (?:the web )?(?:with|in|using) <v>", "{own} browser is {v}"),
    ("loose", "notes", r"<w> (?:keep|write|take)s? (?:my|our) notes in <v>", "{own} note app is {v}"),
    ("told", "notes",
     r"<w> <h>(?:moved|migrated|switched) (?:my|our) notes (?:over )?(?:from [^,;]{1,30} )?to <v>",
     "{own} note app is {v}"),
    ("loose", "we",
     r"we <act> (?P<t>[^,;]{2,40}?) (?P<p>in|with|on|at|to|from|via|through) (?P<v>[^,;]{1,40})",
     "{t} are {n} {p} {v}"),
    ("loose", "use", r"(?:we|i) use <v> for <t>", "{t} is done with {v}"),
    ("loose", "done", r"<t> (?:is|are) done (?:with|in|using|through|via) <v>", "{t} is done with {v}"),
    # what a project is, and who does what in it
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
    ("plain", "owns", r"<v> owns <t>", "the owner of {t} is {v}"),
    ("plain", "owner", r"<v> is the owner of <t>", "the owner of {t} is {v}"),
    ("plain", "owner", r"the owner of <t> is <v>", "the owner of {t} is {v}"),
    ("plain", "belongs owned", r"<t> (?:belongs to|is owned by) <v>", "the owner of {t} is {v}"),
    ("told", "over",
     r"<v> <h>(?:took over|takes over|taken over) (?:the )?ownership of <t>", "the owner of {t} is {v}"),
    ("plain", "maintains", r"<v> maintains <t>", "the maintainer of {t} is {v}"),
    ("plain", "maintainer", r"<v> is the maintainer of <t>", "the maintainer of {t} is {v}"),
    ("plain", "maintained", r"<t> is maintained by <v>", "the maintainer of {t} is {v}"),
    ("plain", "leads", r"<v> leads <t>", "the lead of {t} is {v}"),
    ("plain", "lead head", r"<v> is the (?:lead|head|leader) of <t>", "the lead of {t} is {v}"),
    ("plain", "led", r"<t> is led by <v>", "the lead of {t} is {v}"),
    ("loose", "responsible charge",
     r"<v> is (?:responsible for|in charge of) <t>", "who looks after {t} is {v}"),
    ("loose", "after care", r"<v> (?:looks after|takes care of) <t>", "who looks after {t} is {v}"),
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
     r"<ours> <h>(?:rewrote|rewritten|ported|converted|moved|migrated) <all> (?:in|to|into) <v>",
     "the language is {v}"),
    ("told", "rewritten ported converted",
     r"<all> (?:was|has been|is|got) (?:rewritten|ported|converted) (?:in|to|into) <v>",
     "the language is {v}"),
    ("plain", "test tests",
     r"(?:we |you |please )?run (?:the |all |our )?tests with <v>", "the test command is {v}"),
    ("plain", "test tests",
     r"(?:the |our )?tests are (?:run|started) (?:with|by|using) <v>", "the test command is {v}"),
    ("plain", "test tests", r"<v> runs (?:the |our |all )?tests", "the test command is {v}"),
    ("plain", "command", r"(?:the |our )?test command is <v>", "the test command is {v}"),
    ("plain", "format formatted formatter",
     r"(?:we format (?:our |the |all |all our )?(?:code )?with|(?:the |our |all )?code is formatted"
     r" (?:with|by|using)|(?:the|our) formatter is) <v>", "the formatter is {v}"),
    ("plain", "lint linted linter",
     r"(?:we lint (?:our |the |all )?(?:code )?with|(?:the |our )?code is linted (?:with|by|using)"
     r"|(?:the|our) linter is) <v>", "the linter is {v}"),
    ("plain", "host hosting hosted",
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

_POSSESSIVE: Final = {"i": "my", "we": "our", "he": "his", "she": "her", "they": "their"}
_SUBJECT: Final = {own: who for who, own in _POSSESSIVE.items()}
_HOUSEHOLD: Final = re.compile(
    r"\A(?:my|our) (?=(?:landlord|landlady|vet|rent|flat|house|apartment|wi-?fi|cat|dog|home"
    r"|address|neighbour|garden"
    r"|cleaner|nanny|babysitter|childminder|paediatrician|pediatrician)\b)"
)
"""What is mine and ours at once."""
_OWNER: Final = re.compile(
    r"\A(?:\{own\}|\{w\}|my \S{1,30}'s|my|our|the|his|her|their|\S{1,30}'s) "
)
_KIN: Final = re.compile(r"\Aour (?=(?:son|daughter|kid|child|baby|boy|girl)(?:'s)?\b)")
_OUR: Final = re.compile(
    r"\A(?:our|unsere?[nrms]?|notre|nuestr[oa]|noss[oa]|nostr[oa]|наш[ае]?|ons|onze|nasz[ae]?) (?=\S)"
)
_USING: Final = re.compile(
    r"(?:(?P<w>i|we)|(?P<t>(?:the |our )?[a-z][a-z -]{2,30}?)) (?:(?:(?:have|has|just|since|finally"
    r"|recently) ){0,2}"
    r"(?P<told>(?:moved|switched|migrated|changed|gone|went|converted|been (?:moved|switched"
    r"|migrated|converted)|was (?:moved"
    r"|switched|migrated|converted)|were (?:moved|switched|migrated|converted))(?: over)? (?:in)?to)"
    r"|uses?|runs? on|(?:is|are) (?:built (?:with|on|in)|written (?:in|with)|based on|using|on|run"
    r" with|done (?:with|in)|in)|is)"
    r" (?P<v>[a-z][\w.+-]{1,20}(?: [a-z][\w.+-]{1,20})?)(?P<as> as (?:my|our|the) (?:main |default"
    r" )?[a-z ]{2,20})?"
)
_GENERIC: Final = re.compile(
    r"(?:the |our )?(?:repo|repository|project|app|application|code|codebase|service|product|system|team"
    r"|company|platform|stack|tests|builds?|ci|data|storage)"
)
"""What the whole of a project is called."""


@lru_cache(maxsize=1)
def _rules() -> dict[str, list[tuple[Mode, re.Pattern[str], str]]]:
    found: dict[str, list[tuple[Mode, re.Pattern[str], str]]] = {}
    for mode, words, pattern, plain in _TABLE:
        while _PART.search(pattern):
            pattern = _PART.sub(lambda found: _PARTS[found[1]], pattern)
        rule = (mode, re.compile(pattern), plain)
        for word in words.split():
            found.setdefault(word, []).append(rule)
    return found


def plain_forms(key: str) -> list[Plain]:
    """Say a clause again in plain words, in each way that is known.

    Args:
        key: The clause in small letters, without words for now.
    """
    rules = _rules()
    found: dict[str, Plain] = {}
    for word in dict.fromkeys(key.split()):
        for mode, pattern, plain in rules.get(word, ()):
            match = pattern.fullmatch(key)
            if match and not ("live in" in plain and kind_of(match["v"])):
                said = _shared(_filled(plain, match))
                found.setdefault(said, Plain(said, mode))
    using = _used(key)
    if using:
        found.setdefault(using.key, using)
    bare = _shared(key)
    if bare != key:
        found.setdefault(bare, Plain(bare))
    return list(found.values())


def words_of_answers(key: str) -> list[str]:
    """Return words of whatever answers the same question as a clause, in other words, to find that by."""
    found: list[str] = []
    for plain in plain_forms(key):
        question = _OWNER.sub("", plain.key.partition(" is ")[0])
        found += plain.key.split()
        for _, words, _, answer in _TABLE:
            if _OWNER.sub("", answer.partition(" is ")[0]) == question:
                found += words.split()
    using = _used(key)
    if using:
        found += ["use", *tools_of(kind_of(using.key.rpartition(" is ")[2]))]
    return list(dict.fromkeys(found))


def _filled(plain: str, match: re.Match[str]) -> str:
    said = {name: text or "" for name, text in match.groupdict().items()}
    who, own = said.get("w", ""), said.get("own", "")
    said["own"] = own or _POSSESSIVE.get(who, f"{who}'s")
    said["w"] = who or _SUBJECT.get(own, own.removesuffix("'s"))
    return plain.format(**said)


def _shared(key: str) -> str:
    """Write what is mine and ours at once in one way."""
    return (
        _OUR.sub("the ", _KIN.sub("my ", _HOUSEHOLD.sub("the ", key)))
        if "our " in key or "my " in key
        else key
    )


def _used(key: str) -> Plain | None:
    """Say what somebody uses or went over to by what it is: `the database is postgresql`."""
    match = _USING.fullmatch(key)
    kind = kind_of(match["v"]) if match else ""
    if match is None or not kind:
        return None
    thing = match["t"] or ""
    whole = match["w"] == "we" or (thing and _GENERIC.fullmatch(thing))
    owner = "my" if match["w"] == "i" else "the"
    of = "" if match["w"] or whole else f" of {thing}"
    return Plain(f"{owner} {kind}{of} is {match['v']}", "told" if match["told"] else "loose")
