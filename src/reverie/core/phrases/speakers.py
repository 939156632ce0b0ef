"""Speakers: who speaks of whom, as far as words tell it.

`core.topics.kinds` says what follows for whose memory it is.

Rules

* A small `i` is the English pronoun unless the sentence is in a language where it is an article or an "and"
  ("i log stanno in ...", "lint i testy").
* Some languages name the speaker by an ending, or leave out whose wife it is; what is theirs alone is listed.
* Who does what in the work is about the work, also where the speaker is one of them ("I maintain the parser",
  "Tom and I share the on-call"). What somebody does at home, or is, is about the person.
* A text that others read (a mail to customers, release notes) is a piece of work; how it should sound is not
  how to talk to the person.
"""

from __future__ import annotations

from typing import Final

from reverie.core.text.plain import AnyCase, Lazy

_PRONOUN: Final = Lazy(r"(?<![\w-])[iI](?![\w/*:-]|\s*[=<>+)\]])")
_ENGLISH: Final = AnyCase(
    r"\bi['’]|\b(?:the|my|and|is|was|with|have|had|live|work|for|of|at|am|don['’]t|you|this|that|it|i"
    r" (?:use|speak|prefer|like|love|hate|need|want|know|think|eat|drink|moved|come|study|teach"
    r"|never|always))\b"
)
_NOT_ENGLISH: Final = AnyCase(
    r"\b(?:sono|stanno|vanno|girano|nel|nella|nei|nelle|negli|del|della|dei|delle|degli|che|gli|dal|dalla"
    r"|alla|alle|ogni|entro|è|hanno|vengono|devono|possono|tutti|tutte|una|anche|più|già|dopo|quando|sul"
    r"|sulla|są|jest|nie|mają|się|oraz|przez|tylko|idu|nisu|samo|sve|kako|jsou|nebo|také)\b"
    r"|\bi \w{2,20} (?:(?:si|ci|non|lo|ne) )?\w{1,20}(?:ano|ono)\b|[ąęłńśźżčšžđř]"
)
_OWN_WORDS: Final = AnyCase(
    # Arabic, Turkish and Hindi
    r"(?<![\u0600-\u06ff])(?:أنا|أنني|أني|اسمي|عندي|لدي|أعيش|أسكن|أعمل|أحب|أكره|أستخدم|أتكلم|أتحدث|أدرس"
    r"|أتعلم|زوجتي"
    r"|زوجي|ابني|ابنتي|أمي|أبي|أخي|أختي|بيتي|كلبي|قطتي|عمري|هاتفي|سيارتي)(?![\u0600-\u06ff])|\Aأفضل\b"
    r"|\b(?:benim|bana|beni|eşim|karım|kocam|kızım|oğlum|annem|babam|kardeşim|ablam|çocuklarım"
    r"|adım|ismim)\b"
    r"|(?:मैं|मेरा|मेरी|मेरे|मुझे)(?!\w)"
    # Russian in every case, and the ones who are near where no word says whose they are
    r"|\bмо(?:ей|ю|его|ему|им|ём|их|ими)\b"
    r"|(?:\A|[。、，\s])(?:妻|夫|娘|息子|母|父|兄|姉|弟|妹|彼女|彼氏|うちの[犬猫子妻夫])[のはがも]"
    r"|\A(?:老婆|老公|妻子|丈夫|女儿|儿子|我妈|我爸|爸妈|男朋友|女朋友)"
    r"|\A(?:아내|남편|딸|아들|엄마|아빠|어머니|아버지|여동생|남동생|누나|오빠|언니)[는은가이의도]"
)
_BEN: Final = Lazy(r"(?i:\Aben )(?:[^\s.!?]{1,30} ){0,8}[^\s.!?]{2,20}(?:[yıiuü][ıiuü]?m)[.!]*\Z")

