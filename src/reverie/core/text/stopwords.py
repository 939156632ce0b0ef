"""Word lists that the tokenizer reads: words without content, and irregular English forms.

Rules:

* A word is dropped only if it carries no content in *any* language that shares its script, because a
  text is not asked which language it is in. German `die` and English `die` look the same, so `die`
  stays and its low inverse document frequency does the work.
* `may`, `can` (month, tin) and the like: kept when dropping them could lose a name or a thing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from typing import Final


# English function words, and contractions without their apostrophe unless these are words (`shell`, `id`).
_ENGLISH: Final = """
a about above after again all also am an and any are aren arent as at be because been before being
below between both but by can cannot cant could couldn couldnt did didn didnt do does doesn doesnt
doing don done dont down during each either else etc ever few for from further had hadn hadnt has
hasn hasnt have haven havent having he hed her here heres hers herself hes him himself his how hows
i if im in into is isn isnt it itd itll its itself ive just ll me might more most much must mustnt
my myself neither no nor not now of off on once only or other others our ours ourselves out over own
per quite rather really same shall shan shant she shes should shouldn shouldnt since so some such
than that thats the their theirs them themselves then there theres these they theyd theyll theyre
theyve this those though through to too under until up upon us ve very via was wasn wasnt we well
were weren werent weve what whatever whats when whenever whens where wheres whether which while who
whom whos whose why whys will with within without wont would wouldn wouldnt yes yet you youd youll
your youre yours yourself yourselves youve
"""

# German, French, Spanish, Portuguese, Italian and Dutch: only words that are no English content word and no
# usual abbreviation (`os`, `io`, `ci`, `eu`, `un`).
_LATIN: Final = """
aber als auch auf aus bei beim bzw damit dann dass dem denn der dessen deren dich diese diesem
diesen dieser dieses doch durch ein eine einem einen einer eines einige fur haben habe hatte hatten
hier ich ihm ihn ihr ihre ihrem ihren ihrer ihres immer ist jede jeder jedes kann kein keine konnen
mein meine mich mit nach nicht noch nur oder ohne schon sehr sein seine seinem seinen seiner sich
sie sind soll sollte sowie uber und unter vom von vor wann warum wegen welche welchem welchen
welcher welches wenn wer werden wie wieder wird wo wurde wurden zu zum zur zwischen au aux avec ce
ces cet cette dans de du elle elles est et etait ils je la le les leur leurs lui nous ont ou qu que
quel quelle quels quelles qui sans se ses sont une vous como cual cuales cuando del desde donde el
ella ellas ellos eran esta estan este estos fue fueron han hasta las los mas mi muy para pero por
porque quien sus tiene todo una unos ya ao aos as dele ela ele entre essa esse foi foram isso isto
mais mesmo muito nao nas numa pela pelo pelos quando quem sao seu seus sua suas tambem tem uma voce
alla anche che chi cosa degli dei della delle di dove gli hanno nel nella non perche piu quale
quello questa questo sono suo tra uno aan bij dat deze dit door een hebben heeft het hoe hun ik kan
maar meer naar niet nog ook uit veel voor waar wanneer waarom wat welke werd wordt zijn zich zij
"""

_CYRILLIC: Final = """
а без бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее
если есть еще же за здесь и из или им их к как какая какие какой когда кого который которая которые
кто ли лишь мне мной мы на над нам нас не него нее ней нет ни них но ну о об однако он она они оно
от очень по под почему при про с сам свой себя со так также такой там те тем то того тоже только том
ты у уже хотя чего чей чем что чтобы эта эти это этот я
"""

# Without accents and with σ at the end, as the tokenizer folds words (της and στις also as they are written,
# for the embedder, which folds less).
_GREEK: Final = """
και το η ο οι τα του της τησ των τον την τη στο στη στην στον στα στις στισ με σε απο για που πωσ τι ποιοσ
ποια ποιο ειναι ηταν να θα δεν μη ενα μια ενασ ωσ κατα αυτο αυτη αυτοσ ποτε οτι αλλα ή
"""

_ARABIC: Final = """
في من على الى إلى عن مع هذا هذه ذلك التي الذي ما ماذا متى اين أين كيف كم هل هو هي
كان كانت أن ان أو او و لا لم
"""

STOP_WORDS: Final[frozenset[str]] = (
    frozenset(_ENGLISH.split())
    | frozenset(_LATIN.split())
    | frozenset(_CYRILLIC.split())
    | frozenset(_GREEK.split())
    | frozenset(_ARABIC.split())
)

# Stop words in this very spelling are names or things: the department, the country, the organisation.
KEPT_SPELLINGS: Final[frozenset[str]] = frozenset({"IT", "US", "WHO", "Will"})

# Chinese and Japanese phrases that ask but name nothing. In a query they end a run of characters.
CJK_QUESTION: Final[tuple[str, ...]] = (
    "为什么", "為什麼", "什么时候", "什麼時候", "什么", "什麼", "怎么样", "怎麼樣", "怎么", "怎麼",
    "怎样", "怎樣", "多少", "哪里", "哪裡", "哪些", "哪个", "哪個", "哪儿", "如何", "请问", "請問",
    "是谁", "是誰", "谁", "誰", "吗", "嗎", "呢", "どのように", "どのような", "どうして", "どこ",
    "いつ", "なぜ", "なに", "何ですか", "ですか", "ますか", "ましたか", "でしたか", "でしょうか",
    "무엇", "언제", "어디", "누구", "어떻게",
)  # fmt: skip

# Irregular English forms to their base, as the stemmer cannot know them.
_IRREGULAR: Final = """
arise:arose,arisen awake:awoke,awoken bear:bore,borne beat:beaten become:became begin:began,begun
bend:bent bite:bit,bitten bleed:bled blow:blew,blown break:broke,broken breed:bred bring:brought
build:built burn:burnt buy:bought catch:caught child:children choose:chose,chosen cling:clung come:came
creep:crept deal:dealt dig:dug dive:dove draw:drew,drawn dream:dreamt drink:drank,drunk
drive:drove,driven eat:ate,eaten fall:fell,fallen feed:fed feel:felt fight:fought find:found
flee:fled fly:flew,flown foot:feet forget:forgot,forgotten forgive:forgave,forgiven
freeze:froze,frozen get:got,gotten give:gave,given go:went,gone goose:geese grow:grew,grown
hang:hung hear:heard hide:hid,hidden hold:held keep:kept kneel:knelt know:knew,known lay:laid
lead:led learn:learnt leave:left lend:lent lie:lain life:lives light:lit lose:lost make:made
man:men mean:meant meet:met mouse:mice pay:paid person:people quit:quitting ride:rode,ridden
ring:rang,rung rise:rose,risen run:ran say:said see:saw,seen seek:sought sell:sold send:sent
sew:sewn shake:shook,shaken shine:shone shoot:shot show:shown shrink:shrank,shrunk sing:sang,sung
sink:sank,sunk sit:sat sleep:slept slide:slid speak:spoke,spoken speed:sped spend:spent spin:spun
spring:sprang,sprung stand:stood steal:stole,stolen stick:stuck sting:stung strike:struck,stricken
strive:strove,striven swear:swore,sworn sweep:swept swim:swam,swum swing:swung take:took,taken
teach:taught tear:tore,torn tell:told think:thought throw:threw,thrown tooth:teeth
understand:understood wake:woke,woken wear:wore,worn weave:wove,woven weep:wept wife:wives win:won
wind:wound withdraw:withdrew,withdrawn woman:women write:wrote,written
"""

IRREGULAR: Final[dict[str, str]] = {
    form: base
    for base, _, forms in (item.partition(":") for item in _IRREGULAR.split())
    for form in forms.split(",")
}
