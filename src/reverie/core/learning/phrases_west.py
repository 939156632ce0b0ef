"""How people state things worth keeping, in German, French, Spanish, Portuguese, Italian and Russian;
see `phrases`.
"""

from __future__ import annotations

from typing import Final

GERMAN: Final = {
    "identity": r"""
        ich\ bin\ (?!gerade|mir|der\ meinung|nicht\ sicher|fertig|dabei)(?:\w+[- ]){0,4}?[\w-]*
          (?:entwickler\w*|ingenieur\w*|student\w*|designer\w*|manager\w*|leiter\w*|
            architekt\w*|forscher\w*|lehrer\w*|
          anfänger\w*|analyst\w*|administrator\w*|autor\w*|neu\ (?:in|bei|im)|programmierer\w*|
            wissenschaftler\w*)
        |ich\ arbeite\ (?:als|bei|seit|mit|hauptsächlich|meist|in|im)\b|ich\ (?:programmiere|
          entwickle)\ (?:seit|meist|hauptsächlich)
        |mein\w*\ (?:rolle|job|hintergrund|muttersprache|zeitzone|name|editor|
          betriebssystem)\ (?:ist|sind)
    """,
    "preference": r"""
        ich\ (?:bevorzuge|hasse|mag\ (?:keine?|es\ nicht|lieber|am\ liebsten)|möchte\ (?:keine?|
          lieber|nicht,?\ dass\ du|dass\ du\ immer)|
          will\ (?:keine?|nicht,?\ dass\ du|dass\ du\ immer)|ziehe\ .+\ vor|hätte\ (?:gern\w*|
            lieber)\ immer)
        |mir\ (?:gefällt|gefallen)\ .{1,40}?\ (?:besser|am\ besten|nicht)
    """,
    "correction": r"""
        (?:ab\ (?:jetzt|sofort|heute)|in\ zukunft|künftig|zukünftig|von\ nun\ an)\ (?:bitte|
          immer|nie|kein\w*|nur|alle\w*|nicht|soll\w*|verwende\w*|schreib\w*|antworte\w*|
          nutze\w*|benutze\w*)\b.{3,}
        |(?:bitte\ )?(?:verwende?|benutze?|nutze?|nimm|schreibe?|antworte?|halte?|mache?|füge?|
          setze?|committe?|pushe?|
          erkläre?|kommentiere?|teste?)\b.{0,60}?\b(?:immer|nie|niemals|stets|statt|anstatt|
            anstelle|kein\w*|nicht\ mehr|nur|auf\ deutsch|auf\ englisch)\b
        |bitte\ (?:keine?|nie\ wieder|niemals|nie|nicht\ mehr)\ (?!ahnung|sorge|problem|
          zeit)\w+.{3,}|(?:bitte\ )?(?:vermeide|hör\ auf)\b
        |keine?\ \w+\ mehr\b.{3,}
    """,
    "decision": r"""
        wir\ (?:haben\ (?:uns\ )?(?=.*\b(?:beschlossen|entschieden|vereinbart|geeinigt|
          festgelegt|ausgewählt)\b)
          |setzen\ auf|wechseln\ (?:auf|zu|von)|steigen\ (?:auf\ .+\ )?um|migrieren|
            verwenden\ (?!gerade).+?\ (?:für|statt|weil|als)
          |nutzen\ (?!gerade).+?\ (?:für|statt|weil|als))
    """,
    "deadline": r"""
        (?!ich\b|kannst\ du|bitte)(?=.*\b(?:frist|deadline|fällig|release|veröffentlich\w*|
          abgabe|freeze|einfrieren|auslieferung|audit|go-live|liveschaltung|endet|läuft\ ab)\b)\S
    """,
    "resource": r"""
        (?!ich\b|schau|lies|öffne|bitte)(?=.*\b(?:dashboard|wiki|doku\w*|tickets?|board|kanal|
          bugs?|fehler|logs?|metriken|handbuch|runbook)\b)
        .*?\b(?:ist|sind|liegt|liegen|steht|stehen|findest\ du|werden|wird|
          findet\ sich)\b.{0,30}?\b(?:in|im|auf|unter|bei)\b
    """,
}

