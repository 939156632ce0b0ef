"""Values: words that tell what sort of value something is, as far as they can be listed.

What is listed is one thing wherever it stands. A word that is missing makes no value of that sort, so two
statements stay where one could have ended the other.
"""

from __future__ import annotations

import re
from typing import Final

_JOB_TEXT: Final = """
    developer engineer programmer designer manager teacher nurse midwife doctor chef cook accountant lawyer
    solicitor analyst consultant architect journalist editor writer translator interpreter electrician plumber
    carpenter mechanic pharmacist pilot intern assistant director headmistress headmaster principal clerk
    secretary librarian barista waiter waitress cashier researcher scientist professor lecturer postdoc
    administrator firefighter paramedic photographer tester salesman saleswoman salesperson bookkeeper
    receptionist dispatcher baker butcher gardener tailor hairdresser lead cto ceo cfo coo supervisor foreman
    apprentice trainee vet dentist therapist psychologist physiotherapist surgeon optician actor actress
    musician officer technician welder painter roofer driver courier coach trainer tutor maintainer strategist
    recruiter economist biologist chemist physicist statistician geologist astronomer farmer florist jeweller
    broker banker auditor controller planner buyer president partner owner founder admin sysadmin sre guide"""
JOBS: Final = frozenset(_JOB_TEXT.split())
"""What somebody can be called for what they do for a living: the last word of it."""

LEADING: Final = re.compile(
    r"(?:head|director|vp|vice president|chief|manager|dean) of [^\s,;]{2,30}(?: [^\s,;]{2,30})?"
)
"""A post that names what it is over."""

_BESIDE_TEXT: Final = """
    volunteer voluntary part-time freelance side weekend weekends seasonal temporary temp casual second
    occasional honorary unpaid aspiring former retired would-be licensed trained certified qualified good bad
    great terrible better decent"""
BESIDE: Final = frozenset(_BESIDE_TEXT.split())
"""Words by which somebody does something beside what they live by, or does it well."""

_PEOPLE_TEXT: Final = """
    english german french spanish italian portuguese dutch polish russian turkish chinese japanese korean
    swedish norwegian danish finnish icelandic irish scottish welsh british american canadian mexican
    brazilian
    argentinian chilean colombian peruvian greek austrian swiss belgian czech slovak hungarian romanian
    bulgarian croatian serbian slovenian ukrainian latvian lithuanian estonian indian pakistani thai
    vietnamese
    indonesian malaysian australian israeli egyptian moroccan nigerian kenyan iranian iraqi arab arabic hebrew
    hindi urdu mandarin cantonese latin european african asian catholic protestant muslim jewish christian
    buddhist hindu catalan basque gaelic persian afghan syrian lebanese cuban filipino tagalog
    deutscher deutsche schwede schwedin franzose französin engländer spanier italiener türke türkin pole
    polin russe russin amerikaner amerikanerin österreicher schweizer grieche däne niederländer
    deutsch englisch französisch spanisch italienisch russisch polnisch türkisch anglais allemand espagnol
    inglés alemán francés español inglês alemão francês inglese tedesco francese"""
PEOPLE: Final = frozenset(_PEOPLE_TEXT.split())
"""Languages, and what people are by where they come from or believe: no names, though written as such."""

_NOUN_TEXT: Final = """
    nähe nacht tag stadt land haus hause wohnung wg arbeit büro urlaub homeoffice innenstadt zentrum altbau
    neubau familie eltern ruhe zukunft umgebung gegend straße strasse wetter not"""
NOUNS: Final = frozenset(_NOUN_TEXT.split())
"""What German writes as a name is written, and is none."""

_PLACE_TEXT: Final = """
    london paris berlin madrid rome milan lisbon porto dublin amsterdam rotterdam brussels vienna zurich
    geneva
    basel bern munich hamburg cologne frankfurt stuttgart leipzig dresden hanover nuremberg bremen warsaw
    krakow gdansk prague budapest bucharest sofia athens istanbul ankara izmir moscow kyiv copenhagen
    stockholm
    oslo helsinki reykjavik edinburgh glasgow manchester leeds liverpool bristol birmingham sheffield cardiff
    lyon marseille toulouse nantes bordeaux lille barcelona valencia seville malaga bilbao naples turin
    florence bologna venice tokyo osaka kyoto seoul busan beijing shanghai shenzhen hangzhou taipei singapore
    bangkok hanoi jakarta manila mumbai delhi bangalore bengaluru hyderabad chennai sydney melbourne brisbane
    perth auckland wellington toronto montreal vancouver boston chicago seattle denver austin dallas houston
    atlanta miami philadelphia portland cairo lagos nairobi dubai doha riyadh"""
