"""Kinds: what a remark is about, read from its words, and whose memory it belongs to.

Rules:

* An address makes a reference. Then who speaks of whom decides: an order to the agent is feedback,
  a remark about the speaker is `user`, work and its dates are `project`.
* Inside a project the default is the project. The person's memory, which every project sees, is for what
  is about the person, how to talk to them, or said to hold everywhere. "We" is the project; so is who
  does what in the work, what somebody says of this repository, and how something sounds that others read.
"""

from __future__ import annotations

from typing import Final

from reverie.core.phrases import speakers
from reverie.core.text.plain import AnyCase
from reverie.types import Kind, Scope

_URL: Final = AnyCase(r"\b(?:https?://|www\.)\S|(?<![\w-])[\w-]{1,64}\.(?:internal|corp|local)\b")
_SELF: Final = AnyCase(
    r"\b(?:my|me|mine|myself)\b"
    r"|\b(?:the )?user(?:['’]s)? (?:(?:now|no longer|currently|still|recently|just|always|never"
    r"|usually) ){0,2}"
    r"(?:is|has|moved|switched|stopped|started|changed|quit|became"
    r"|(?:like|prefer|work|live|want|know|speak|use|hate|love|drink|eat|drive|need|enjoy|dislike)s?)\b"
    r"|\A(?:likes|prefers|loves|hates|dislikes|works as|speaks|lives in)\b"
    r"|我(?!们|們)|用户(?:是|喜欢|偏好|使用|不喜欢|在)|私[はの]|僕(?!たち|ら)|ユーザーは|저는|나는|제가"
    r"|사용자는"
    r"|\b(?:я|мне|меня|мой|моя|моё|мои|пользователь)\b|\b(?:je|mon|ma|mes|moi|l['’]utilisateur)\b|\bj['’]"
    r"|\b(?:ich|mein|meine|mir|mich|der nutzer|der benutzer)\b|\b(?:yo|mi|mis|me gusta|el usuario)\b"
    r"|\b(?:meus?|minhas?|il mio|la mia|i miei|le mie|mijn|ik|mój|moja|moje|benim)\b"
    # Where the ending of the verb says who speaks.
    r"|\A(?:(?:ahora|ya no|ya|agora|já não|já|ora|adesso|non|no|não|też|też nie|teraz|już nie|już"
    r"|nie|artık|также|теперь"
    r"|не|больше не|da \w{3,12}|desde \w{3,12}|od \w{3,12}) ){0,2}"
    r"(?:vivo|moro|trabajo|trabalho|lavoro|abito|prefiero|prefiro|preferisco|soy|sou|sono(?!"
    r" (?:richiest|necessari|stat|present|disponibil|previst))|estoy"
    r"|estou|sto|tengo|tenho|ho"
    r"|bebo|bevo|como|mangio|hablo|falo|parlo|estudio|estudo|studio|uso(?! d[eio])|utilizo|odio"
    r"|odeio|amo|adoro|detesto"
    r"|gosto|juego|jogo|gioco|faço|hago|faccio|nací|nasci|necesito|preciso|puedo|posso|quiero|quero"
    r"|voglio|vorrei|conduzco"
    r"|dirijo|guido|fumo|corro|leo|leio|leggo|me (?:llamo|gusta\w*|encanta\w*|mudé|mudei|chamo|casé"
    r"|casei|he \w{3,15})"
    r"|mi (?:chiamo|piac\w+|sono \w{3,15})|vendí|vendi|compré|comprei|dejé|deixei|nos mudamos"
    r"|mieszkam|pracuję|wolę|piję|jem|jestem|mam|używam|mówię|studiuję|lubię|nazywam się|uczę się"
    r"|jeżdżę|palę|gram|potrzebuję"
    r"|\w{3,15}ł[ea]m|живу|работаю|предпочитаю|использую|говорю|люблю|ем|пью|курю|учусь|учу"
    r"|переехал\w?|бросил\w?)\b"
    r"|\A[^.!?]{0,80}\b\w{2,20}(?:yorum|[dt][ıiuü]m|değilim|ar[ıi]m|er[i]m|ır[ıi]m|ir[i]m)[.!]*\Z"
    r"|\A\w{3,20}[ıiuü]m[.!]*\Z"
    r"|\b(?:εγώ|μου|μένα|ο χρήστης)\b|ฉัน|ผม|ดิฉัน|ผู้ใช้"
)
_ORDER: Final = AnyCase(
    r"\A(?:responde|respóndeme|contesta|responda|rispond\w{1,4}|antworte|réponds|отвечай|antwoord"
    r"|odpowiadaj)\b"
    r"|\b(?:cevap|yanıt) ver\b|\A(?:please|always|never|don['’]?t|do not|avoid|stop|prefer|use|keep"
    r"|make sure|be|no|ask|only|write"
    r"|answer|reply|respond|explain|run|add|put|name|format|remember to"
    r"|when (?:you|writing|answering|replying|reviewing))\b"
    r"|\b(?:you (?:should|must|can|need)|your (?:replies|answers|code|summar|comments"
    r"|explanations|messages|responses|tone))"
    r"|(?<!申)[请請](?!求)|不要|别再|別再|必须|必須|总是|總是|务必|禁止|避免|永远不"
    r"|ください|しないで|してはいけ|常に|必ず|べき"
    r"|마세요|말아|항상|반드시|주세요|하지 마|\A(?:всегда|никогда|не |пожалуйста|избега|пиши|используй)"
    r"|\A(?:toujours|jamais|évite|utilise|n['’]|ne |écri|garde)"
    r"|\A(?:immer|niemals|nie|vermeide|bitte|verwende|nutze|keine?)\b"
    r"|\A(?:siempre|nunca|evita|usa|no |escribe)|\A(?:πάντα|ποτέ|μην|χρησιμοποίησε|γράφε)|ห้าม|อย่า|ควร"
    r"|ต้อง"
)
_TO_AGENT: Final = AnyCase(
    r"\b(?:you|your|repl(?:y|ies)|answers?|responses?|summar(?:y|ies)|comments?|commit messages?)\b"
    r"|回复|回答|注释|总结|返信|回答|コメント|답변|응답|отве[тч]|répon[sd]|antwort|antwoord"
    r"|respuesta|respond|rispond|risposta"
    r"|odpowi|cevap|yanıt"
)
_PLACE: Final = AnyCase(
    r"\b(?:dashboards?|grafana|datadog|kibana|sentry|runbooks?|wiki|confluence|notion|jira|linear"
    r"|tickets?"
    r"|trackers?|slack|docs|documentation|spreadsheet|figma|board|channel|tableau de bord|handbuch)\b"
    r"|看板|仪表盘|面板|工单|文档|链接|频道|ダッシュボード|チケット|ドキュメント|リンク|대시보드|티켓|문서"
    r"|링크"
    r"|дашборд|тикет|документац|вики|έγγραφ|แดชบอร์ด|เอกสาร"
)
_WORK: Final = AnyCase(
    r"\b(?:project|repo|repository|release|deadline|milestone|freeze|sprint|incident|roadmap|launch"
    r"|migrat\w+"
    r"|deploy\w*|staging|production|branch|stakeholders?|customers?|compliance|legal|we|our|us|team"
    r"|services?|servers?"
    r"|database|api|backend|frontend|build|ci|pipeline|rewrite|endpoint|port|projet|échéance|livraison"
    r"|serveur|équipe"
    r"|projekt|frist|termin|auslieferung|kunden?|proyecto|plazo|entrega|servidor|έργο|προθεσμία|ομάδα)\b"
    r"|项目|发布|上线|截止|里程碑|冻结|迁移|部署|团队|服务器|数据库|合并|分支|締め切り|リリース|プロジェクト"
    r"|納品|期限"
    r"|サーバ|チーム|출시|마감|프로젝트|배포|서버|팀|проект|релиз|дедлайн|срок|сервер|команд|โครงการ|กำหนด"
    r"|ทีม"
)
_WE: Final = AnyCase(
    r"\b(?:we|we['’](?:re|ve|ll)|our|ours|us|wir|uns|unser\w*|nous|notre|nos|nosotr[oa]s|nuestr\w+|nós"
    r"|noss[oa]s?|noi"
    r"|nostr[oaie]|мы|нас|нам|наш\w*|نحن|لدينا|عندنا|فريقنا|مشروعنا|خادمنا|نستخدم|نستعمل|ننشر"
    r"|wij|ons|onze|nasz\w*|biz|bizim|\w{3,15}yoruz|mamy|używamy|usamos|tenemos"
    r"|temos|usiamo|abbiamo)\b|我们|我們|咱们|私たち|我々|弊社|우리|저희"
)
_EVERYWHERE: Final = AnyCase(
    r"\b(?:everywhere|in (?:all|every|any|each) (?:my |of my )?(?:projects?|repos?|repositor\w+"
    r"|codebases?|sessions?|chats?)"
    r"|across (?:all )?(?:my )?projects|whatever the project|in general|no matter which (?:project"
    r"|repo))\b"
    r"|\b(?:überall|in allen projekten|generell|partout|dans tous (?:mes|les) projets|en todas partes"
    r"|en todos (?:mis|los) proyectos|везде|во всех проектах)\b"
    r"|所有项目|任何项目|每个项目|どのプロジェクトでも|全プロジェクト|모든 프로젝트"
)
_TALK: Final = AnyCase(
    r"\b(?:brief(?:ly)?|concise(?:ly)?|terse|verbose|polite|formal|informal|emojis?|tone|jargon"
    r"|bullet points?|step by step"
    r"|(?:ask|tell|show|call|address|remind|warn|teach|give|explain to) me|in (?:english|german|french"
    r"|spanish|chinese|japanese"
    r"|korean|russian|italian|portuguese)|kurz|knapp|höflich|duze?n?|sieze?n?|auf (?:deutsch|englisch)"
    r"|bref|brièvement"
    r"|tutoie|vouvoie|en (?:français|anglais|español|inglés)|breve(?:mente)?|кратко|вежливо"
    r"|на (?:русском|английском))\b"
    r"|简短|简洁|中文|英文|礼貌|表情|敬語|簡潔|日本語|존댓말|반말|한국어|간단히"
)
_THIS_PROJECT: Final = AnyCase(
    r"\b(?:this|our) (?:project|repo|repository|codebase|service|package)\b|本项目|这个项目|该项目|这个仓库"
    r"|この(?:プロジェクト|リポジトリ)|이 프로젝트|в этом проекте|(?:dans|de) ce projet|diesem projekt"
    r"|est[ea] proyecto|αυτό το έργο|โปรเจกต์นี้"
)