_PIECE: Final = (
    r"(?:[\w'’./-]{1,24} ){0,3}(?:back-?ends?|front-?ends?|apis?|servers?|services?|databases?|schemas?"
    r"|migrations?|"
    r"parsers?|printers?|queues?|caches?|gateways?|uploaders?|modules?|packages?|librar(?:y|ies)|repos?"
    r"|repository|"
    r"pipelines?|builds?|ci|tests?|suite|scripts?|logic|bugs?|race|locks?|docs|documentation"
    r"|tutorials?|wiki|"
    r"designs?|copy|releases?|deploy\w{0,8}|rollouts?|on-?call|pager|tickets?|prs?|reviews?"
    r"|payments?|billing"
    r"|infra\w{0,12}|"
    r"ops|dashboards?|translations?|support|endpoints?|clients?|apps?|ui|branch(?:es)?|code"
    r"|features?|config\w{0,10}|"
    r"déploiements?|base de (?:données|datos|dados)|despliegues?|pruebas?|servi(?:dor|deur|zi"
    r"|zio)\w{0,2}|serveurs?"
    r"|datenbank|auslieferung|"
    r"algorithm|crawler|scheduler|importer|exporter|compiler|renderer|worker|plugins?|sdk|cli)\b"
)
_NOT_A_POST: Final = r"(?! (?:team|department|group|company|engineer|developer|lead|manager)\b)"
_WORK_ON: Final = (
    r"(?:maintain|own|wrote|fix|fixed|built|added|changed|refactored|rewrote|merged|deployed|implemented"
    r"|patched|migrated|"
    r"handle|do|take|run|manage|review|cover|share|split|ship|lead|look after|take care of"
    r"|am responsible for"
    r"|am in charge of|"
    r"['’]m responsible for|['’]m in charge of)"
)
_DUTIES: Final = AnyCase(
    rf"\bi(?: (?:also|now|usually|mostly|only|just))?(?: |(?=['’])){_WORK_ON} "
    rf"(?:the|our|all|all of|every|its|most of) {_PIECE}{_NOT_A_POST}"
    rf"|\b(?:me and [^\s,.]{{2,20}}|[^\s,.]{{2,20}} and (?:i|me)) {_WORK_ON} (?:the|our|this"
    rf"|all) {_PIECE}"
    r"|\b(?:written|maintained|owned|done|reviewed|handled|run) by (?:[^\s,.]{2,20} and me"
    r"|me and [^\s,.]{2,20})\b"
    r"|\bich (?:mache|übernehme|betreue|kümmere mich um|pflege|warte) (?:das|die|den) {P}"
    r"|\bje (?:fais|gère|m['’]occupe) (?:le|la|les|du|de la|des) {P}|\bj['’]m['’]occupe (?:du"
    r"|de la|des) {P}"
    r"|\b(?:yo )?(?:llevo|hago|me encargo|me ocupo) (?:el|la|los|las|del|de la|de los) {P}"
    r"|\b(?:io )?(?:faccio|seguo|gestisco|mi occupo) (?:il|la|i|le|del|della|dei|delle) {P}"
    r"|\b(?:eu )?(?:faço|cuido|mantenho|trato) (?:o|a|os|as|do|da|dos|das) {P}"
    r"|\bik (?:doe|beheer|onderhoud|regel) (?:de|het) {P}"
    r"|\b(?:ja )?(?:robię|zajmuję się|utrzymuję) {P}"
    r"|\bя (?:занимаюсь|делаю|веду|поддерживаю|отвечаю за) (?:бэк\w{0,8}|фронт\w{0,8}"
    r"|сервер\w{0,4}|тест\w{0,4}"
    r"|сборк\w{0,4}|релиз\w{0,4}|инфраструктур\w{0,4}|документац\w{0,5}|баз\w{0,4})"
    r"|我(?:来)?(?:负责|維護|维护|做)(?:整个)?(?:前端|后端|後端|测试|部署|文档|服务器|数据库|接口|运维|发布|翻译|设计)"
    r"|私[はが](?:バックエンド|フロントエンド|テスト|インフラ|サーバー?|デプロイ|ドキュメント|翻訳|設計|データベース)"
    r"(?:を|の)?担当"
    r"|(?:저는|나는|제가|내가) "
    r"(?:백엔드|프론트엔드|테스트|배포|문서|인프라|서버)(?:를|을)? ?(?:담당|맡)".replace(
        "{P}", _PIECE
    )
)
_SHARED_OUT: Final = Lazy(
    r"(?<![\w’'-])[A-Z][a-zà-ÿ]{1,20} (?:does|handles|owns|maintains|reviews|writes|runs|takes"
    r"|covers|manages) "
    r"[^.!?;]{2,80}?\b(?:I|me) (?:do|handle|own|maintain|review|write|run|take|cover|manage"
    r"|ship|the rest|everything)\b"
    r"|\bI (?:do|handle|own|maintain|review|write|run|take|cover|manage"
    r"|ship) [^.!?;]{2,80}?(?:,|;| and| while) "
    r"[A-Z][a-zà-ÿ]{1,20} (?:does|handles|owns|maintains|reviews|writes|runs|takes|covers|manages|the)\b"
)
_AT_HOME: Final = AnyCase(
    r"\b(?:cook\w*|housework|kids?|children|dishes|gardens?|gardening|shopping|laundry"
    r"|groceries|dogs?|cats?"
    r"|baby|school run|cleaning|ironing|bills|driving)\b"
)
_OTHERS_READ: Final = AnyCase(
    r"\b(?:customers?|clients?|readers?|visitors|users|reviewers?|recruiters?|tickets?"
    r"|e-?mails?|mails|newsletters?"
    r"|release notes?|releases?|changelogs?|readmes?|docs|documentation|commit messages?"
    r"|pull requests?|prs"
    r"|status page|website|landing page|blog|app['’]?s?|ui|error messages?|log messages?|tooltips?"
    r"|labels|weekly"
    r"|onboarding|public|tests?|test names?|docstrings?|kunden|kundin|clientes?|clienti|klanten|klient\w*"
    r"|müşteri\w*"
    r"|клиент\w*|пользовател\w*|commits?|doku|pull-requests?)\b"
    r"|客户|顾客|客戶|提交信息|发布说明|文档|お客様|顧客|コミット|リリースノート|고객|커밋|릴리스 노트"
)
_TO_THE_PERSON: Final = AnyCase(
    r"\b(?:me|my|mine|your|mir|mich|dein\w*|deine\w*|moi|tes|ton|tus?|a mí|mi|tuoi|tue|mij|jouw"
    r"|je|mnie|twoje"
    r"|мне|со мной|твои|bana|benimle)\b|我|私|僕|나에게|저에게"
)


def says_i(text: str) -> bool:
    """Tell whether a text has the English pronoun, or what names the speaker in some other languages.

    >>> says_i("i work as a nurse"), says_i("i log stanno in /var/log")
    (True, False)
    """
    if _PRONOUN.search(text) and (_ENGLISH.found_in(text) or not _NOT_ENGLISH.found_in(text)):
        return True
    return _OWN_WORDS.found_in(text) or bool(
        _BEN.search(text.strip()) and not _ENGLISH.found_in(text)
    )


def divides_work(text: str) -> bool:
    """Tell whether a text says who does what in the work, the speaker among them."""
    if _AT_HOME.found_in(text):
        return False
    return _DUTIES.found_in(text) or _SHARED_OUT.search(text) is not None


def for_others(text: str) -> bool:
    """Tell whether a text is about something that others read, and not about what the person gets."""
    return _OTHERS_READ.found_in(text) and not _TO_THE_PERSON.found_in(text)