FRENCH: Final = {
    "identity": r"""
        je\ suis\ (?!en\ train|sûr|désolé|d'accord|perdu|bloqué)(?:\w+[- ]){0,4}?
          (?:développeu\w+|ingénieur\w*|étudiant\w*|designer|chef\w*|analyste|chercheu\w+|
            enseignant\w*|débutant\w*|
          architecte|responsable|data\ scientist|consultant\w*|professeur\w*|nouve(?:au|
            lle)\ (?:sur|dans|en))
        |je\ travaille\ (?:comme|chez|dans|avec|en|depuis|principalement|surtout)\b|je\ (?:code|
          développe)\ (?:depuis|surtout|principalement)
        |j'utilise\ (?:toujours|surtout|principalement)|(?:mon|ma)\ (?:rôle|métier|
          langue\ maternelle|éditeur|fuseau\ horaire|nom)\ est
    """,
    "preference": r"""
        je\ (?:préfère|déteste|n'aime\ pas|ne\ veux\ (?:pas|plus)\ (?:que\ tu|de|d')|
          veux\ que\ tu\ (?:toujours|ne))
        |j'aime\ (?:mieux|que\ tu)|je\ préférerais\ que\ tu
    """,
    "correction": r"""
        (?:désormais|dorénavant|à\ l'avenir|à\ partir\ de\ maintenant|à\ chaque\ fois|
          en\ règle\ générale)\b.{3,}
        |(?:merci\ de\ |s'il\ te\ plaît,?\ )?(?:n'|ne\ )\w+\ (?:jamais|plus|pas\ de|pas\ d'|
          aucun)\b
        |(?:n'utilise|n'ajoute|n'écris|ne\ mets|ne\ fais|ne\ commite|ne\ pousse|
          ne\ mocke)\ (?:pas|plus|jamais)\b
        |(?:utilise[zr]?|écri[st]|réponds?|garde|mets|rédige|commente)\b.{0,50}?\b(?:toujours|
          uniquement|seulement|au\ lieu\ de|plutôt\ que|et\ non|en\ français|en\ anglais)\b
        |(?:évite[zr]?|arrête[zr]?\ de)\b|toujours\ \w+(?:er|ir|re)\b|jamais\ (?:de|d')\ ?\w+
    """,
    "decision": r"""
        (?:nous\ avons|on\ a)\ (?:finalement\ )?(?:décidé|choisi|opté|convenu|retenu|abandonné|
          migré)\b
        |(?:nous\ (?:utilisons|passons\ à|migrons)|on\ (?:utilise|passe\ à|migre))\b.{2,}
    """,
    "deadline": r"""
        (?!je\b|j'|peux-tu|tu\ peux)(?=.*\b(?:échéance|date\ limite|livraison|livrer|sortie|
          mise\ en\ production|gel|audit|deadline|release|expire|démo)\b)\S
    """,
    "resource": r"""
        (?!je\b|regarde|lis|ouvre)(?=.*\b(?:tableau\ de\ bord|dashboard|wiki|documentation|
          docs?|tickets?|bugs?|logs?|canal|métriques|runbook)\b)
        .*?\b(?:est|sont|se\ trouve|se\ trouvent|suivis?|suivies?|vit)\b.{0,30}?\b(?:dans|sur|à|
          sous|ici)\b
    """,
}