_HERE: Final = AnyCase(
    r"\b(?:for|in|within|inside|on) (?:this|our|the current) (?:\w{2,12} )?(?:project|repo"
    r"|repository|codebase|service"
    r"|package|app|workspace)\b|\b(?:in|für) (?:diesem|dieses|diese|dieser|unserem) (?:projekt"
    r"|repo\w*|code\w*)\b"
    r"|\b(?:dans|pour|sur) (?:ce|cette|notre) (?:projet|dépôt|repo|base de code)\b"
    r"|\b(?:en|para) (?:este|esta|nuestro) (?:proyecto|repo\w*)\b|\b(?:n[eo]ste|para este|neste)"
    r" (?:projeto|repo\w*)\b"
    r"|\b(?:in|per) questo (?:progetto|repo\w*)\b|\b(?:in|voor) (?:dit|deze) (?:project|repo\w*)\b"
    r"|\bв этом (?:проекте|репозитории)\b|\bw tym (?:projekcie|repo\w*)\b|\bbu (?:projede"
    r"|repoda|depoda)\b"
    r"|(?:本|这个|该)(?:项目|仓库|代码库)[里中]?|この(?:プロジェクト|リポジトリ)(?:で|は)|이"
    r" (?:프로젝트|저장소)(?:에서|는)"
)
"""Said to hold in this project only."""


