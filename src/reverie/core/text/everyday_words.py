"""How common words are in requests, notes and talk: the more common, the less they tell.

Made by `scripts/everyday_words.py`, which counts public texts; change that, not this. Terms are as the
tokenizer gives them. A class holds the words whose share among the different words of a text is about
`SHARES`; what is in no class is rarer than all of them. Of other languages than English there was less to
count: what is in no class there need not be rare.
"""

from __future__ import annotations

from functools import lru_cache

SHARES = (1.4e-2, 7e-3, 3.5e-3, 1.7e-3, 8.5e-4, 3.9e-4, 1.6e-4)
ENGLISH = (
    """
array care code creat cu den des die en function give java let list number program python script si
string un use write
    """,
    """
add al boundari bu ca calcul class co compon con da data descript effect element error es file find
flow follow generat get gi go help implement integ javascript like make mani method name ne obtain
pe present pressur print py queri result return session sql tabl take test theori tu two type user
va war
    """,
    """
agent aider algorithm amazon analysi api appli approxim assist avoid await ban bang base best bo
bodi bug build call case chang charact check civil cli client com command compar condit consid
const construct contain convert current cursor custom dai dan design detail determin develop differ
dimension discuss distribut django doctor edit ensur equat er era exampl exist expect experiment fi
first form french full general github good govern great gross ha handl hat heat high html https id
import improv includ input integr investig issu john js keep last layer line lo look loop luther
manag maria measur messag nate need new nu one order output page part pass path person pkg plan
post practic prefer prime probl process project proper provid random rang ratio react read
recommend relat respons ring rout rule run school see self set share shock show small solut sort
sourc spec specif speed state stori stream structur studi suggest sum summari sure surfac
temperatur text theoret think thu time tri typescript updat valid valu van veloc version want way
wing work year
    """,
    """
abc access act action activ actual addit aerodynam age agreement ai air along alreadi alt alway
american analyt angl app applic approach appropri ar area arg argument art ascend ask assum async
averag back becom begin behavior bi binari blob blunt bowl break cach cap cate center centuri
certain channel characterist chat chines circular citi claud clean clear cloud cmd coder coeffici
color column combin come comment committe compani comparison complet complex compress comput
conduct cone configur confirm constant content context contract control convent core correct count
css cultur curv cylind dang dao day db def default defin definit densiti depend deriv describ
dictionari differenti dir direct display distanc doc document dos drag due earli east edg english
especi esta establish even event exact except experi expert explain export express fail fals featur
feedback feel fetch fibonacci field fix flag flat flight fluid fname focus forc forest format
formula fort four franc free friend game gas git global goal gradient group helper higher hoc hop
idea impact imperi increas index indic influenc initi instal instead interest interfac involv item
json key know land lap larg launch lead learn length letter lib lift limit linear lint load local
log logic lon lor lot love low ly ma main maintain major man map markdown mat match matplotlib
maximum may md mean meet mo model modifi modul motion mysql nation near network never next none
normal norman north note np numer numpi object occur often open oper optim option org origin os
oxygen packag paper paramet pars particular pattern perform persona photo plane plate play point
popul posit possibl predict previous princip privat probabl product profil prompt proven rais rate
re real recent reduc region remov repo report reproduc request requir resum revers review right
role router row sdk search second section secur seem select send sentenc separ ser server servic
sever shape shell similar simpl sin singl site sky snippet son song sound south spi stabil stack
stagnat start static stay steadi step still store stress strong style sub success super support
sync system tang tap task te templat ten term thank thick thin three tip token tool total traceback
track tran transf tree true tunnel ui uk understand uniform unit util vari variabl variat various
verifi vi wall watch wave web week west win wind word world wow yeah zero 用
    """,
    """
ab absolut academi accept account accur accuraci achiev across ad address adher adjust advic africa
african against agre aircraft align allow alphabet although amaz amount analog anoth anyth ap apis
apollo appear appreci april arbitrari architectur argu around arriv aspect assert associ assumpt
astro atmosph attack attend attribut auth authent author avail awesom axi ba backend background
balanc ball band bar bash basi basic bay behind bend better bill bin bite black block book branch
bring british broadcast bubbl busi button campaign carbon card carri cat catch caus cd celsius
central chair challeng china choos christian church circl claim clariti click climat close clust
coast coloni commit common communiti companion concept concis conda config conform conjectur
connect consist consol consult continu contribut convex cool correl correspond cost countri court
cover critic cross ctx cwd cy daili damag databas dataset date deal debug decis declar decreas
dedic defer deflect delet deploy descend detect diff digit directori dislik displac disturb domain
downstream draft draw drive drug duplic dynam dynasti echo effici elast elect email empir employ
employe empti end energi engag engin england enhanc enjoy entiti env environ err essenti estat
estim europ evalu everi everyth excit execut exit expans explan explicit explor extend extens
extern extract factor factori fallback famili favorit fight filenam filter final fine finit fit
five float flutt food former formul frac framework frequenc friction fun func futur gemini german
glad gpt grand graph grep guard guidelin happen head hear hello hey highlight highway histori hit
hold home hook hope hour household howev http ident identifi ignor ii illustr imag incid incorpor
incorrect independ individu induc infinit info inform init insight inspir instanc institut instruct
int interact intercept interf internal introduc invalid io jet jsonl kind lang languag largest late
later law layout leader leav len less level leverag librari life link linter linux listen live
loader loc locat login long longest lose lower machin magnitud manner mark market mass master
materi max mechan media median medic member mention metadata middlewar mile militari minim minut
miss mock mod mode modular moment month motiv move multi multipl music mutat nativ natur navig
necessari neighborhood nest node nose noth null observ occurr odd offer offic ok old onlin opportun
organiz orient outcom outsid panda panel parallel param password past patient peer percent period
phone physic physician pip pitch place player pleas plt plus png polit pot potenti power pr pre
prepar presenc price primit principl priorit pro procedur produc profession progress promot
properti propos protest public publish pull purpos pyplot pytest question rapid raw reach readabl
reason receiv reconstruct record rectangular red refactor refer refin reflect reform regex regist
regul regular reindex releas relev remain remind render replac repositori repres reproduct research
resolv resourc respect restor retri retriev reusabl revolut rewrit river roll roman root rotat
routin rubi safeti sale san satellit say scan schedul schema scientist scope score scotland sequenc
seri settl settlement setup seven shear short side signific silent simplifi sing sit size skill
skin skip social solid solo solv someth sometim sonic space spatial special specifi spread squar
src st standard stat statement status stiff storag storm str strategi strength struct student
subject sur symbol symmetr syntax tag tan tanstack target team technic techniqu televis tell
temporari thermal thing thus tin titl today todo togeth top tradit trail transform transit translat
travel treat trip tropic ts tsx tube ture ty typeerror uniqu universiti unless unus uri url usag
usual valueerror var veget vehicl view visit vs warn weath websit western white william wonder
workspac worri wrong yield yuan
    """,
    """
abil abl abolish academ accel accord ace acknowledg actor adapt adjac admin administr advanc
advantag adventur advers advertis affect ag agenc ago aid aim airplan ajax almost alon alongsid
alphanum alter altern altitud america ami among analys analyz anchor angel anim annot announc
annual answer anyway appar append appoint approv aria aris arm arrang ascii assembl assess asset
assign astronaut atlant attach attempt attent attr attributeerror audienc augment august augustin
austrian auto autocomplet autom automat award away ax axe backtick bad bag bare batch battl beach
beat beauti bee behaviour belief believ benefit besid big birthday bit blog blue board bool
bootstrap border born box brace brand brazil bridg brief briefli broad brows budget bureaucraci buy
byte cabin california callback caller cam camel camelcase cancel capabl capit captur car career
carl carriag cathol cdf celebr cent chain chamb champion championship changelog char charset chart
chatbot checklist chemic child choic chord chunk ci citat citiz clamp classic classifi claus
cleanup clipboard clock cls codebas coin col collabor collect comfort communic compat compel compil
compos composit compound comprehens compressor concat concentr concern conclud conclus concurr
confess confid confus consecut consequ consolid consum cont contact contin convect converg convers
coordin copi council countdown counti coupl cours coverag crash creation creativ credenti credit
creep crew crime criteria criterion crucial curious cycl dashboard datetim davi dead deadlin death
debat debounc debut decad decid decim deck declin decompress decor deep deepseek defeat defend
defens deforest degre delay delib delta demand demonstr denver depart depict deprec desir despit
destroy detach determinist dev deviat devic dialogu dict diet difficulti diffus dim dimens dinner
disabl discount discours discov diseas dish dispensari distil distinct div dive diverg divers divid
divis divisor docstr doctrin doctyp domin dot drama dri drop drought ds dtype dual duti earth easi
easier eastern econom editor educ effort electr elit emot emperor emphas enabl encod encount
encourag endif endpoint enemi enough enter entir entri enum enumer environmentalist epic epidem
episod equal equival errormessage ethnic european evening eventu everyon evid examin exceed excerpt
exchang exclud exec exercis exhaust expand expedit expens experienc expo expr ext extent extra
extrem face fact failur fair fall famous far fast father fatigu favor februari feder fee femal
festiv fiber fig figur filepath fill film fin financi finish fire flake flask flatt flee flexibl
fli florida fmt fn folder folk font foo foot footbal foreign formal forward found fourth frame
frank frequent fresh friday friedrich front frontend fruit fs ft fulli fund fundament gaga gain
galleri gap gase gate gcc gender generic genr genuin geograph geometr geometri germani glob googl
goroutin grade grammar grammi grant greatest green ground grow growth guess guid guidanc half hand
hang happi hard hash hd header health healthi heavi height helium hemisph henc hi hide highest hint
hire histor historian hmm host hot hotel hous href httpx hub human hundr hurrican hypothesi ide
ideal idiomat ids il ill imagin immedi impli impress inch inconsist incred inde indi india indian
industri infect infer influenti inject inlin inner insan insert insid instabl intens intent
interior internat interpret interview introduct invas invers invit islam island isol isort itali
iter jame januari jean job johnson join jone joseph josh journey joy jpg judg june jupyt jurisdict
keyword kid kill kilometr kinda king kingdom km knot knowledg kv label ladi lag larger lateral
latest latter lay lazi leaderboard least legal legitimaci lend li lie lifecycl light liquid lite
littl llm llms lock logo london longer lookup lord loss lowercas luke lunar lung mac manifest
manual mar march marin marker marri martin mask mathemat matrix matter mayb meaning mediev medium
memori mentor merg merger meta metal metric middl migrat mileston million min mind minimum minist
minor mirror mislead mission mistak mix mixpanel mobil moder modern modif molecul momentum monday
mongo mongodb monitor morn mount movi ms msg msp multipli na narrat nasa nav negat neglect neglig
net neural newli news newton nice nine ninth nobl nois norm northern notic npm nth num ob obj octob
offici oh oldest ongo openweathermap oppos opposit ordinari organis oscil otherwis outer outlin
overal pace pad pager pagin pai pair pandem paragraph parent pari park parser parti partial
particip partnership pascal pascalcase passion paste patch paul pay payment pd peak penalti
percentag perfect perhap permiss permit permut persist perspect pet ph phase phenomena photograph
photographi php phrase pick pictur piec pipelin placehold plain planet plastic platform playwright
plot plug plugin pm poem poet poison polici policymak pool popular portabl portfolio portion postgr
pp precis prefix preliminari prescrib preserv pretti prevent preview primari primarili prior
proceed programm promin promis prop propel proport protect protocol punish purchas pure push put
pylint qa qualit qualiti quantit quantiti quart querykey quick race radial radiat radio radius
radix rag rail rank rare reaction reactiv reader readi readm rebuild recip recogn recov recoveri
rectangl recurs redirect reduct ref refresh regard regim registr registri regress reinforc
relationship relax religi rememb remot renam repeat req res reserv reset resid resist resolut
respond rest restrict reus revis revolutionari reward rise road robot robust rocket room rough
round rune runtim sacrific safe salari sampl satisfactori satisfi saturday save scale scenario
scene scienc scikit screen screenplay screenshot seaborn season secondari secret seek segment
selector semant semi sender sens sensit serial serv sessionid setuptool sh shadcn shallow sharp
shelt showcas sign signal signatur signer simpli simpson simul simultan situat six slice slight
slope slug smallest smooth snake societi someon sonnet soon spacecraft span spanish spars speak
speci spend sphere split sport sq sqlite stabl stage stale stand station stationari statist stderr
stdin stdout steel stick stock stoke stop storytel straight strain streamlin street strict strip
submiss submit subplot subprocess subscript subsequ subset substanti substr subtre suburb suffer
suffici suit suitabl summar supplement suppli survey surviv suspend suspens sustain swap sweep
switch synthet sys tackl tail talk tax tea teach technolog temp temporarili tend tenth termin
territori testabl theme theor therefor third thirti thoma thorough thought thread throughout throw
ticket timelin timestamp tmp tod ton tone toolkit tooltip topic toss touch tough tournament toward
town trace trade train tram transact transcript transient transport travers treatment trend triangl
trigg trim trivial troubl troubleshoot truncat trust tune tupl turn turtl tutori tv twin typic
ubuntu unchang underground unexpect union uniti unknown unnecessari unrel upcom upgrad upload upper
upsert upstream useeffect userid usernam usr utf uuid ux val valley valuabl variant varieti vector
venic venv verb verbos verif vertic vice video viewport vike visa visibl visual vite voic volunt
vote wait wake walk wallet warm water wear webpag wedg weekend weight welcom whole wide width
window winner wire worker workflow workout workshop worth wrap wrapp writer www xr yard yoga zone
    """,
    """
abbrevi absenc absent abstract accommod accompani accomplish acoust adequ adopt afford afternoon
agg aggreg ahead airflow alert algebra alia alias alic allen alloc allowlist alpha ambient ambigu
amd amplitud anecdot angular anxieti anxious anyon anywh apart apolog appendix approx arbitrarili
arc arch argv arrow articl artifact artifici artist asc asid aspir assertionerror assigne asynchron
atom attain attract audit auxiliari awar awkward axio azur backfil backward bake bank beam bear bed
beginn behav belong benefici beta beyond bias bike bind blank blast blend bob bold boolean boom
boost bottleneck bottom bound bow boy breakdown breath bright bs btn bucket buffer bulk bullet bump
bundl cake calendar calibr callabl calm camera camp canadian candid canon cargo cascad cast categor
categori cc cdn cell centr certif chanc chapt charg chariti charm cheap checkout chemistri chill
chocol choke chrome circul clarif clarifi classif clever clone closur cloth cloudflar club coconut
coffe coher coincid cold collaps colleagu collector combinatori combust commut competit complement
complic concret conf confer confin conflict conjunct conserv constraint constructor continuum
contour contradict contrast convey cook cooki copilot corner corpus corrupt cos cousin cpu craft
crazi cream cron ctrl cuisin cur cut cute cv cypress dairi dark darwin dash dask dear debian dec
decay decod decomposit deduc dedupl deepen deeper deepli defect deleg delici deliv demo dens dep
depth desc deseri dessert devot diagram dialect dialog difficult dimensionless diminish director
discard discoveri discrep disk dist distinguish distort distract docker documentari dog dom doubl
down downtown drain dream drift drink drum dt dummi durat eager earn easili eat eco eddi electron
elementari elif elimin elsewh embed emit emphasi encapsul enforc enrol enterpris entertain entitl
entropi environment eof ep eq equip errorf escap eslint essay eval everywh ex excel excess exclus
exhibit exp expertis expir expon exponenti expos eye fac facil familiar fan fantast fascin fatal fc
feb feed fiction filesyst fingerprint fixtur flavor fluctuat flush flux fold footer forecast forg
forget fork formatt forum foundat fraction freedom freelanc freez fuel furthermor gang gather gen
geo getattr getit getter gift girl gist goe gonna goto grace grammat graphic grid groceri guarante
habit hardcod hardwar haserror heart herein hike hing hole honest hono horizont hover huge humid
hygien hyperbol hypoth ic ice icon idempot idx img immut impl implic implicit importlib impos
imposs inc inclin inclus incom incompat incomplet increment indent infin infrastructur ingredi
inherit ini inlet innov inspect instrument insul intend intermedi interrupt intersect interval
intuit invalu invari invent invert invest invok ion irregular iso isotrop issuecom jan japan jest
jinja jira joblib joint journal jsdelivr jsdoc jsx juli justif justifi jwt kb keyboard keystrok ki
kit lab laboratori lambda landscap latenc lc lcp leadership leak lean lee legaci lesson lg liber
lightweight liter literari literatur logarithm logist longitud lore lowest ls luck lunch macos
macro mail malform manipul manuscript margin mate math maxim mb mcp meal medit melt membran mental
mess methodolog michael micro mid mii milk mismatch mixin mixtur ml modal modulus molecular money
monorepo mood moreov most mountain movement mtime mul museum mutex mutual namespac nan navbar nc
nearbi neutral newlin night nitrog nod notebook notif notifi novel novemb npx ns numpy nut obvious
oct offset oil okay oldurl omit onclick onerror op openai opt orbit ordin organ orm outdoor oval
over overflow overrid overview overwhelm overwrit own owner pack paint panic paradox particl partn
passag passiv payload pdf peac pend pep pertin pi pic pilot pin pint pixel pk placement plant
plasma playlist plural pod polar polish poll polynomi pomodoro pop pose postgresql pound pragma
preced prefetch preload preprocess press prioriti proba processor proj propag pros prose proud
prove proxi prune pseudo pseudocod pursu pv pytorch quadratur queue quiet quit quot rand rational
rc readili readon realist realiti realiz recap recharg redact redund referenc refus regardless
reject rel reli reliabl rent repetit replic repr represent repro resili reson restaur restful
restrain retain revalid reveal revert rgba rich ride rigor risk rm ro rock roi rootdir rpc rs
runner sad sake sandwich sanit sarah scalabl scalar scatt scheme scholarship sci scroll seamless
sec sector sed seed sell senior seo septemb seq sequenti serious settimeout sha shadow sheet shift
ship shop shutdown simplic simplif singular sinusoid sleep slip slot slow slowli smart smith smoke
snack snowflak soc softwar som somewh somewhat sorri sp spare spectrum spike spinn spot spreadsheet
sprint stall startup std sting straightforward stretch strike stringifi struggl stub studio stuff
stylesheet subcommand subdir subqueri subscrib substitut succeed sudden suffix summer sunday sunset
supabas suppos suppress surpris surround suscept suspect swift synchron systemat tab tailor tale
talent tangent tangenti taylor tech tentat textarea tful th thai therebi thrill thursday tie tilt
tim timeout timer toggl tokyo tom toml torch trajectori transpar trial triangular truli truth
tuesday twice twist txt typo uid ul ultim unabl unauthor undefin under unfortun unicod unifi
unittest unlik unstabl untouch ur urls usa utc uui vacat vanish vapor vegan veteran vibrant violat
virtual vision vital vitest volum vulner wal weak weatherdata webinar webp wednesday wherea
whitespac wider widget wild will woman workaround xray xxx yaml yep yesterday yml york young
youtube zeppelin zip zod zoom 制
    """,
)
OTHERS = (
    """
bir cua của duoc fost pentru год क कर किय किस ज थ न म स है 我 是 的
    """,
    """
ano cho hangi icin jahr mai mot một nam nguoi người nin olan olarak trong viel với được εν εχ μεγαλ
πρωτ τ τισ как اول اي تم عام एक और क्य गय पर रूप ल ह हु हैं 我的
    """,
    """
ale bao bat buyuk cand chinh cine cong cuanto cum cung daha dau dinh dintr dong dung dupa durant
gia intr kac khi khong ky mare mult nay nedir nha nhan nhieu nhu nhung những phan quan sau sonra
sunt sự tai tambi tarafindan thanh timp trung từ vao viec việc wahrend waren yilinda zaman đầu đến
αλλ αν αριθμ αρχ αυτ γαλλ δασ διαρκει δυ ειχ επισ μερ μετ μεταξ μπορ νε οποι περιοχ περισσ ποι πολ
ποσ τροπ χρον бол больш врем доктор друг котор называ нов перв посл прост сво скольк част числ школ
эт явля اكثر انه بعد بي بين حكوم حيث خاص خلال شكل عدد غير قبل يمك अधिक अप इस इसक उपयोग कह कित कौन
क्षेत्र ग द दिय द्वार नह नाम पहल बन बाद भ य यह रह वर्ष वाल सक सबस समय साथ होत การ ขอ ของ อง 下 个
人 会 其 参 地 时 时间 是我 点 要 间 间是
    """,
    """
aceasta acest acesta acestia adi ancak anul apothek arasinda asal astfel atunci avut ayni bai bati
bekannt benh bestimmt biet bircok bis bản bất bằng bệnh bị bộ cai campo cao cau cea ceea cel cele
centro chiến chuyen chủ ciuma cok contra cuanta cuoc cuộc cấp cầu daki danh decada decat
desobediencia despr despu devlet dia dien dieu diger doktor doua drei drept duong dụng erau erst
ersten escuela etti exista facut farmaceutico fazla forma francia frankreich fransa fransiz
franzosisch fuhrt gab gegen giai gian giao gibi gibt gobierno goi gran grossbritanni guerra guney
gọi habia hai hanh hien hinh hiện hoa hoac hoi hon hoặc hugonot hơn họ học hội hợp iar iki inaint
ingilt insa iskoc jahren jucat kabul kadar khac khu konnt kỳ lai lam letzt loai loại lutero lại lập
lớn mayoria mehr meist mensch mientra minh moi mucho nacion nasil neydi nguyen nhat nhiều như nhất
nhận noi nombr nueva nuevo numar numero oksij oldu oldugu oldugunu otra otro oxigeno ozel pana
parlament parlamento partido phai phap phat phi pho phu phần poat poblacion prima primera primo
primul primzahl prin principio problema prueba pued pueden qua quyen ra regenwald regierung reino
rằng sauerstoff sayi schottisch schul sekild servicio sistema sivil sobr spiel staat stadt sud sử
tay teil teoria thang thay thoi thong thuc thuoc thuong thường thống thời thực tiempo tien timpul
tinh tipo toan tren tres trinh tro truong trường tur tại ultimo und unei ungehorsam unido unui urma
veba vereinigt verwendet veya vien vu vuc vấn vực weiter xuat xuất yagmur yeni yil zeit zivil zwei
điều địa định đối đồng αγγλ αμαζον ανατολ ανυπακο αργ βασ βασιλει βορει γ γιν γνωστ δημιουργ δικτυ
εγιν εθν ειδ εκ ελεγχ εργ ετ ηνωμεν θεωρ ιμπεριαλ καθ καθωσ καναλ κεντρ κερδ κυβερνησ λουθερ μεσ μι
μον μπρονκ νιουκασλ νοτ ολ ομαδ ονομ οξυγον οπωσ ορ οργαν οταν ουγενοτ πανθερσ πανωλ περιλαμβαν
περιοδ πι πληθυσμ πολεμ πολιτ πολιτει πολιτικ πολλ πρ πριν προβλημ προσπαθει ρολ σκωτ στ συστημ
συχν σχολει τελ τελευται τετραγων τζακσονβιλ τρ υπαρχ φαρμακει φορ χρησιμοποι χωρ амазонк бронкос
великобритан вид войн времен главн город государствен гражданск групп гугенот дан джэксонвилл задач
западн игр известн империализм использ использова качеств кислород количеств компан лес лет люд
лютер межд мест мног может можн назван написа населен наход нача некотор неповиновен ньюкасл образ
обычн одн основн парламент период получ прав правительств район рол сам сет созда средн стал стран
суперкубк счита так теор тип франц французск х цел частн чисел чум шотланд юг اخر اخري اساس استخدام
اسكتلند اسم اصل اضاف اعداد اكبر اكسج العص الي اماز امريك ان اوروب ايض ايه بدء بعض بها بول تغير ثان
ثلاث جاكسونفيل جانب جديد جنوب حال حرب خدم دكتور دور دول ذين رنس رييس سكا سنة سوبر سي شبك شرق شمال
صيدل طاع طريق عاد عالم عديد عشر علي عمل عندم غاب غرب فرنس فريق فضاء فيه قام قد كان كبير كتاب كل كما
لوثر مبارا متحد مثل مجموع مدارس مدن مدين مركز معظم معن مما مناخ منطق ناء نسب نطاق نظام نظر نورم نوع
نيوكاسل هنا هوغونوت والت وطن وقت وقد ولا يتم अधिकांश अन्य अमेज़न अमेरिक उत्तर उनक उन्होंन उस कब
कारण किसक कुछ खेल चल जब जिस जिसम जैक्सनविल जैस डॉक्टर त तक दक्षिण दशक दौरान पश्चिम पूर्व प्रकार बड़
बढ़ बाउल बार बीच रख राज्य लिख लूथर लेकिन लोग व वन वर्ग वह विशेष व्यक्त शामिल शुर संख्य सरकार
सिद्धांत सुपर स्कूल स्थित हिस्स होन กร กับ ควา ความ จาก นที่ นอ ประ รับ วน วาม อก อน อร์ อะไร เป็น
上司 下属 不 业 东 个周 主 主要 么 之 乐 了 事 交 什 什么 会的 作 内 内容 创 创新 别 加 动 参加 发
司 合 同 同事 呢 周 和 地点 多 天 好 宴 家 容 容是 将 将要 就 就是 展 属 州 工 工作 年 广 张 得 心
我将 技 持 持续 教 旅 日 日是 景 月 有 术 来 模 模是 欢 活 活动 流 点是 特 特别 王 生日 电 的上
的下 的地 的持 的时 的规 盛 盛宴 真 科 续 续时 美 能 行 表 要内 要参 规 规模 身 这 那 那个
    """,
    """
acestea acuerdo acum adema adesea afara afla afrika ahora ajun aldi aleman alguna all alman
alrededor alta altinda amazonasgebiet amazoniana amerika amerikanisch ana anfuhr anglia anii
anterior anumit apoi apothekentechnik aproximativ arasindaki arbeit ardindan asentamiento asi
asupra aumento aunqu ausschuss autostrada avea avrupa ayrica bajo balon banda baska baza bazi
begann beiden beispiel belir bevolkerung bezeichnet bien bieu bilin birlesik birlikt biểu biệt boi
bolg bong bosqu boyunca britanico britisch bulunan bulunmaktadir bắc bắt bỏ bởi cada cadena campana
cantidad captura carbono carretera caso castigat cati catr cazul centrul chau chinesisch chino choi
chong chuc chuyển chức cientifico cin civila clase cogu colonia colono comenzo comit complejidad
comun condus conjetura conocida conocido considera consultor convirtio costa cuatro cunku cunoscut
cuoi cuối cơ cư cả cổ dac daca dahil darauf dazu debido declaracion deki denen dentro denumirea
deoarec deutsch devenit diem dienst diferent diferit dinastia dio direkt doan doar dogru dogu dort
dua duc dunya duoi dus dưới dược dạng dẫn dựng ebenfal echipa eczan eder edildi edilen efecto
ejemplo embargo encuentra enfermedad englisch entero enthalt entwickelt equipo erhielt erzielt esa
escoc escocia escribio escrito ese eski espaci estaba establec estandar estudiant etmek etwa
exemplu familia faptul fara fark farmaci farmacia fata fel fie fiind folosest folosit fortul
francesa franceza franta franzos fruher fuera fuert fuerza funcion gano ganz gebiet genannt genel
genellikl geri gesetz gewahlt gewann giam gianh gioi giua giả giải giới giữa gom grafico grosst
grundet grupo grupp guvernului gồm habian hach hacia hau hauptsachlich haushalt heisst herhangi
hiess hieu himno hizo hogar hugenott hughenoti huong hurrikan hưởng hạch hầu hộ icind ifad iglesia
ilgili imperialismo imperialismus imperio important impotriva inceput inclusiv incluy ingiliz ingl
inglaterra intercepcion isi itaatsizlik jahrhundert jedoch jugador kanal karmasiklik karsi ke kendi
ket khai khoang khoảng kiem kien kimdi kisi kiểm klein koloni krieg kubilay kuresel kuzey kết kỷ kỹ
lanh largo lautet lider limba llama loi lokal luan luat lucrarea lugar luong lutherin luận luật
lượng lần lực macht majoritatea manera mang markt meci medicament medicamento medicina medico
medizin mehrer menudo mercado merkezi miembro milla mingea mismo modelo momento muc mucha mundial
mạng mặt mới nachd namen nang nda neben neden nen nered netzwerk neuen neyi ngay nghi nghia nghiem
ngoai nhac nhau nhiem nhiet nhiệm nhiệt nhưng nord normando normann nort nou noua numarul numel
numerelor numest nuoc nutzt nước nổi oameni obra obwohl occident oest offentlich oft okullari olmak
olmayan olmustur onem ong orasului ornegin orta ortaya osten oxigen oxigenul oyuncu padurea papel
parcasi parlamentosu parlamentului patru periodo persoan pha pham phia phong phuc phuong phương
phải phố phủ plaga politica politisch populatia posibil precum president prezent prezenta prim
primero principalment privada proceso programa propiedad publica publico punct punkt punto
quadratmeil quien quy quyet quyết quyền reprezinta reteaua rio rolul rong rộng rừng sahip schlug
schnell schrieb scoli scolil scotian scris segundo sehir seit sido siedlung siglo sira sirasinda
sistemul sosyal sozial spater spielt sprach spre stark statel tac tam tanto tat tatsachlich tecnico
televiziun temperatura tener tenia termino tham thiet thuat thuyet thuyết thuật thuốc thuộc thấy
thị thủ thứ thức tich tieng tiep tierra tieu tiếng tiếp toat toc toda toi topu trabajo trang tranh
trave trebui trei trien triển tropicala truoc truyen truyền trước trận trị trở trợ tuc tuong tuvo
tuyen tư tạo tất tập tế tốc tự uc ulterior umfasst unabhangig unel ung universidad universitat
universitesi unor unterstutzt ursprunglich uso utiliza uzay uzer uzerind vai vario varsta vat
vegetacion verlor vermutung veroffentlicht vest vez vier viết vorsitzend vung vuong vẫn vật vụ weil
westen westlich wissenschaftl xa xay yani yapan yapti yarda yenid yer yerel yeu yi yilda yuksek
zahl zahlen zamanda zona điểm đưa đường đấu đặc đổi đội động đới αγορ αιων ακεραι ακομ ακτ αλλαξ
αμαζονι αμεσ αναφερ ανδρ ανθρακ ανθρωπ αποικ αποτελ αποτελεσμ αποφασ αρκετ ασθεν ατομ αυξησ
αυτοκρατορ αφρικ βλαστησ βρεταν βρισκ γαλλικ γεγον γερμαν γλωσσ γραμμ γραφει γρηγορ δε δεδομεν
δεκαετ δεκαετι δηλωσ διαστημ διαφορ δοκιμ δοκτωρ δυναμ δυναστει δυτ δυτικ ε εγγραφ εγραψ εδωσ εθνικ
εικον εκειν εκτ επαιξ επιτροπ εποχ εταιρει ευρωπ εωσ ζ θεμ θερμοκρασι θεσ ιατρικ ιδιωτ ιδιωτικ
ιδρυθ καλυπτ καν κανον καποι καρολιν κατ κατασκευαστ κατηγορι κεντρικ κινεζ κοινοβουλ κοινοβουλι
κρατ κυρι κυριωσ λειτουργ λογ μαζ μαχ μεγεθ μελ μερικ μεταφρασ μετρ μετρησ μεχρ μηκ μηχαν μικρ μιλ
μογγολ μοντελ μορφ μπαλ μποουλ νικ νομ νορμανδ νοτι ξεκιν οδηγ οικ οικογενει ονομαζ οπ ορισμεν οχ
παγκοσμ παγκοσμι παικτ παιχνιδ παν πανεπιστημι παρ παραγωγ παραδειγμ παραδοσιακ περιπ πηρ πιστευ
πλευρ πληρωμ ποιον πολυπλοκοτητ ποσοστ ποταμ προγραμμ προεδρ πρωην σ σειρ σημαντ σημαντικ σημερ
σουπερ στοιχει στοχ συγκεκριμεν συμβουλ συμπεριλαμβανομεν συμφων συνεχ συνεχει συνηθωσ συνολ
συντροφ σχεσ σχετ σχολ σωμ ταιν ταξ τεσσερ τιτλ τμημ τοσ τυπ τυφων υμν υπ υπηρεσ υπηρχ υποθεσ
υποστηρ υποστηριξ υψηλ φαρμακ φαρμακευτικ φαρμακοποι φορτ φρεσν φυλ χιλιομετρ χρησ χρησιμοποιειτα
χωρισ ωστ ωστοσ автомагистрал амазон американск англ английск аполлон аптекар бассейн бел
большинств британск быстр век включ включа влиян вмест воен возможн вопрос восток восточн
впоследств врач втор выигра высок г газ гимн гипотез глобальн государств график два две де дел
деятельн джон джонс династ дождев должн дополнительн е европ закон занима запад зат земл игра игрок
измен имеет имел имен имеют импер использован испытан кажд каков кампан канал каролин квадратн
километр китайск класс колон команд комитет космическ крупн культур лекарств лидер лиц люб машин
мгэик медицин медицинск мен местн метод миров мнен могут модел монгол морск мяч назва например
начал немецк необходим нескольк норман общ один означа оказа описа определен опубликова организац
основ основа откр открыт отношен отчет палочк перевод передач перехват побереж пол политическ
получен помощ поселен поскольк последн предполага представля привел призна примерн принят проблем
провод продолжа прожива происход прот процесс пэнтерс работ работа различн ран распространен
растительн регион результат рек реконструкц реша решен род рынк сдела северн сем сер сил систем
сложност собствен согласн соединен создан соответств составля состоян социальн спутник сред стар
суд существ счет сша температур территор течен три тропическ университет управлен услуг утвержда
учен учрежден фармацевт федеральн форм форт фресн хубил центр центральн церкв человек через член
чумн широк шосс шотландск штат шторм экипаж язык اثناء اجتماع احد اختبار ادو ادي اذا اراض اربع ارض
استخدم استعمل اسر اشار اصبح اصلاح اطلاق اعاد اعصار اعمال افريقي اكاديم الان السك الطب الكر المان
اما امبراطور امبريال امر انتاج انجلتر انجليز انشاء اوايل اولي ب باستخدام باسم بان بانثرز بحر برلم
برونكوس بريطان بما تاثير تحت تسمي تشريع تطوير تعتبر تعقيد تكون تلك ثقاف ثم جامع جزء جمع جميع جود
حتي حرار حصن حصول حكم حمل حول حين خارج داخل درج دعم دون دي دين ذات رسم رغم رقم رياض ريسن ريق سابق
سان سبب سبع سبيل سجل سكان سلسل سلط سنو سوق سياس شخص شرك صحيح صناع صور صيادل صين ضد طاعون طبيب طرق
طول عايل عبر عرض عقد عند غاز غالب فاز فان فتر فرق فقد فور قانون قدم قرن قمر قياس كارول كتب كثير كذل
كرب كرة كوبلا كون كيلومتر ل لاحق لاعب لان لجن لدي لعب لكن له لها مباشر مثال محاول محكم محل مختلف
مدار مربع مرة مركب مسايل مستوطن مصطلح معروف مغول مكتب ملك مملك منح منذ منه موجب ميل ناس نبات نشر
نقط نهر نيو هند هيء واحد واسط واسع والذ وسطي وضع وف ولك وهو يشير يعتبر يكون ينم अंग्रेज अंतिम अक्सर
अनुवाद अफ्रीक अब अभाज्य अलग अवज्ञ आईपीसीस आबाद आमतौर आवश्यक इंग्लैंड उदाहरण उन उन्ह उम्र उसक ऐस
ऑक्सीजन ऑफ कम करक कानून काम कार्बन कार्य काल केंद्र केवल कैस को क्योंक चर्च चार चैनल जनसंख्य जबक
जर्मन जह जार जिसक जीत तब तरह तरीक तहत तीन तुल तौर दिख दूसर देन देश निज निर्माण नेटवर्क नेतृत्व
नॉर्मन न्यूकैसल प पड़ परीक्षण पास पूर प्रणाल प्रभाव प्रमुख प्रयास प्राप्त प्लेग फार्मेस फिर फैल
फ्रांस फ्रांसीस बत बदल बहुत बाहर ब्रोंकोस भाग भूम भूमिक महत्वपूर्ण मिल मील मुख्य मूल यात्र युद्ध
यूरोप राजनीतिक लग लगभग लड़ लिय लॉन्च वर्तमान विचार विरोध वैश्विक व्यापक शब्द शहर शुरुआत संयुक्त
सदस्य सभ समस्य समित समूह सविनय सांस्कृतिक सामाजिक साम्राज्यवाद साल सेव स्क स्कॉटिश स्थान स्थाप
स्थापित हर हालांक กที่ กระ กว่า กอ กัน ขึ้น คน ครั้ ครั้ง คือ งก งกา งการ งข งขอ งค งที่ งส งห จัก
จําน จํานว ชาว ชื่อ ช่ว ซึ่ง ด้ว ด้วย ตั้ง ถึง ถูก ทาง นข นขอ นค นว นวน นห นัก นใน บกา บการ มาก ยก
ยน ยว ยัง ย่าง รถ รม รร รว รอ รัฐ รับกา รั้ง รือ ฤษ ลง ลัก ลัง ลาย วง วม วย สอ สุด ส่ว ส่วน หลั อบ
อม อยู่ อย่า อย่าง ออ ออก อเม เตอ เตอร์ เพื่อ เมื่อ เรีย แบบ โดย ใคร ในกา ในการ ในปี ได้รั ได้รับ
一个 七 上海 下周 不错 与 个活 中 为 丽 之旅 九 也 交流 享 今 他 以 们 位 体 体验 候 健 公 六 其年
其教 其身 典 典的 分 到 力 加的 务 动的 化 区 医 千 千人 南 南京 去 叔 叔叔 另 另外 叫 可 号 名 员
品 哪 哪个 喜 喜欢 四 园 地址 圳 址 址是 坛 士 妈 姐 学 它 它的 宇 宴的 对 小 山东 岁 岛 师 年龄
广东 广州 度 影 志 快 感 我同 我表 战 手 手机 挺 探 提 教育 方 旅的 时候 明 是下 是什 是在 是广
景是 最 有点 机 李 果 步 气 汇 江 海 深 深圳 爱 物 用的 电话 百 百人 的主 的人 的同 的表 的那 的邮
盛典 真是 着 研 研讨 程 空 箱 箱地 系 美食 育 育背 背 背景 舅 艺 艺术 节 融 表姐 观 觉 讨 讨会 论
论坛 话 购 赵 起 身高 过 还 进 邮 邮箱 都 里 错 青 青岛 音 音乐 食 验 高是 龄 龄是
    """,
)


@lru_cache(maxsize=1)
def everyday() -> dict[str, int]:
    """Return the class of each word, 0 for the most common ones; below zero those of other languages."""
    found = {term: -1 - number for number, words in enumerate(OTHERS) for term in words.split()}
    return found | {term: number for number, words in enumerate(ENGLISH) for term in words.split()}