PLACES_KNOWN: Final = frozenset(_PLACE_TEXT.split())
"""Large towns: no tool is called so."""

_TEAM_TEXT: Final = """
    platform growth payments payment infra infrastructure data mobile web backend frontend search billing core
    security design sales marketing support ops operations devops qa research product identity checkout
    onboarding analytics ml ai sre cloud network database tooling docs documentation legal finance hr people
    accounting logistics procurement content seo integrations partnerships compliance risk"""
TEAMS: Final = frozenset(_TEAM_TEXT.split())

_STUDIED_TEXT: Final = """
    biology chemistry physics mathematics maths math history law medicine economics philosophy psychology
    sociology linguistics literature geography geology astronomy architecture engineering informatics
    statistics business journalism nursing pharmacy dentistry education music art theology archaeology
    anthropology politics accounting marketing design biochemistry neuroscience ecology agriculture"""
STUDIED: Final = frozenset(_STUDIED_TEXT.split())

_LICENCE_TEXT: Final = """
    mit apache gpl gplv2 gplv3 lgpl agpl agplv3 bsd mpl isc unlicense cc0 cc-by epl eupl bsl sspl zlib wtfpl
    proprietary artistic boost elastic"""
LICENCES: Final = frozenset(_LICENCE_TEXT.split())

_RUNNER_TEXT: Final = """
    make npm pnpm yarn npx cargo go tox nox just uv poetry bun gradle gradlew mvn maven dotnet rake bundle
    docker bazel hatch pdm invoke task turbo nx deno mix sbt lein rspec phpunit pytest unittest nose jest
    vitest mocha jasmine ctest nextest ava karma playwright cypress"""
RUNNERS: Final = frozenset(_RUNNER_TEXT.split())
"""Commands that run tests: the first word of one."""

_RIDE_TEXT: Final = """
    train bus car bike bicycle tram metro tube subway underground ferry foot scooter motorbike motorcycle
    moped boat taxi e-bike"""
RIDES: Final = frozenset(_RIDE_TEXT.split())

_COFFEE_TEXT: Final = """
    black white plain decaf sweet unsweetened milk cream sugar oat soy almond honey lemon"""
TAKEN: Final = frozenset(_COFFEE_TEXT.split())
"""How coffee and tea are taken."""

_COLOUR_TEXT: Final = """
    red green blue yellow black white grey gray purple orange pink brown silver gold beige old used electric
    hybrid second-hand secondhand diesel petrol"""
COLOURS: Final = frozenset(_COLOUR_TEXT.split())
"""What may stand before the name of a car."""

_MONEY_TEXT: Final = """
    euro euros eur € $ £ dollar dollars usd gbp pound pounds franc francs chf k grand per a an year month week
    hour day annum yearly monthly gross net before after tax taxes zł złoty yen lira rubles rupees"""
MONEY: Final = frozenset(_MONEY_TEXT.split())

_QUALITY_TEXT: Final = """
    good bad great fine nice terrible awful excellent poor perfect better best worse worst new old young big
    small large huge tiny long short high low fast slow quick easy hard difficult simple complex complicated
    important unimportant interesting boring stressful exciting fun funny tiring exhausting demanding
    rewarding
    strict kind friendly nice rude angry happy sad tired sick ill healthy busy free full empty late early
    ready
    done finished broken down up offline online cheap expensive pricey fair unfair affordable tight loose
    flexible fixed strong weak heavy light noisy quiet loud cold warm hot cool wet dry clean dirty messy tidy
    safe unsafe secure insecure private public open closed secret hidden visible missing gone lost wrong right
    correct incorrect true false possible impossible likely unlikely clear unclear confusing vague certain
    uncertain stable unstable flaky reliable unreliable robust fragile restrictive permissive outdated
    up-to-date obsolete modern popular unpopular famous known unknown common rare unique special normal weird
    strange odd different similar same alone together away here there back out in abroad temporary
    permanent okay ok alright available unavailable reachable unreachable useful useless helpful necessary
    unnecessary protected unprotected locked unlocked blocked stuck overloaded underpaid unpaid paid hired
    fired growing shrinking rising falling changing moving everything nothing anything something everyone
    everybody nobody someone anybody less more most least much many enough too very really quite rather pretty
    so mostly mainly partly fully half almost nearly just only even still already always never often sometimes
    rarely usually near down mainly today tomorrow tonight soon later now then once twice daily responsible
    about hardly barely
    well badly carefully quickly slowly happily sparingly regularly constantly problem mess disaster
    joke secret surprise mystery nightmare pain challenge away"""
QUALITIES: Final = frozenset(_QUALITY_TEXT.split())
"""How something is, or how somebody does something: no answer to what it is."""
