"""How people state things worth keeping, in German, French, Spanish, Portuguese, Italian, Russian, Chinese,
Japanese and Korean; see `phrases`.
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

CHINESE: Final = {
    "identity": r"""
        我是(?!说|想|不是|否|要|问|指|觉得|在).{0,16}?(?:工程师|开发|程序员|设计师|经理|学生|研究员|老师|架构师|运维|测试|
          负责人|产品|科学家|分析师|新手|初学者|作者|创始人|实习生|顾问|医生|律师|教师|博士|硕士|素食|左撇子|色盲)
        |我(?:负责|从事|主要(?:用|做|写|负责|使用)|平时(?:都?用|写|使用)|一直用|在.{1,20}(?:工作|上班|任职))
        |我(?:对.{1,20})?不(?:太)?(?:懂|熟悉|了解)|我没(?:有)?(?:用|接触|写|学)过|我(?:做|写|用)了.{1,20}年
        |我有.{1,12}年.{0,12}经验|我(?:住在|定居在|人在)|我的(?:角色|职位|背景|母语|时区|编辑器|系统|工作|名字)是|叫我
    """,
    "preference": r"""
        我(?:个人)?(?:更|比较|很|特别|一直|平时|最|还是)?(?:喜欢|偏好|偏爱|倾向|习惯|讨厌|不喜欢|反感)(?!这个|那个)
        |我(?:希望|想要|要)你(?:以后|每次|总是|不要|别|一直)|我不(?:想|希望|要)(?:看到|你|有)
    """,
    "correction": r"""
        (?:以后|今后|从现在(?:起|开始)|从今(?:天起|以后)|下次|一律|永远|任何时候).{0,24}?
          (?:请|要|不要|别|不能|不用|不许|必须|务必|用|都|先|保持|避免)
        |(?:默认|凡是|所有|始终|总是|每次).{0,24}?(?:请|不要|先|记得|别|不能|不许|必须用|务必|要用|用|要写|要加|要先)
        |(?:请|麻烦)?(?:不要再|别再|千万不要|千万别|永远不要|绝对不要|禁止|切勿|不许|务必|一定要)\S
        |(?:请|你)(?:必须|一定要|务必|避免)\S
        |(?:请|麻烦)?(?:不要|别)(?:用|加|写|在|使用|添加|提交|推送|生成|解释|重复|总结|模拟|mock|硬编码|修改|自动)
        |(?:请|麻烦)?(?:都|只|统一)?用.{1,24}?(?:而不是|代替|替代|不要用|别用|而非)
        |(?:请|麻烦)?(?:都|只|一直|统一)?用(?:中文|英文|英语|日语|简体|繁体).{0,8}?(?:回复|回答|写|注释|交流|沟通|说明|提交)
        |(?:请)?保持.{0,12}(?:简洁|简短|一致)|(?:回复|回答|注释|提交信息).{0,12}(?:要|尽量|必须|请|不要).{0,12}
    """,
    "decision": r"""
        (?:我们|咱们|团队|项目|公司|组里|后端|前端).{0,8}?(?:决定|确定|选择了|选定|商定|改用|换成|采用|统一(?:用|使用)|迁移到|
          迁到|放弃|不再(?:用|使用|支持|维护)|约定|规定|要求)
    """,
    "deadline": r"""
        (?!我(?:想|要|会)|帮|请|能不能|可以)
        (?=.*(?:截止|上线|发布|发版|冻结|交付|到期|ddl|deadline|提测|封版|验收|评审|封板|切分支|演示))\S
    """,
    "resource": r"""
        (?!我(?:想|要)|帮|请|看一下|打开|读)
        (?=.*(?:文档|看板|仪表盘|面板|工单|bug|缺陷|需求|监控|日志|设计稿|wiki|告警|频道|群|runbook|手册|问题|任务|指标))
        .*?(?:记录?在|放在|都在|位于|地址是|链接是|跟踪在|管理在|维护在|写在|存在|发在|提到|在.{1,24}(?:里|上|中|跟踪|管理|维护))
    """,
}

JAPANESE: Final = {
    "identity": r"""
        (?:私|僕|俺|わたし|自分)は(?!.*(?:思い|思う|考え)).{1,40}?(?:エンジニア|開発者|デザイナー|学生|マネージャー|研究者|
          担当|初心者|プログラマー|リーダー|教師|医師|データサイエンティスト)
        |(?:私|僕|俺|わたし|自分)は.{1,30}?(?:を担当して|で働いて|に詳しく|が得意|が苦手|を使って|に慣れて|は初めて)
    """,
    "preference": r"""
        (?!.*(?:さん|彼|彼女|お客様|部長|同僚)[はがも])(?!この|その|これ|それ).{1,40}?(?:の方|ほう)?が(?:好き|嫌い|好み|苦手)(?:です|
          だ|なので)?
        |(?:私|僕)は.{1,30}?を(?:好み|好んで)
    """,
    "correction": r"""
        (?:今後|これから|以後|次から|毎回|基本的に).{2,60}?(?:ください|下さい|こと|ように|しないで|お願い|して|ないで)
        |(?!この|その|今回).{0,30}?(?:必ず|常に|いつも|絶対に|二度と|決して).{1,50}?(?:ください|下さい|こと|ように|ないで|お願い|して|書いて|
          使って)
        |(?!この|その|今回|ここ).{1,40}?(?:しないで|使わないで|書かないで|入れないで|付けないで|やめて|追加しないで)(?:ください|下さい|ほしい|欲しい|$)
        |(?:回答|返信|返事|説明|コメント|コミットメッセージ)は.{1,30}?(?:お願い|ください|下さい|ほしい|欲しい)
        |(?:日本語|英語|中国語)で(?:答え|書|回答|返信|返事|説明)
    """,
    "decision": r"""
        .{2,60}?(?:ことに(?:し|決め|決ま)|に(?:決め|決定し|決まり|統一し|移行し|移行する)|を(?:採用し|採用する)|を廃止)
    """,
    "deadline": r"(?=.*(?:締め?切り?|期限|リリース|納期|納品|公開|凍結|ローンチ|デモ|監査|までに))\S",
    "resource": r"""
        (?=.*(?:ダッシュボード|ドキュメント|チケット|仕様書|課題|バグ|ログ|手順書|設計書|監視|議事録|Wiki|資料)).{2,40}?[はが].{1,60}?
          (?:に(?:あり|ある|記録|まとめ|置い|保存)|で(?:管理|追跡|共有))
    """,
}

KOREAN: Final = {
    "identity": r"""
        (?:저는|나는|전)\s.{1,40}?(?:개발자|엔지니어|디자이너|학생|매니저|연구원|초보|담당|프로그래머)
    """,
    "preference": r"""
        (?:저는|나는|전|제가)?\s?.{1,40}?(?:을|를|이|가|게)\s(?:더\s)?
          (?:선호|좋아|싫어)(?:합니다|해요|해|한다)
    """,
    "correction": r"""
        (?:앞으로|항상|절대로?|매번|반드시|꼭|언제나)\s.{2,60}?
          (?:주세요|마세요|하지\ 마|해\ ?줘|말아|십시오|하세요|세요)
        |.{1,30}?\s(?:항상|절대로?|반드시)\s.{1,50}?(?:주세요|마세요|하지\ 마|해\ ?줘|말아|십시오|세요)
    """,
    "decision": r".{2,50}?(?:하기로|쓰기로|사용하기로|바꾸기로|옮기기로)\s?(?:했|결정|정했|합의)",
    "deadline": r"(?=.*(?:마감|출시|배포|릴리스|릴리즈|기한|데모|감사))\S",
    "resource": r"""
        (?=.*(?:문서|대시보드|이슈|티켓|버그|로그|위키)).{2,40}?(?:은|는|이|가)\s.{1,60}?에(?:서)?\s(?:있|기록|관리|정리)
    """,
}