SPANISH: Final = {
    "identity": r"""
        (?:yo\ )?soy\ (?:\w+\ ){0,4}?(?:desarrollador\w*|ingenier\w+|estudiante|diseñador\w*|
          analista|investigador\w*|profesor\w*|
          principiante|arquitect\w+|responsable|jefe|científic\w+|programador\w*|nuev[oa]\ en)
        |(?:yo\ )?trabajo\ (?:como|en|con|de|para|principalmente)\b|llevo\ .{1,20}\ años\b|
          mi\ (?:rol|trabajo|lengua\ materna|editor|zona\ horaria|nombre)\ es
    """,
    "preference": r"""
        (?:yo\ )?(?:prefiero|odio|no\ me\ gustan?|detesto|no\ quiero\ (?:que|más)|
          quiero\ que\ (?:siempre|nunca|no))\b|me\ gustan?\ (?!est|es[aeo]|la\ idea|tu)\w+
    """,
    "correction": r"""
        (?:a\ partir\ de\ ahora|de\ ahora\ en\ adelante|en\ adelante|en\ el\ futuro|
          por\ defecto)\b.{3,}
        |(?:por\ favor,?\ )?(?:siempre|nunca|jamás)\ (?!mejor|he\b|lo\b|la\b|se\b|hemos)\w+
        |(?:por\ favor,?\ )?no\ (?:uses?|añadas?|pongas?|escribas?|hagas|agregues?|incluyas?|
          comentes|subas|toques|mezcles|mockees)\b(?!\ (?:este|esta|eso|esto)\b)
        |(?:por\ favor,?\ )?(?:usa|utiliza|escribe|responde|contesta|mantén|
          pon)\b.{0,60}?\b(?:siempre|solo|nunca|en\ lugar\ de|en\ vez\ de|y\ no|en\ español|
          en\ inglés)\b
        |(?:evita|deja\ de)\b
    """,
    "decision": r"""
        (?:hemos|se\ ha)\ (?:decidido|acordado|elegido|optado|migrado|abandonado)\b|
          (?:nosotros\ )?(?:decidimos|acordamos|elegimos|optamos|migramos\ a|ya\ no\ usamos|
          usamos\ .+?\ (?:para|porque|en\ lugar))\b
    """,
    "deadline": r"""
        (?!yo\b|puedes)(?=.*\b(?:fecha\ límite|plazo|entrega|vence|lanzamiento|lanzamos|
          publicamos|congela\w*|auditoría|deadline|release|demo|caduca)\b)\S
    """,
    "resource": r"""
        (?!mira|lee|abre|revisa)(?=.*\b(?:panel|tablero|dashboard|wiki|documentación|tickets?|
          incidencias|bugs?|errores|logs?|canal|métricas|runbook)\b)
        .*?\b(?:está|están|se\ encuentra\w*|vive\w*|se\ registran|se\ siguen|
          se\ gestionan)\b.{0,30}?\b(?:en|bajo)\b
    """,
}

PORTUGUESE: Final = {
    "identity": r"""
        (?:eu\ )?sou\ (?:\w+\ ){0,4}?(?:desenvolvedor\w*|engenheir\w+|estudante|designer|
          analista|professor\w*|iniciante|cientista|programador\w*|nov[oa]\ em)|
          (?:eu\ )?trabalho\ (?:como|em|com|na|no)\b
    """,
    "preference": r"""
        (?:eu\ )?(?:prefiro|odeio|não\ gosto|detesto|não\ quero\ que)\b|
          (?:eu\ )?gosto\ (?:mais\ )?de\ (?!ss|st)\w+
    """,
    "correction": r"""
        (?:a\ partir\ de\ agora|de\ agora\ em\ diante|daqui\ (?:em|para)\ (?:diante|frente)|
          no\ futuro|por\ padrão)\b.{3,}
        |(?:por\ favor,?\ )?(?:sempre|nunca|jamais)\ (?!que|mais\ vi|vi)\w+
        |(?:por\ favor,?\ )?não\ (?:uses?|use|adicione|coloque|escreva|faça|inclua|comente|
          comite)\b(?!\ (?:este|esta|isso|isto)\b)
        |(?:por\ favor,?\ )?(?:usa|use|utilize|escreva|responda|mantenha)\b.{0,60}?\b(?:sempre|
          só|apenas|em\ vez\ de|ao\ invés\ de|em\ português|em\ inglês)\b
        |(?:evite|pare\ de)\b
    """,
    "decision": r"""
        (?:nós\ )?(?:decidimos|optamos|escolhemos|combinamos|migramos|não\ usamos\ mais|
          adotamos)\b|(?:a\ gente|a\ equipe)\ (?:decidiu|optou|usa)\b
    """,
    "deadline": r"""
        (?=.*\b(?:prazo|entrega|lançamento|lançamos|vence|congelamento|auditoria|deadline|
          release)\b)\S
    """,
    "resource": r"""
        (?=.*\b(?:painel|dashboard|wiki|documentação|tickets?|bugs?|logs?|canal|
          métricas)\b).*?\b(?:está|estão|fica|ficam|encontra\w*)\b.{0,30}?\b(?:em|no|na|nos|nas)\b
    """,
}