def guess_kind(text: str) -> Kind | None:
    """Tell the kind of a remark by its words; None when they do not say."""
    if _URL.found_in(text):
        return Kind.REFERENCE
    if _WE.found_in(text) and not _ORDER.found_in(text.strip()):
        return Kind.REFERENCE if _PLACE.found_in(text) else Kind.PROJECT
    if _of_self(text):
        if speakers.divides_work(text) or (
            _THIS_PROJECT.found_in(text) and not _HERE.found_in(text)
        ):
            return Kind.PROJECT
        if _HERE.found_in(text) and not _EVERYWHERE.found_in(text):
            return Kind.FEEDBACK
        return Kind.FEEDBACK if _ORDER.found_in(text) or _TO_AGENT.found_in(text) else Kind.USER
    if _ORDER.found_in(text.strip()) or _EVERYWHERE.found_in(text):
        return Kind.FEEDBACK
    if _PLACE.found_in(text):
        return Kind.REFERENCE
    return Kind.PROJECT if _WORK.found_in(text) else None


def kind_said(text: str, form: Kind) -> Kind:
    """Return the kind of a remark in a form that usually is of a kind.

    Forms know how something is said. Whether it is about the person or the project, all its words say.
    """
    guessed = guess_kind(text)
    return guessed if guessed and {guessed, form} == {Kind.USER, Kind.PROJECT} else form


def scope_of(kind: Kind, text: str = "", *, in_project: bool = True) -> Scope:
    """Tell whose memory a remark of a kind belongs to."""
    if kind is Kind.USER:
        return Scope.USER
    if kind in (Kind.PROJECT, Kind.REFERENCE):
        return Scope.PROJECT
    if not in_project or _EVERYWHERE.found_in(text):
        return Scope.USER
    if any(sign.found_in(text) for sign in (_THIS_PROJECT, _HERE, _WE)):
        return Scope.PROJECT
    if speakers.for_others(text):
        return Scope.PROJECT
    about_person = _of_self(text) or _TO_AGENT.found_in(text) or _TALK.found_in(text)
    return Scope.USER if about_person else Scope.PROJECT


def _of_self(text: str) -> bool:
    return _SELF.found_in(text) or speakers.says_i(text)
