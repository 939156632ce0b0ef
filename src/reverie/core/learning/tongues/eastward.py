"""Requests in Russian, Polish, Turkish and Arabic."""

from __future__ import annotations

from typing import Final

from reverie.core.learning.tongues.tongue import Tongue

RUSSIAN: Final = Tongue(
    soft=(
        r"пожалуйста|плиз|и|а|но|так что|также|ещё|еще|просто|теперь|ладно|ну|да|тогда|кстати"
        r"|поэтому|обязательно|будь добр\w?"
    ),
    ask=(
        r"(?:ты |вы )?(?:можешь|можете|мог(?:ла)? бы(?: ты)?|могли бы(?: вы)?|не мог(?:ла)? бы ты"
        r"|сможешь)|(?:я )?(?:хочу|хотел(?:а)? бы|прошу),? чтобы (?:ты|вы)|(?:прошу"
        r"|попрошу)(?: тебя| вас)?"
        r"|(?:тебе |вам )?(?:нужно|надо|стоит|следует)|давай|постарайся|будь добр\w?,?"
    ),
    sure=(
        r"запомни(?:те)?(?: себе| хорошенько| раз и навсегда){0,2}{o}"
        r"|помни(?:те)?(?: всегда)?(?: о| об)?{o}|име(?:й|йте){o} в виду(?:{o})?|учти(?:те)?{o}"
        r"|учитывай(?:те)?{o}|не забы(?:ть|вать)(?=\s?[:,])"
        r"|(?:не|никогда не) (?:забудь|забывай)(?:те)?(?: о| об| про)?{o}"
        r"|заметь(?:те)?(?: себе)?{o}|запиши(?:те)?(?: себе| где-нибудь)?{o}"
        r"|отметь(?:те)?(?: себе| у себя)?{o}|зафиксируй(?:те)?(?: себе)?{o}"
        r"|возьми(?:те)?{o} (?:себе )?на (?:заметку|карандаш)|прими(?:те)?{o} к сведению"
        r"|держи(?:те)?{o} в (?:голове|уме|памяти)"
        r"|(?:сохрани|занеси|внеси|добавь|положи|запиши)(?:те)?(?: себе)?{o} (?:в|к"
        r"|на) (?:памят[ьи]|заметк[иу]|записи|блокнот)|сделай(?:те)?(?: себе)? (?:заметку"
        r"|пометку)(?: об{o})?|намотай(?: себе)?{o} на ус|заруби себе(?: это)? на носу"
    ),
    weak=r"(?:сохрани|запиши|занеси|отложи)(?:те)?(?: себе| у себя){0,2}{o}",
    asked=(
        r"(?:себе )?{p}(?:не забы(?:ть|вать|вал[аи]?|л[аи]?)|запомн(?:ить|ил[аи]?)|запис(?:ать"
        r"|ал[аи]?)|помн(?:ить|ил[аи]?)|учесть|уч[её]л|учитывать|сохран(?:ить|ил[аи]?)"
        r"|отмет(?:ить|ил[аи]?)|име(?:ть|л[аи]?) в виду|зафиксировать)(?: себе)?{o}"
    ),
    it=r"это|об этом|этот факт|про это|всё это|все это|то|вот это|эту (?:информацию|мысль)|этом",
    that=r"что|о том,? что|то,? что|тот факт,? что",
    label=(
        r"на (?:заметку|будущее|память|потом|следующий раз|все будущие [^,:.;!?\n]{1,40})"
        r"|для (?:справки|памяти|истории|протокола|будущих [^,:.;!?\n]{1,40}"
        r"|следующих [^,:.;!?\n]{1,40}|сведения)|(?:заметка|памятка|напоминание)(?: (?:себе"
        r"|на будущее|на потом))?(?=\s*[:—–-])"
        r"|(?:важно )?(?:чтобы|дабы) не (?:забыть|забыл\w?|потерялось|потерять)|(?:урок|вывод"
        r"|правило) на будущее|как правило для [^,:.;!?\n]{1,60}|(?:это )?(?:важно|нужно|стоит"
        r"|надо) (?:запомнить|помнить|знать)|к сведению"
    ),
    tail=(
        r"пожалуйста|плиз|спасибо|себе|хорошо|тоже|также|всегда|на (?:будущее|потом|следующий раз"
        r"|всякий случай|память)|впредь|раз и навсегда|навсегда|где-нибудь|куда-нибудь"
        r"|для (?:меня|следующ\w+ \w{2,20}|будущ\w+ \w{2,20})|в этот раз|на этот раз|ладно|ок"
        r"|обо мне|вот что|хорошенько|отныне|с этого момента|в дальнейшем|в будущем|наконец"
    ),
    free=r"для|когда|если|при|чтобы|на|в|во|по|каждый раз|потому|к",
    thing=r"кое-что|вот что|следующее|одну вещь|ещё кое-что|такую вещь",
)
POLISH: Final = Tongue(
    soft=r"proszę|prosze|ale|też|także|jeszcze|więc|no|teraz|oraz|tylko|ach|dobra|po prostu",
    ask=(
        r"(?:możesz|mógłbyś|mogłabyś|może pan|może pani|zechcesz|zechciałbyś)|(?:chcę"
        r"|chciał(?:bym|abym)|proszę|potrzebuję),? (?:żebyś|abyś)|(?:musisz|powinieneś|powinnaś"
        r"|masz)|postaraj się|upewnij się,? że|spróbuj"
    ),
    sure=(
        r"zapamiętaj(?:cie)?(?: sobie| proszę| dobrze){0,2}{o}|pamiętaj(?:cie)?(?: proszę"
        r"| zawsze){0,2}(?: o)?{o}|zanotuj(?:cie)?(?: sobie| proszę){0,2}{o}(?: sobie)?"
        r"|zapisz(?:cie)?(?: sobie| proszę){1,2}{o}|zapisz{o} sobie|odnotuj(?:cie)?{o}"
        r"|nie (?:zapomnieć|zapominać)(?=\s?[:,])"
        r"|miej(?:cie)?{o} (?:to )?na (?:uwadze|względzie)|miej{o} z tyłu głowy|nie (?:zapomnij"
        r"|zapominaj)(?:cie)?(?: proszę| nigdy)?(?: o)?{o}"
        r"|(?:weź|weźcie|bierz){o} pod uwagę|przyjmij{o} do wiadomości|(?:zapisz|dodaj|wpisz"
        r"|zachowaj|wrzuć|wpisz)(?: sobie| proszę)?{o} (?:w|do|na) (?:swoich |swojej |swojej "
        r"|swoich )?(?:pamięci|pamięć|notatek|notatkach|notatki)|zrób (?:sobie )?notatkę"
        r"|wbij sobie{o} do głowy"
    ),
    weak=r"(?:zapisz|zachowaj|przechowaj|utrwal|odłóż)(?:cie)?(?: proszę| gdzieś)?{o}(?: sobie)?",
    asked=(
        r"(?:sobie )?{p}(?:zapamięta(?:ć|ł[a]?)|zapisa(?:ć|ł[a]?)|zanotowa(?:ć|ł[a]?)|pamięta(?:ć"
        r"|ł[a]?)|mie(?:ć|li) na uwadze|mi(?:ał|ała) na uwadze|nie zapom(?:nieć|niał[a]?)"
        r"|odnotować|zachować)(?: sobie)?(?: o)?{o}"
    ),
    it=r"to|o tym|tym|tę (?:zasadę|informację)|ten fakt|to wszystko",
    that=r"że|iż|o tym,? że|to,? że",
    label=(
        r"na (?:przyszłość|potem|później|następny raz|zaś)|(?:notatka|uwaga|reguła"
        r"|zasada) (?:na przyszłość|dla (?:siebie|ciebie|mnie)|na później)|do (?:zapamiętania"
        r"|zanotowania|notatek|pamięci)|(?:coś|jedna rzecz|rzecz|lekcja|ważne) (?:do zapamiętania"
        r"|na przyszłość)|dla (?:pamięci|porządku|przypomnienia|przyszłych [^,:.;!?\n]{1,40})"
        r"|żeby nie (?:zapomnieć|zginęło|umknęło)"
        r"|jako (?:zasada|reguła) (?:dla|na) [^,:.;!?\n]{1,60}|warto (?:zapamiętać|wiedzieć"
        r"|pamiętać)|gwoli pamięci"
    ),
    tail=(
        r"proszę|prosze|dzięki|dziękuję|sobie|dobrze|też|także|zawsze|na (?:przyszłość|potem"
        r"|później|stałe|następny raz|zawsze)|w przyszłości|od teraz|raz na zawsze|gdzieś"
        r"|tym razem|wreszcie|ok|dobra|dla mnie|o mnie|odtąd|w końcu"
    ),
    free=r"na|dla|gdy|kiedy|jeśli|jak|przy|żeby|bo|w|za każdym razem|do|podczas",
    thing=r"coś|jedną rzecz|następujące|co następuje|jeszcze coś|jedno",
)
TURKISH: Final = Tongue(
    soft=r"lütfen|ve|ama|ayrıca|bir de|şimdi|o zaman|hadi|peki|sadece|da|de",
    ask=r"senden|rica etsem|rica ediyorum",
    sure=(
        r"{p}(?:(?:sakın |lütfen |hep |iyice |ileride |sonrası için "
        r"|bir yere ){0,2})(?:unutma(?:yın(?:ız)?|yalım)?|hatırla(?:yın(?:ız)?)?"
        r"|aklında (?:tut(?:un|ar mısın(?:ız)?)?|bulunsun|olsun|kalsın)|aklınızda (?:bulunsun"
        r"|olsun|tutun)|not (?:al(?:ın|ır mısın(?:ız)?)?|et|edin|eder misin(?:iz)?|düş)"
        r"|aklına (?:yaz|kaz|koy)|hafızana (?:kaydet|al|at|yaz)|belleğine (?:kaydet|al|yaz)"
        r"|ezberle|hatırında (?:tut|olsun)|bir (?:kenara|yere) (?:yaz|not et)|notlarına (?:ekle"
        r"|yaz|al))"
    ),
    weak=(
        r"{p}(?:(?:lütfen |bir yere |ileride |sonrası için ){0,2})(?:kaydet(?:in"
        r"|er misin(?:iz)?)?|sakla(?:yın)?|yaz(?:ın)?|kayda geç(?:ir)?)"
    ),
    asked=r"hatırlamanı|unutmamanı|not almanı",
    it=r"bunu|şunu|bunları|bu bilgiyi|onu|bu kuralı|bunu da",
    that=r"ki",
    label=(
        r"(?:ileride|sonrası|gelecek|bir dahaki sefer|sonraki \w{2,20}|daha sonra"
        r"|bundan sonraki \w{2,20}) için(?: not)?|(?:kendime|sana) not|(?:unutulmasın|kaybolmasın"
        r"|aklında olsun|hatırlatma)(?: diye)?|(?:akılda tutulacak|hatırlanacak"
        r"|unutulmayacak) (?:bir )?(?:şey|nokta|ders|bilgi)|bilgin olsun"
    ),
    tail=(
        r"lütfen|teşekkürler|sağ ol|ileride|sonrası için|daha sonra(?:sı)? için|bir dahaki sefere"
        r"|bir dahaki sefer için|her zaman|bundan (?:sonra|böyle)|bir yere|tamam mı|olur mu"
        r"|bu sefer|artık|iyi|da|de|gelecek için|sonsuza dek|istiyorum"
    ),
    free=r"için",
    thing=r"bir şeyi?|şunu|şunları",
)
ARABIC: Final = Tongue(
    soft=r"من فضلك|رجاءً?|لو سمحت|أيضا|أيضًا|و|لكن|الآن|حسنا|إذن|فقط",
    ask=r"هل (?:يمكنك|تستطيع|بإمكانك)(?: أن)?|أريدك أن|أريد منك أن|أرجو أن|أتمنى أن|عليك أن|يجب أن",
    sure=(
        r"تذكّ?ر(?:ي|وا)?(?: دائما| دائمًا| جيدا)?{o}|لا تنسَ?(?:ى|ي|وا)?{o}|ضع(?:ي|وا)?{o} في (?:اعتبارك"
        r"|الحسبان|بالك|ذهنك)|خذ(?:ي|وا)?{o} (?:في|بعين) الاعتبار|احفظ(?:ي|وا)?{o} في (?:ذاكرتك|الذاكرة"
        r"|ملاحظاتك)|(?:سجّ?ل|دوّ?ن|اكتب)(?:ي|وا)?{o} في (?:ملاحظاتك|ذاكرتك|مذكرتك)"
    ),
    weak=r"(?:احفظ|سجّ?ل|دوّ?ن|اكتب)(?:ي|وا)?{o}",
    asked=r"تتذكّ?ر(?:ي|وا)?{o}|تحفظ(?:ي|وا)?{o}|تسجّ?ل(?:ي|وا)?{o}|تدوّ?ن(?:ي|وا)?{o}",
    it=r"هذا|ذلك|هذه|هذا الأمر|هذه المعلومة|ما يلي",
    that=r"أن|أنّ|بأن|أنه",
    label=r"(?:ملاحظة|تذكير) (?:لك|للمستقبل|للمرة القادمة)|للعلم|للتذكير|للمستقبل",
    tail=r"من فضلك|رجاءً?|شكرا|شكرًا|دائما|دائمًا|جيدا|في المستقبل|لاحقا|للمستقبل",
    free=r"عندما|إذا|كلما|حين|في|من أجل|لأن",
    thing=r"ما يلي|التالي|شيئا|أمرا|هذه الأمور|هذين الأمرين",
)
