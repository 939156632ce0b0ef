"""Words that carry values: who is meant by default, "not", directions, opposites, months, counts.

No language is guessed, so each list holds the words of many; scripts with case are listed folded.
"""

from __future__ import annotations

from typing import Final

# Who a memory is about unless it says so: these add nothing and replace nothing.
_FILLER: Final = """
user users the a an i he she they me my his her their please always remember that note 用户 我 他
她 请 记住 ユーザー ユーザ 私 사용자 나 пользователь я он она utilisateur utilisatrice je il elle
benutzer nutzer ich er sie usuario yo χρήστης εγώ ผู้ใช้ ฉัน
"""
FILLER: Final = frozenset(_FILLER.split())

_NEGATIONS: Final = """
not no never none nor neither without cannot cant dont doesnt didnt isnt arent wasnt werent wont
wouldnt shouldnt couldnt mustnt hasnt havent hadnt aint nothing nobody nowhere stop avoid except
unless не нет ни без никогда никто ничего нельзя кроме избегать избегай избегает δεν μη μην οχι
ποτε χωρισ κανεισ εκτοσ ne pas jamais sans aucun aucune rien personne sauf ni eviter evite nicht
kein keine keinen keinem keiner keines nie niemals ohne nichts niemand ausser weder vermeide nunca
jamas sin ningun ninguna nada nadie tampoco excepto salvo evita evitar nao sem nenhum nenhuma non
mai senza nessuno nessuna niente mica niet geen nooit zonder niets nigdy bez inte aldrig utan
ingen inget ikke aldri uten tidak bukan jangan tanpa belum khong chua dung degil yok asla hicbir
لا لم لن ليس ليست بدون ابدا غير नहीं मत बिना לא אין אל בלי
"""
NEGATIONS: Final = frozenset(_NEGATIONS.split())

# Function words that the tokenizer drops although the sense hangs on them.
_DIRECTIONS: Final = """
before after with without above below under over up down on off in out into onto from to more most
less least all any some few each both only until since during between through against for by via
must should shall may might can could will would again once twice always sometimes often rarely
vor nach mit ohne uber unter immer nur bis seit zwischen muss soll darf kann avant apres avec sans
sous sur toujours seulement jusque depuis entre doit peut до после с без над под всегда только
между antes despues con sin sobre bajo siempre solo hasta desde
"""
DIRECTIONS: Final = frozenset(_DIRECTIONS.split())

OPPOSITES: Final = """
always:never allow:forbid,deny,block enable:disable on:off true:false yes:no before:after more:less
increase:decrease,reduce add:remove,delete include:exclude like:dislike,hate,avoid prefer:avoid,dislike
accept:reject,refuse start:stop,end open:close,closed public:private short:long concise:detailed,verbose
terse:detailed,verbose light:dark tab:space,spaces sync:async asynchronous:synchronous above:below min:max
minimum:maximum first:last early:late old:new required:optional must:may internal:external keep:drop
merge:rebase,squash single:double left:right up:down in:out buy:sell push:pull local:remote lock:unlock
manual:automatic upper:lower uppercase:lowercase
喜欢:讨厌,不喜欢 允许:禁止 启用:禁用,停用 总是:从不 增加:减少 开:关 打开:关闭 公开:私有 简洁:详细 必须:可选
前:后 新:旧 早:晚 大:小 同步:异步 好き:嫌い 許可:禁止 有効:無効 公開:非公開 簡潔:詳細 前:後 あり:なし
всегда:никогда включить:выключить,отключить разрешить:запретить до:после больше:меньше краткий:подробный
toujours:jamais activer:desactiver autoriser:interdire avant:apres plus:moins court:long
immer:nie,niemals aktivieren:deaktivieren erlauben:verbieten vor:nach mehr:weniger kurz:lang
siempre:nunca activar:desactivar permitir:prohibir antes:despues mas:menos corto:largo
"""

# One line per month.
MONTHS: Final = """
january januar janvier enero gennaio janeiro januari января
february februar février febrero febbraio fevereiro februari февраля
march märz mars marzo março maart марта
april avril abril aprile апреля
mai mayo maggio maio mei мая
june juni juin junio giugno junho июня
july juli juillet julio luglio julho июля
august août agosto augustus августа
september septembre septiembre settembre setembro сентября
october oktober octobre octubre ottobre outubro октября
november novembre noviembre novembro ноября
december dezember décembre diciembre dicembre dezembro декабря
"""

NUMBER_WORDS: Final = "zero one two three four five six seven eight nine ten eleven twelve"
