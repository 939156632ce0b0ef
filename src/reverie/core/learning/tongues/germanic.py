"""Requests in English, German and Dutch."""

from __future__ import annotations

from typing import Final

from reverie.core.learning.tongues.tongue import Tongue

_STORE: Final = (
    r"(?:(?:your|my|the|our|its) )?(?:(?:long[- ]term|persistent|project|own|internal) )?"
    r"(?:memor(?:y|ies)|notes?|notebook|notepad|memory (?:bank|file|store)|records?|knowledge base"
    r"|books|files?|head|brain)"
)
_LATER: Final = (
    r"(?:later(?: on| use| reference| sessions?| chats?| work)?|good|ever|next time"
    r"|(?:the )?(?:next|future|later"
    r"|subsequent|upcoming|coming)(?: (?:times?|sessions?|chats?|conversations?|tasks?|work|reference"
    r"|use|runs?|reviews?|requests?|questions?|answers?|projects?|jobs?|visits?|occasions?))?"
    r"(?: we (?:talk|meet|speak|chat|work together))?|all (?:future|later|subsequent|coming|next)"
    r" [\w-]{1,20}(?: [\w-]{1,20})?|all time|me|us|the record|the long (?:run|term))"
)
ENGLISH: Final = Tongue(
    soft=(
        r"please|pls|plz|plese|pleas|plase|kindly|just|and|so|also|now|oh|ok|okay|then|but|well|do|always|really"
        r"|again|hey"
        r"|yo|maybe|simply|quickly|too|first|finally|lastly|secondly|while you're (?:there|at it)"
    ),
    ask=(
        r"(?:can|could|may|might) i (?:ask|trouble|get) (?:you|u) to"
        r"|(?:can|could|would|will|can't|won't|might) (?:you|u|ya)(?: (?:possibly|maybe|mind"
        r"|be so kind as to))?"
        r"|i(?:'?d| would)? (?:really )?(?:like|love|want|need|prefer|expect|ask)(?: for)? (?:you|u) to"
        r"|(?:make|be) sure (?:that )?(?:(?:you|u)(?:'ll)?|to)|try to|let's|let us|lets|let me"
        r"|(?:you|u)(?:'d better| should| must| need to| have to| ought to| (?:might|may|'ll"
        r"|will) want to)"
        r"|it(?:'?d| would) (?:be (?:great|good|nice|helpful|best|lovely)|help(?: me| us)?(?: a lot)?)"
        r" if (?:you|u)(?: could| would)?"
        r"|i (?:hope|trust|expect|assume) (?:that )?(?:you|u)(?:'ll|'d| will| would| can| could)?"
        r"|i(?:'?d| would) (?:appreciate|be grateful|be glad|be happy)(?: it)? if (?:you"
        r"|u)(?: could| would|'d)?"
        r"|it(?:'s| is) (?:very |really )?(?:important|crucial|vital|essential) (?:that you|you"
        r"|to|for you to)"
        r"|which (?:you|u) (?:should|must|need to|ought to)"
        r"|go ahead and|feel free to|i(?:'m| am) asking you to|i trust you(?:'ll| will| to)"
        r"|see that you"
    ),
    sure=(
        r"(?:remember(?:ing)?|rember|remeber|remembr|remmember|rememeber|remmeber|rembember|rememebr"
        r"|remebmer|rmember)(?: about)?{o}"
        r"|memori[sz](?:e|ing){o}|(?:keep"
        r"|bear)(?:ing)?{o} in (?:your )?mind"
        r"|keep(?:ing)?{o} (?:at|in|on) the back of your (?:mind|head)"
        r"|keep(?:ing)?{o} (?:in your head|present)"
        r"|(?:don't|dont|do not|never|not|mustn't)(?: you)?(?: ever)? forget(?:ting)?(?: about)?{o}"
        r"|(?:make|making|take|taking) (?:an? )?(?:(?:mental|quick|little|small|short|permanent"
        r"|lasting) )*note"
        r"(?: of{o})?"
        r"|(?:make|making|keep|keeping) an? (?:(?:mental|quick|little) )?(?:record|note)(?: of{o})?"
        r"|i(?:'d| would)? (?:like|want|need){o} (?:to be )?(?:remembered|noted|saved|stored"
        r"|recorded|kept in mind"
        r"|written down|on record)|let it be (?:known|noted|recorded)|update your (?:memory|notes"
        r"|records)"
        r"|(?:add|save|store|create|make|write|record) (?:an? )?(?:new )?memory(?: entry| note)?"
        r"(?=\s?:|,? that\b)"
        r"|lock{o} in|(?:burn|etch|engrave|drill|fix){o} (?:in|into|onto|on) your (?:memory|mind"
        r"|brain|head)"
        r"|hold (?:this|that) (?:thought|one)|(?:don't|dont|do not|never) lose (?:sight of )?{o}"
        r"|commit(?:ting)?{o} to memory"
        r"|learn{o} by heart|(?:hold|hang)(?:ing)? on ?to{o}|retain(?:ing)?{o}|internali[sz]e{o}"
        rf"|(?:save|store|write|put|add|keep|record|log|enter|file|stick|have|note|drop)(?:ing)?{{o}}"
        rf" (?:to|in|into|on) {_STORE}"
        r"|(?:put|keep|have|place|get)(?:ting)?{o} on (?:file|(?:the )?record)"
        r"|keep(?:ing)?{o} (?:for the record|as (?:a |an )?(?:\w{2,12} )?(?:rule|fact|note|preference))"
    ),
    weak=(
        r"mark(?:ing)?{o} down|keep(?:ing)? track of{o}|(?:save|store|keep|stash|file|tuck"
        r"|lock)(?:ing)?{o} (?:away|safe|around|handy)"
        r"|(?:jot|write|note|put|take|set|scribble|jott|writ|not)(?:ing)?{o} down"
        r"|(?:save|store|record|log|note|keep|stash|pin|bookmark|preserve|register)(?:ing)?{o}"
    ),
    asked=r"noting{o}|remembered{o}|noted{o}|kept{o} in mind|made a note(?: of{o})?|(?:know|be"
    r" aware)(?= (?:for|in (?:the )?future|from now))",
    it=(
        r"that|this|it|those|these|all (?:of )?(?:that|this)|(?:that|this) (?:one|fact|rule|bit"
        r"|too|info)|them"
    ),
    that=r"(?:the fact )?that",
    label=(
        r"(?:[\w'-]{1,15} ){0,5}"
        r"(?:thing|item|point|fact|note|lesson|rule|reminder|detail|one|something|info|tip|memo"
        r"|entry|piece of info)"
        r"s?(?: (?:else|more|important|here|of mine)){0,2} (?:(?:that )?(?:you|we) (?:should|must"
        r"|need to|have to"
        r"|ought to|may want to|might want to)|to|worth|for you to|i(?:'d| would)? (?:like|want"
        r"|need) you to)"
        rf" (?:remember(?:ing)?|memori[sz]e|know(?:ing)?|retain(?:ing)?|hold on to|save|store"
        rf"|record|file away"
        rf"|not(?:e|ing)(?: down)?|writ(?:e|ing) down|jot(?:ting)? down|never forget|take away"
        rf"|keep(?:ing)?(?: in mind| for later| on (?:file|record)| (?:in|for) {_STORE})?"
        r"|bear(?:ing)? in mind|self|yourself)"
        rf"|(?:[\w'-]{{1,15}} ){{0,4}}(?:fyi|todo|note|memo"
        rf"|info|reminder"
        rf"|heads[- ]up|rule|lesson|one|thing|fact|tip|something)s? (?:for|to) (?:{_STORE}"
        rf"|{_LATER}|self|yourself"
        rf"|myself|the (?:future|memory|books))"
        rf"|(?:(?:just|and|so) ){{0,2}}for (?:{_LATER}|{_STORE}|the future|your information later)"
        r"|(?:just )?(?:so|in order)(?: that)? (?:it|this|that|you|we|i|nobody|no one) (?:isn't"
        r"|is not|doesn't|does"
        r" not|don't|do not|won't|never|will not|can't) (?:get |be )?(?:lost|forget|forgets"
        r"|forgotten)(?: it| this)?"
        r"|for (?:all |any |the )?(?:future|later|next|subsequent) [\w-]{2,20}(?: [\w-]{2,20})?(?=\s*:)"
        r"|(?:the )?next time(?: (?:you|we|i) [^,:.;!?\n]{1,40})?(?=\s?[,:]\s(?!i\b|we\b|let|what"
        r"|how|can|could|should))"
        r"|lest (?:you|we|i) forget|(?:just )?so (?:that )?you know(?: (?:for )?(?:next time"
        r"|later|in future))"
        r"|(?:just )?so (?:that )?(?:you|we)(?:'ll)? (?:remember|keep in mind|don't forget)(?=\s?[,:])"
        r"|(?:this|that|it|here)(?: one)?(?:'s| is)? (?:(?:also|really|well) )?worth (?:remembering"
        r"|noting|knowing|keeping in mind)(?=\s?[:—–-])"
        r"|as a (?:(?:general|standing|hard|firm|permanent|new|fixed) )?rule (?:for|in|with"
        r"|from) [^,:.;!?\n]{1,60}"
        r"|(?:standing|permanent|new|general|house|ground"
        r"|golden) rule(?: for [^,:.;!?\n]{1,60})?(?=\s*:)"
        r"|(?:worth|good) (?:remembering|knowing|noting|keeping in mind)|to (?:remember"
        r"|memori[sz]e)(?=\s*:)"
        r"|memory(?: (?:note|entry|item))?(?=\s*:)|(?:long[- ]term )?memo(?=\s*:)"
    ),
    tail=(
        rf"please|pls|plz|kindly|thx|thanks(?: a lot)?|thank you|ta|cheers|(?:will|would|can"
        rf"|could) (?:you|u)|ok(?:ay)?"
        rf"|for {_LATER}|in (?:the )?(?:future|long run)|next time|this time|from (?:now|here"
        rf"|today) on(?:wards?)?"
        r"|going forward|once and for all|for ?ever|permanently|always|well|too|also|as well"
        r"|somewhere|someplace"
        rf"|somehow|properly|carefully|right away|now|again|about (?:me|us|my \w+)|for the future"
        rf"|(?:in|to|into) {_STORE}"
        r"|away|down|on (?:file|(?:the )?record)|in mind|at all times|at all costs|if (?:you can"
        r"|possible)|already"
        r"|as (?:a |an )?(?:\w{2,12} )?(?:rule|fact|note|preference|reminder)|all right|alright"
        r"|yeah|right|got it"
        r"|immediately|the following|lol|man|mate|buddy|everyone|everywhere|safely|verbatim|both"
        r"|all of it"
    ),
    free=(
        r"for|when|whenever|while|if|once|so(?: that)?|in|until|till|every time|each time"
        r"|next time|the next time"
        r"|because|since|throughout|during|before|in case|wherever|with|about"
    ),
    thing=(
        r"something(?: (?:important|else|for me|about me))?|the following(?: \w{2,12})?"
        r"|one (?:more )?thing|a few things"
        r"|a (?:thing|fact|detail)|two things|what i (?:say|tell you|am about to say)(?: (?:now|next))?"
    ),
)
GERMAN: Final = Tongue(
    soft=r"bitte|und|aber|auch|dann|doch|mal|also|ach|jetzt|gleich|noch|so|nun|einfach",
    ask=(
        r"(?:kannst|könntest|würdest|magst|willst|möchtest) du(?: dir)?|(?:können|könnten"
        r"|würden) sie(?: sich)?"
        r"|ich (?:möchte|will|hätte gern\w*|wünsche mir|bitte dich),? (?:dass du|dass sie)(?: dir"
        r"| sich)?"
        r"|du (?:sollst|solltest|musst|kannst)(?: dir)?|sie (?:sollten|müssen)(?: sich)?|lass uns"
        r"|es wäre (?:gut|schön|super|nett|toll),? wenn du(?: dir)?|ich bitte dich(?:,? dir)?"
    ),
    sure=(
        r"merke?n?(?: sie)?(?: dir| euch| sich)?(?: bitte)?{o}"
        r"|(?:denke?n?|erinnere?)(?: sie| dich| euch)? (?:immer |bitte |auch "
        r"|stets ){0,2}(?:daran|dran)"
        r"|nicht vergessen(?=\s?[:,])"
        r"|(?:vergiss|vergesst|vergessen sie|vergiß){o}(?: bitte| ja| mir)?(?: nicht| nie"
        r"| niemals)(?: mehr)?"
        r"|behalte?n?(?: sie)?(?: bitte)?{o}(?: bitte| gut| immer){0,2} (?:im (?:kopf|hinterkopf"
        r"|gedächtnis|sinn|auge)"
        r"|in erinnerung)|notiere?n?(?: sie)?(?: dir| sich| euch)?(?: bitte)?{o}"
        r"|schreibe?n?(?: sie)?(?: dir| sich| bitte){0,2}{o}(?: bitte| mal| gut| irgendwo"
        r"| doch){0,2} (?:auf|nieder|hinter"
        r" die ohren)|halte?n?(?: sie)?(?: bitte| dir){0,2}{o}(?: bitte| mal){0,2} fest"
        r"|nimm(?: bitte| dir){0,2}{o}(?: bitte)? (?:zur kenntnis|in (?:dein(?:e|en|em)?|die|den|das)"
        r" (?:gedächtnis|notizen|speicher|memory) auf)|präge?(?: dir)?{o}(?: gut| bitte)? ein"
        r"|(?:leg|pack|trag|nimm|speicher)e?(?: dir| bitte){0,2}{o}(?: bitte)? in (?:dein\w{0,2}"
        r"|die|den|das|der)"
        r" (?:gedächtnis|notizen|speicher|memory|akten?)(?: ab| ein| auf)?"
        r"|mach(?:e)? dir (?:bitte )?(?:eine|ne) notiz"
    ),
    weak=(
        r"(?:ab)?speicher(?:e|n|t)?(?: sie)?(?: dir| bitte| mal){0,2}{o}(?: bitte| mal"
        r"| gut){0,2}(?: ab)?"
        r"|leg(?:e)?(?: dir)?{o} ab|heb(?:e)?(?: dir)?{o}(?: bitte)? auf|hinterlege?{o}|vermerke?{o}"
        r"|bewahre?{o} auf"
    ),
    asked=(
        r"(?:bitte )?{p}(?:(?:bitte|gut|mal|für später|für die zukunft|irgendwo"
        r"|auch) ){0,2}(?:merk(?:en|st)|notier(?:en|st)"
        r"|aufschreib(?:en|st)|(?:ab)?speicher(?:n|st)|festh(?:alten|ältst)"
        r"|im (?:hinter)?kopf beh(?:alten|ältst)|einpräg(?:en|st)"
        r"|nicht verg(?:essen|isst))"
    ),
    it=r"das(?! folgende)|dies|dieses|das da|es|folgendes|diese (?:regel|info|sache)|alles",
    that=r"dass|daß|das(?=\s+(?:wir|ich|die|der|das|ein|unser\w*|mein\w*)\b)",
    label=(
        r"notiz (?:an (?:mich|dich)|für (?:später|dich|die zukunft))|zum (?:merken|mitschreiben"
        r"|abspeichern)|für (?:später|die"
        r" (?:zukunft|nächsten? \w{2,20}|akten)|künftige \w{2,20}|nächstes mal|das nächste mal"
        r"|alle (?:künftigen|weiteren)"
        r" \w{2,20})|(?:nur |kurz )?(?:zur|als) (?:erinnerung|notiz|merkhilfe)"
        r"|(?:wichtig )?(?:fürs|für das) (?:nächste mal"
        r"|gedächtnis|protokoll)|(?:neue |feste )?regel für (?:die zukunft"
        r"|alle [^,:.;!?\n]{1,40})|merke(?=\s*:)|damit (?:es|das)"
        r" nicht (?:verloren|vergessen) (?:geht|wird)|(?:noch )?(?:etwas|eine sache|ein punkt"
        r"|was) zum merken|gut zu wissen"
    ),
    tail=(
        r"bitte|danke|mal|doch|auch|schon mal|gut|immer|ja|für (?:später|die zukunft|immer|mich"
        r"|nächstes mal|das nächste mal"
        r"|künftige \w{2,20}|die nächsten? \w{2,20})|in zukunft|künftig|ab (?:jetzt|sofort)"
        r"|ein für alle ?mal|irgendwo|ok(?:ay)?"
        r"|fürs nächste mal|nächstes mal|diesmal|endlich|genau|dauerhaft|ab|auf|gleich|über mich"
        r"|im kopf|im hinterkopf|ja\?"
    ),
    free=r"für|wenn|falls|bei|sobald|damit|weil|da|zu|zum|zur|bis|jedes ?mal|in|über",
    thing=r"folgendes|eine sache|etwas|was|noch (?:etwas|was)|folgende \w{2,15}",
)
DUTCH: Final = Tongue(
    soft=r"alsjeblieft|alstublieft|graag|en|ook|maar|dus|even|nu|oh|dan|wel",
    ask=(
        r"(?:kun|kan|kunt|wil|wilt|zou|zal) (?:je|jij|u)(?: alsjeblieft| graag)?|ik (?:wil"
        r"|zou (?:graag )?willen|wou),? dat (?:je|u)"
        r"|je (?:moet|kunt)|zorg (?:ervoor )?dat je|laten we|zou je (?:zo vriendelijk willen zijn om)?"
    ),
    sure=(
        r"onthou(?:d|dt)?{o}|niet vergeten(?=\s?[:,]|\sdat\b)|vergeet{o}(?: alsjeblieft)?(?: niet|"
        r" nooit)|noteer(?:t)?{o}"
        r"|schrijf{o}(?: even| alsjeblieft"
        r"| maar| ergens){0,2} op|hou(?:d)?(?: er| daar| hier)?(?: alsjeblieft| voortaan| altijd"
        r"| ook){0,2}"
        r" rekening mee|hou(?:d)?{o}(?: goed)? (?:in gedachten|in je achterhoofd|bij|in het oog)"
        r"|denk (?:er|hier|daar) ?aan|knoop{o} in je oren|prent{o} in|leg{o} vast|maak (?:er "
        r"|hier |daar )?een"
        r" (?:notitie|aantekening)(?: van)?|sla{o} op in (?:je|het) (?:geheugen|notities)"
        r"|zet{o} in (?:je|het)"
        r" (?:geheugen|notities)|neem{o} op in (?:je|het) (?:geheugen|notities)"
    ),
    weak=r"sla{o}(?: even| alsjeblieft)? op|bewaar{o}|registreer{o}",
    asked=(
        r"{p}(?:(?:even|goed|alsjeblieft|voor later|voor de volgende keer"
        r"|ook) ){0,2}(?:onthou(?:den|dt)|opschrij(?:ven|ft)"
        r"|note(?:ren|ert)|bewa(?:ren|art)|opsla(?:an|at)|vastleg(?:gen|t)|in gedachten hou(?:den"
        r"|dt)|niet vergeten"
        r"|er rekening mee houden)"
    ),
    it=r"dat|dit|het(?! volgende)|deze (?:regel|info)",
    that=r"dat",
    label=(
        r"voor (?:later|de volgende keer|de toekomst|(?:de )?volgende \w{2,20}|in je (?:geheugen"
        r"|notities)|het geheugen|de goede orde)"
        r"|ter herinnering|(?:notitie|memo|reminder|nota) (?:voor (?:later|mezelf|jezelf)"
        r"|aan (?:mezelf|jezelf))"
        r"|(?:nog )?(?:iets|één ding|een ding) om te onthouden|om te onthouden"
        r"|als regel voor [^,:.;!?\n]{1,60}|goed om te weten"
    ),
    tail=(
        r"alsjeblieft|alstublieft|aub|graag|goed|even|ook|wel|voor (?:later|de toekomst|altijd"
        r"|mij|(?:de )?volgende (?:keer|\w{2,20}))"
        r"|voortaan|vanaf nu|in het vervolg|ergens|bedankt|dank je(?: wel)?|oké|ok"
        r"|eens en voor altijd|deze keer|wil je|op|mee|hoor"
    ),
    free=r"voor|als|wanneer|bij|zodat|want|omdat|in|telkens|over",
    thing=r"iets|het volgende|één ding|een ding|nog iets",
)