ITALIAN: Final = {
    "identity": r"""
        sono\ (?:un[oa']?\ ?)(?:\w+\ ){0,3}?(?:sviluppat\w+|ingegner\w+|studente\w*|designer|
          analista|ricercat\w+|insegnante|principiante|programmat\w+)|lavoro\ (?:come|in|con|
          per|da)\b
    """,
    "preference": r"""
        (?:io\ )?(?:preferisco|odio|detesto|non\ mi\ piace|non\ mi\ piacciono|
          non\ voglio\ (?:che|più))\b|mi\ piace\ (?:di\ più|che\ tu)
    """,
    "correction": r"""
        (?:d'ora\ in\ poi|da\ ora\ in\ poi|in\ futuro|di\ norma)\b.{3,}
        |(?:per\ favore,?\ )?(?:sempre|mai)\ \w+(?:are|ere|ire)\b|
          (?:per\ favore,?\ )?non\ (?:usare|aggiungere|mettere|scrivere|fare|includere|
          commentare)\b(?!\ (?:questo|questa)\b)
        |(?:per\ favore,?\ )?(?:usa|utilizza|scrivi|rispondi|mantieni|
          metti)\b.{0,60}?\b(?:sempre|solo|invece\ di|al\ posto\ di|e\ non|in\ italiano|
          in\ inglese)\b
        |(?:evita|smetti\ di)\b
    """,
    "decision": r"""
        abbiamo\ (?:deciso|scelto|concordato|optato|migrato|abbandonato)\b|(?:noi\ )?(?:usiamo|
          passiamo\ a|migriamo)\b.{2,}
    """,
    "deadline": r"""
        (?=.*\b(?:scadenza|scade|rilascio|rilasciamo|consegna|lancio|audit|deadline|release)\b)\S
    """,
    "resource": r"""
        (?=.*\b(?:dashboard|wiki|documentazione|ticket|bug|log|canale|metriche)\b).*?\b(?:è|
          sono|si\ trova|si\ trovano)\b.{0,30}?\b(?:in|su|nel|nella|sul|sulla|a)\b
    """,
}

RUSSIAN: Final = {
    "identity": r"""
        я\ (?:—|-|–)?\s?(?:[\w-]+\ ){0,3}?(?:разработчик\w*|инженер\w*|студент\w*|дизайнер\w*|
          менеджер\w*|аналитик\w*|программист\w*|
          преподаватель|исследователь|архитектор|новичок|тестировщик\w*|тимлид)
        |я\ (?:работаю\ (?:в|с|на|как|инженер\w*)|пишу\ (?:на|в\ основном)|
          в\ основном\ (?:использую|пишу)|не\ знаком\w*\ с|обычно\ (?:использую|пишу))
        |мо[йяе]\ (?:роль|родной\ язык|часовой\ пояс|редактор|имя)\b
    """,
    "preference": r"""
        я\ (?:предпочитаю|ненавижу|не\ люблю|не\ хочу,?\ чтобы\ ты|хочу,?\ чтобы\ ты\ (?:всегда|
          никогда|не))|мне\ (?:больше\ )?(?:нравится|нравятся|не\ нравится|не\ нравятся|
          удобнее)\ (?!эт|так|тво)
    """,
    "correction": r"""
        (?:впредь|отныне|в\ дальнейшем|с\ этого\ момента|в\ будущем|на\ будущее)\b.{3,}
        |(?:пожалуйста,?\ )?(?:всегда|никогда(?:\ не)?|каждый\ раз|больше\ не)\ (?!бы|был|видел|
          думал)\w+
        |(?:пожалуйста,?\ )?не\ (?:используй|добавляй|пиши|мокай|коммить|пуш|вставляй|ставь|
          создавай|объясняй|повторяй|удаляй|меняй|трогай)(?:те)?\b(?!\ (?:это|этот|эту|пока)\b)
        |(?:пожалуйста,?\ )?(?:используй|пиши|отвечай|ставь|делай)(?:те)?\b.{0,60}?\b(?:всегда|
          только|вместо|а\ не|на\ русском|на\ английском|по-русски|по-английски)\b
        |(?:избегай|перестань|прекрати)(?:те)?\b
    """,
    "decision": r"""
        (?:мы|команда)\ (?:уже\ |наконец\ )?(?:решил[иа]|договорил\w+|выбрал[иа]|перешл[иа]|
          переходим|отказал\w+|больше\ не\ используем|используем\ .+?\ (?:для|вместо|потому))\b
    """,
    "deadline": r"""
        (?!я\b|можешь)(?=.*(?:\bсрок|дедлайн|релиз|выпуск|сдач|заморозк|аудит|запуск|истекает))\S
    """,
    "resource": r"""
        (?!посмотри|открой|прочитай)(?=.*(?:дашборд|вики|документаци|тикет|баги?\b|задачи|
          логи?\b|канал|метрик|доск)).*?(?:\bв\b|\bна\b|\bпо\ адресу\b|лежит|лежат|находится|
          находятся|ведём|ведем)
    """,
}
