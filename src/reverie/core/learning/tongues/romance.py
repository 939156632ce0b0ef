"""Requests in French, Spanish, Portuguese and Italian."""

from __future__ import annotations

from typing import Final

from reverie.core.learning.tongues.tongue import Tongue

# Some verbs are the same in two of these languages (`guarda`), and what they point at then is not.
_IT: Final = (
    r"ça|ca|cela|ceci|ce (?:point|détail|fait)|cette (?:règle|info|information)|tout ça|tout cela"
    r"|esto|eso|este (?:dato|detalle)|esta (?:regla|información)|ese dato|todo (?:esto|eso)"
    r"|isso|isto|disso|disto|esta (?:regra|informação)|este (?:dado|detalhe)"
    r"|ess[ae] (?:informação|info|regra|dado|detalhe)|tudo isso"
    r"|questo|questa(?: cosa| regola| informazione)?|quello|ciò|tutto (?:questo|ciò)"
)
FRENCH: Final = Tongue(
    soft=(
        r"s'il (?:te|vous) pla[iî]t|stp|svp|et|mais|alors|aussi|donc|bon|ah|oh|puis|juste|surtout"
        r"|maintenant|merci de|veuillez"
    ),
    ask=(
        r"(?:peux|pourrais|veux|voudrais)-tu|tu (?:peux|pourrais|dois|devrais)|(?:pouvez|pourriez"
        r"|voulez)-vous|vous (?:pouvez"
        r"|pourriez|devez)|(?:est-ce que )?tu (?:peux|pourrais)|j(?:e veux|'aimerais|e voudrais"
        r"|e souhaite) que (?:tu|vous)"
        r"|il faut que (?:tu|vous)|merci de|pense à|veille à|assure-toi de|veuillez"
        r"|ce serait bien (?:de|que tu)"
    ),
    sure=(
        r"souviens-toi(?: bien)?(?: de)?{o}|souviens-t'en"
        r"|souvenez-vous(?:-en)?(?: bien)?(?: de)?{o}|rappelle-toi(?: bien)?(?: de)?{o}"
        r"|rappelez-vous(?: bien)?(?: de)?{o}|rappelle-t'en|retiens(?:-le|-la)?(?: bien"
        r"| donc)?{o}|retenez(?:-le|-la)?(?: bien)?{o}"
        r"|n['’]?oublie[sz]?(?: surtout| bien)? (?:pas|jamais)(?: non plus)?{o}"
        r"|ne l'oublie[sz]? (?:pas|jamais)|(?:ne pas oublier|à retenir)(?=\s?[:,]|\sque\b)"
        r"|gard(?:e|es|ez)(?:-le|-la)?(?: bien| toujours)?{o}(?: bien| toujours)? (?:en (?:tête"
        r"|mémoire)|à l'esprit|dans un coin de (?:ta|la) tête|sous le coude)"
        r"|mémoris(?:e|es|ez)(?:-le|-la)?{o}|pren(?:ds|ez)(?:-en| en)?(?: bien)? note(?: de{o})?"
        r"|(?:mets|mettez|enregistre|enregistrez"
        r"|note|notez|ajoute|ajoutez|garde|gardez|inscris|écris|sauvegarde|stocke)(?:-le"
        r"|-la)?{o} (?:dans|en|à|sur) (?:ta |tes |la |les |votre |vos )?"
        r"(?:mémoire|notes|carnet|tête|fiche)|aie{o} en tête|tiens(?:-en)? compte(?: de{o})?|sache"
    ),
    weak=(
        r"(?:note|notes|notez|enregistre|enregistres|enregistrez|sauvegarde|sauvegardez|consigne"
        r"|consignez|inscris|inscrivez|écris|garde|gardez"
        r"|stocke|conserve|conservez)(?:-le|-la|-moi|-toi)?(?: bien| donc| quelque part)?{o}"
    ),
    asked=(
        r"(?:(?:bien|te|vous|le|l'|t'en|la|y) ?){0,2}(?:noter|retenir|mémoriser|enregistrer"
        r"|souvenir|rappeler|garder|sauvegarder|ne pas oublier"
        r"|notes|retiennes|souviennes|rappelles|mémorises|gardes|enregistres|prendre note"
        r"|prennes note|n'oublies pas)(?: bien)?(?: de)?{o}"
        r"(?: (?:en (?:tête|mémoire)|à l'esprit))?"
    ),
    it=_IT,
    that=r"que|qu'|de ce que",
    label=(
        r"pour (?:mémoire|référence|plus tard|la suite|l'avenir|(?:la|les) (?:prochaines?"
        r"|futures?) \w{2,20}|le futur|info(?: future)?|tous? les (?:futurs|prochains)"
        r" [^,:.;!?\n]{1,40})|(?:petite |une )?note pour (?:plus tard|moi(?:-même)?|toi|la suite"
        r"|l'avenir|la prochaine fois)|(?:une chose |un point |info |leçon |chose )?à"
        r" (?:retenir|noter|mémoriser|garder en (?:tête|mémoire)|ne pas oublier)|(?:pour"
        r"|histoire) (?:que tu|de) (?:n'oublies|ne) pas(?: oublier)?"
        r"|comme règle pour [^,:.;!?\n]{1,60}|règle (?:générale|permanente)|pense-bête|mémo"
        r"|bon à savoir|sache pour (?:la suite|plus tard|l'avenir)"
    ),
    tail=(
        r"s'il (?:te|vous) pla[iî]t|stp|svp|merci|bien|aussi|pour (?:plus tard|la suite|l'avenir"
        r"|toujours|moi|(?:la|les) prochaines? \w{2,20})|désormais"
        r"|à l'avenir|une (?:bonne )?fois pour toutes|quelque part|cette fois|dorénavant|toujours"
        r"|à partir de maintenant|ok|d'accord|à mon sujet|sur moi|en (?:tête|mémoire)"
        r"|tu veux bien"
    ),
    free=r"pour|quand|lorsque|si|dès que|afin|car|parce|chaque fois|à chaque|dans|en|au cas",
    thing=r"quelque chose|une chose|ceci|ce qui suit|un truc|la chose suivante",
)
SPANISH: Final = Tongue(
    soft=r"por favor|porfa|y|pero|también|ah|oh|bueno|ahora|entonces|así que|además|oye|solo|nada más",
    ask=(
        r"¿?(?:me )?(?:puedes|podrías|puede|podría|quieres|querrías)|quiero que|quisiera que"
        r"|me gustaría que|necesito que|te pido que|haz el favor de"
        r"|(?:tienes|debes|deberías)(?: que)?|asegúrate de|procura|intenta|vamos a|sería bueno que"
    ),
    sure=(
        r"recuerd(?:a|e|en|ad)(?: bien| siempre)?{o}|recuérd[ae](?:me|te|se)?l[oa]s?"
        r"|acu[eé]rdate(?: bien)?(?: de{o})?|acuérdese(?: de{o})?"
        r"|ten(?:ga|ed)?l?[oa]?{o} (?:siempre )?(?:en (?:cuenta|mente)|presente)"
        r"|tenl[oa] (?:siempre )?(?:en (?:cuenta|mente)|presente)"
        r"|(?:no|nunca) (?:te |se |lo |la ){0,2}olvid(?:es|e|éis)(?: nunca)?(?: de)?{o}"
        r"|no olvidar(?=\s?[:,]|\sque\b)"
        r"|que no se te olvide{o}|memori(?:za|ce){o}|memorízal[oa]"
        r"|(?:anot|apunt)(?:a|e|en|ad)(?:te)?(?!\s(?:el|la|los|las|un|una|al|hacia)\s)(?: bien)?{o}"
        r"|(?:anót|apúnt)[ae](?:te|me|se)?l[oa]s?"
        r"|apúntate{o}|anótate{o}|tom(?:a|e|ad) (?:buena )?nota(?: de{o})?"
        r"|(?:guarda|graba|pon|mete|añade|agrega|registra|escribe|apunta"
        r"|anota)(?:l[oa])?{o} (?:en|a) (?:tu |tus |la |las |mi )?(?:memoria|notas|cabeza|libreta"
        r"|registros?)"
        r"|(?:guárdal|ponl|métel|añádel|agrégal|grábal|regístral)[oa] (?:en|a) (?:tu |tus |la "
        r"|las )?(?:memoria|notas|cabeza)|quédate con{o}|grábatel[oa]"
    ),
    weak=(
        r"(?:guard|grab|registr|almacen|conserv)(?:a|e|en)(?:me|te)?{o}|(?:guárd|gráb|regístr"
        r"|almacén|consérv)[ae](?:me|te)?l[oa]s?|escribe{o}|escríbel[oa]"
        r"|deja constancia(?: de{o})?"
    ),
    asked=(
        r"(?:(?:te|lo|la|me) ){0,2}(?:record|acord|anot|apunt|guard|memoriz|grab|registr|tener"
        r"|tom)(?:ar|es|e|ces)?(?:te|me)?l?[oa]?(?: (?:en cuenta|presente|nota))?(?: de)?{o}"
        r"|(?:te |lo ){0,2}(?:recuerdes|acuerdes|memorices|anotes|apuntes|guardes"
        r"|tengas?(?:{o}) (?:en cuenta|presente)|no olvides|tomes nota|registres)(?: de)?{o}"
    ),
    it=_IT,
    that=r"de que|que",
    label=(
        r"para (?:futura )?referencia(?: futura)?|para que (?:conste|no se (?:olvide|pierda)"
        r"|lo (?:sepas|recuerdes|tengas en cuenta))|(?:una )?nota (?:para (?:luego|más tarde"
        r"|después|mí|ti|el futuro)|mental)"
        r"|para (?:luego|más (?:tarde|adelante)|después|el futuro|la (?:próxima"
        r"|siguiente)(?: vez)?|(?:futuras|próximas|las próximas|las siguientes) \w{2,20}"
        r"|tu memoria|tenerlo en cuenta)"
        r"|(?:una cosa |algo |dato |un dato |lección |importante )?(?:para|a|que debes"
        r"|por) (?:recordar|tener en cuenta|memorizar|apuntar|anotar|no olvidar)|como (?:regla"
        r"|norma) (?:general )?para [^,:.;!?\n]{1,60}|regla (?:general|permanente)(?=\s*:)"
    ),
    tail=(
        r"por favor|porfa(?:vor)?|gracias|bien|también|siempre|para (?:luego|más (?:tarde"
        r"|adelante)|después|siempre|el futuro|mí|la (?:próxima|siguiente)(?: vez)?"
        r"|(?:las )?(?:próximas|futuras|siguientes) \w{2,20})"
        r"|de (?:ahora|aquí|hoy) en adelante|en (?:adelante|el futuro)|a partir de ahora"
        r"|de una vez(?: por todas)?|en algún (?:sitio|lado)|esta vez|vale|ok|sobre mí|quieres|sí"
        r"|desde ahora|por ahí|ahí"
    ),
    free=r"para|cuando|si|por|cada vez|porque|en|a la hora|mientras|siempre que|de cara",
    thing=r"una cosa|algo|lo siguiente|un dato|otra cosa",
)
PORTUGUESE: Final = Tongue(
    soft=r"por favor|faz favor|e|mas|também|ah|oh|bom|agora|então|além disso|olha|só",
    ask=(
        r"(?:você |tu |me )?(?:pode(?:s|ria|rias)?|consegue|podia(?:s)?)|(?:quero|queria|gostaria"
        r"|preciso|gostava) (?:de )?que(?: você| tu)?|(?:faz|faça) (?:o )?favor de"
        r"|certifique-se de"
        r"|(?:você |tu )?(?:deve(?:s|ria)?|precisa(?:s)?|tem de|tens de|tem que)|vamos"
        r"|seria bom (?:que )?"
    ),
    sure=(
        r"lembr(?:e|a|em)(?:-se|-te)?(?: bem| sempre| aí)?(?: d)?{o}|lembr(?:e|a)-(?:se"
        r"|te)(?: sempre)? d(?:isso|isto)|lembra d(?:isso|isto)|(?:se|te) lembr[ea](?: disso"
        r"| disto)?|não (?:se |te |me |o )?esque[çc](?:as?|er?)(?: nunca)?(?: d(?:isso|isto))?{o}"
        r"|não esquecer(?=\s?[:,]|\sque\b)"
        r"|nunca (?:se |te )?esque[çc]as?(?: d(?:isso|isto))?"
        r"|ten?h?a[ms]?{o}(?: sempre)? em (?:mente|conta)|tem(?:-n[oa])?{o} em (?:mente|conta)"
        r"|ten?ha-[oa] em (?:mente|conta)|memoriz(?:a|e)(?:-[oa])?{o}|anot(?:a|e"
        r"|em)(?:-[oa])?(?: aí)?{o}|apont(?:a|e)(?:-[oa])?{o}|tom(?:a|e) nota(?: d(?:isso|isto))?"
        r"|(?:guard|salv|coloc|regist|registr|grav|adicion|anot|escrev|põe|ponha)(?:a"
        r"|e)?(?:-[oa])?{o} (?:na|no|em|nas|à|às)(?: tua| sua| teu| seu| tuas| suas)? (?:memória"
        r"|notas|cabeça|caderno)|fixa{o}|grava bem{o}|decor(?:a|e){o}"
    ),
    weak=(
        r"(?:guard|salv|regist|registr|grav|armazen|arquiv|conserv)(?:a|e)(?:-[oa])?(?: aí"
        r"| bem)?{o}|escreva?(?:-o)?(?: aí)?{o}"
    ),
    asked=(
        r"(?:(?:te|se|o|a|me) ){0,2}(?:lembr|anot|guard|memoriz|grav|registr|regist|apont"
        r"|salv)(?:ar|es|e|asse|asses)(?:-se|-te|-[oa])?(?: d(?:isso|isto))?{o}|(?:ter|tenhas?"
        r"|tivesse){o} em (?:mente|conta)|não (?:te |se )?esque(?:cer|ças|ça)"
        r"|tom(?:ar|e|es) nota"
    ),
    it=_IT,
    that=r"de que|que|do seguinte|seguinte",
    label=(
        r"para (?:futura )?referência(?: futura)?|(?:uma )?nota (?:para (?:depois|mais tarde|mim"
        r"|ti|você|o futuro)|mental)|para (?:depois|mais tarde|o futuro|a (?:próxima"
        r"|seguinte)(?: vez)?|(?:as )?(?:próximas|futuras) \w{2,20}|que (?:conste|não se (?:perca"
        r"|esqueça)|fique registrado)|constar|memória futura|não esquecer|tua memória"
        r"|sua memória)"
        r"|fica(?:r)? (?:a nota|registado|registrado|anotado)|(?:uma coisa |algo |lição "
        r"|importante )?(?:para|a) (?:lembrar|recordar|reter|memorizar|guardar|anotar"
        r"|ter em (?:mente|conta))|como regra para [^,:.;!?\n]{1,60}|regra (?:geral"
        r"|permanente)(?=\s*:)"
    ),
    tail=(
        r"por favor|se faz favor|pfv|obrigad[oa]|valeu|bem|também|sempre|aí|para (?:depois"
        r"|mais tarde|sempre|o futuro|mim|a (?:próxima|seguinte)(?: vez)?|(?:as "
        r"|os )?(?:próxim[ao]s|futur[ao]s|seguintes) \w{2,20})|(?:d)?aqui (?:em diante|(?:pra"
        r"|para) (?:a )?frente)|de agora em diante"
        r"|a partir de agora|no futuro|de uma vez(?: por todas)?|em algum (?:lugar|lado)"
        r"|desta vez|dessa vez|ok|tá|sobre mim|pra (?:depois|sempre|próxima)|bem"
    ),
    free=r"para|pra|quando|se|por|sempre que|porque|em|na|no|nas|nos|cada vez|ao",
    thing=r"uma coisa|algo|o seguinte|do seguinte|de uma coisa|outra coisa",
)
ITALIAN: Final = Tongue(
    soft=(
        r"per favore|per piacere|per cortesia|e|ma|anche|ah|oh|bene|ora|allora|quindi|poi|inoltre"
        r"|solo|mi raccomando"
    ),
    ask=(
        r"(?:mi |ti )?(?:puoi|potresti|può|potrebbe|riesci a|vuoi|vorresti)|(?:voglio|vorrei"
        r"|desidero|ho bisogno) che(?: tu)?(?: ti)?|(?:devi|dovresti)|fai in modo di"
        r"|assicurati di|cerca di|vedi di|ti chiedo di|ti prego di"
    ),
    sure=(
        r"ricord(?:a|ati|i|atevi|iamoci)(?: bene| sempre)?(?: di)?{o}|ricorda(?:te)?l[oa]"
        r"|ricordate(?:lo|vi)|tien(?:i|ilo|ila|ga|ine)(?: sempre"
        r"| ben(?:e)?)?{o} (?:sempre )?(?:presente|a mente|(?:in )?conto(?: di{o})?"
        r"|in considerazione|in memoria)"
        r"|tieni(?:lo|la|ne|telo) (?:sempre )?(?:presente|a mente|conto|in memoria)|non (?:ti "
        r"|te lo |lo )?(?:dimenticar(?:e|ti|lo|la|telo)|dimentichi|scordar(?:e|ti|lo"
        r"|telo))(?: mai)?(?: di)?{o}|memorizza(?:lo|la|telo)?{o}"
        r"|annota(?:ti|lo|la|telo|tela)?{o}|prendi(?:ne)? nota(?: di{o})?|segna(?:ti|telo|tela|lo"
        r"|la)(?: bene)?{o}|appunta(?:ti|telo|tela|lo|la)?{o}|impara{o} a memoria|mett(?:i|itelo"
        r"|ilo)(?:ti)?{o} (?:in|nella|nelle|agli|a) (?:memoria|tua memoria|note|tue note|testa"
        r"|atti)"
        r"|(?:salva|scrivi|aggiungi|registra|annota|conserva)(?:lo|la|ti|telo)?{o} (?:in|nella"
        r"|nelle|alla|alle) (?:tua |tue |tuo )?(?:memoria|note|appunti|testa)|fissati{o} in mente"
        r"|tieniti{o} a mente|fai(?:ne)? tesoro(?: di{o})?"
    ),
    weak=(
        r"(?:salva|registra|conserva|memorizza|archivia|scrivi|scriviti|segna|tieni)(?:lo|la|telo"
        r"|ti|tela)?(?: da qualche parte| bene)?{o}|mettil[oa] da parte"
    ),
    asked=(
        r"(?:(?:ti|lo|la|te lo|ne) ){0,2}(?:ricordar|annotar|segnar|memorizzar|appuntar|salvar"
        r"|registrar|scriver|tener|prender)(?:e|ti|lo|telo|lo|ne)?(?: (?:nota|presente|a mente"
        r"|conto))?(?: di)?{o}|(?:ti )?(?:ricordi|ricordassi|annoti|segni|memorizzi"
        r"|tenga(?:{o}) (?:presente|a mente|conto)|prenda nota)(?: di)?{o}|non dimentichi"
    ),
    it=_IT,
    that=r"che|il fatto che|del fatto che",
    label=(
        r"per (?:riferimento futuro|futuro riferimento|il futuro|(?:la|le|i) (?:prossim[aeo]"
        r"|futur[aei]|prossime) \w{2,20}|dopo|(?:più|piu) tardi|memoria|la memoria|tua memoria"
        r"|non dimenticar(?:e|lo)|tutte le (?:prossime|future) [^,:.;!?\n]{1,40})"
        r"|(?:una )?nota (?:per (?:dopo|me|te|il futuro)|mentale)|promemoria|(?:una cosa "
        r"|qualcosa |lezione |importante )?da (?:ricordare|tenere (?:a mente|presente)|segnare"
        r"|memorizzare|annotare|non dimenticare)"
        r"|come regola per [^,:.;!?\n]{1,60}|regola (?:generale|fissa)(?=\s*:)|buono a sapersi"
        r"|perché resti agli atti"
    ),
    tail=(
        r"per favore|per piacere|per cortesia|grazie|bene|anche|sempre|per (?:dopo|il futuro"
        r"|sempre|me|più tardi|(?:la|le) (?:prossima|prossime|future) \w{2,20})|d'ora in (?:poi"
        r"|avanti)|in futuro|una volta per tutte|da qualche parte|stavolta|questa volta|ok"
        r"|su di me|va bene|mi raccomando|da ora in poi"
    ),
    free=r"per|quando|se|così|perché|ogni volta|in|nel|nella|nei|nelle|appena|qualora",
    thing=r"una cosa|qualcosa|quanto segue|questo|il seguente|un'altra cosa",
)
