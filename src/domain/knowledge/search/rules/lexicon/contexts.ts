/** A question with a condition is answered only by an entry with the same condition. */
export const CONDITIONS: Readonly<Record<string, string>> = {
  early:
    "early, earlier, fruher*, fruh, fruhen, fruhzeitig*, vorzeitig, temprano, antes de la hora, antes de las, anticipadamente, check in anticipado, entrada anticipada, llegada anticipada, mas pronto, 提前入住, 提前办理, 提前到, 提前几个小时, 能提前, 可以提前, 提早, 早点, 早到, 早一点, 早些, antecipad*, mais cedo, a bit sooner, sooner, eher, antes de tiempo, 早一些, 早些时候, 早上到, 早点进, 提前到达, 提前进",
  late: "late, later, spat, spater*, spaten, verspat*, nach mitternacht, after midnight, midnight, tarde, mas tarde, tardio, tardia, retras*, medianoche, de madrugada, 晚到, 晚点, 延迟, 推迟, 延后, 深夜, 半夜, 凌晨, 很晚, 太晚, 晚退, 晚一点, 晚些, mais tarde, tard, tardi, spatnacht*, mitternacht, at midnight, in the middle of the night, mitten in der nacht, a medianoche, 零点, 后半夜, 夜里几点, un poco mas, un rato mas, un ratito mas, a bit longer, a little longer, a while longer, etwas langer, ein bisschen langer, ein wenig langer, 多待一会, 晚点走",
  trouble:
    "broken, not working, does not work, doesn t work, isn t working, stopped working, won t turn, won t start, won t open, out of order, stuck, clogged, kaputt, funktioniert nicht, geht nicht, defekt*, verstopft, undicht, klemmt, tropft, no funciona, averia*, estropead*, atascad*, gotea, se ha roto, 坏了, 不能用, 不工作, 故障, 堵了, 漏水, 堵塞, 打不开, 连不上, 没反应, 失灵, nao funciona, ne marche pas, non funziona, leaks, leaking, leakage, drops out, keeps dropping, error, reagiert nicht, fehler, fehlermeldung, fallt aus, streikt, no responde, se corta, da error, 断了, 掉线, 一直响, 一直在响, 不工作了, 报错, 出错, problems, a problem with, problem mit, probleme, problema con, 有问题, 上不了, 连不了, 断开",
  size: "size, square met*, how big, how large, sqm, quadratmeter*, wie gross, metros cuadrados, como de grande, tamano, 面积, 平方, 平米, 多大, width, wide, breit*, breite, long is, length, dimensions, masse, ancho, ancha, anchura, medidas, mide, miden, dimension*, 多宽, 尺寸, 宽, 多长, 多高, 几米, 厘米, 米宽, what size",
  rental:
    "rent, rental, rentals, hire, borrow, mieten, ausleihen, leihen, verleih, alquilar, alquiler, alquilo, rentar, arrendar, prestar, prestan, 租, 租借, 租用, 借用, 借, 租赁, alugar, louer, noleggio, lend, lend us, lent, borrowing, renting, hiring, leiht, verleihen, verleiht, vermietet, vermieten, alquilan, alquilais, prestais, prestarnos, prestarme, prestado, 出租, 借给, 借一",
  additional:
    "another, additional, second, spare, zweite*, weitere*, zusatzlich*, noch ein, noch eine, noch einen, ein weiteres, extra bett, otro, otra, otros, otras, adicional*, de mas, segundo, segunda, repuesto, 额外*, 另外, 另一, 再来, 多一个, 多一, 两套, 第二, 多余, 再加, 加一, 多给, outro, outra, autre, altro, altra, supplementaire, an extra, some extra, any extra, extra key, extra keys, extra towel, extra towels, extra bed, extra blanket, extra blankets, extra pillow, extra pillows, extra set, extra handtucher, extra decke, extra kissen, one more, 备用",
  book: "book, booking for, reserve, reserving, order, arrange, organise, organize, get us, buchen, dazubuchen, hinzubuchen, vorbestellen, bestellen, bestellt, reservieren, organisieren, vorab bestellen, reservar, reservarnos, encargar, pedir, pedirnos, organizar, contratar, 预约, 预订, 预定, 代订, 订, 叫一辆, 安排, reserver, prenotare",
  swap: "swap, exchange, replace, replacement, change for, umtauschen, austauschen, ersetzen, ersatz, cambiar, cambio, sustituir, reemplazar, 换, 更换, 调换, wechsel, wechseln, wechselt, gewechselt, changed, change the sheets, change the towels, cambian",
  wash: "wash, washing, spulen, abwaschen, abspulen, fregar, lavar, 洗, 清洗",
  strip: "strip, take off, abziehen, runternehmen, abnehmen, quitar, retirar, 拆, 撤",
  collect:
    "pick up, collect, collected, collection, abholen, abgeholt, abholung, abholt, recoger, recogen, recogida, recojo, recogemos, 取, 领取, 收"
}

/** A context is the subject of a question only if there is no topic. */
export const CONTEXTS: Readonly<Record<string, string>> = {
  kitchen: "kitchen*, kuche*, cocina*, 厨房, cozinha, cuisine, cucina",
  bathroom: "bathroom*, bath, badezimmer*, bad!, bano*, 浴室, 卫生间, 洗手间, 厕所, banheiro, salle de bain, bagno",
  bedroom: "bedroom*, schlafzimmer*, dormitorio*, 卧室, quarto, chambre, camera da letto",
  livingroom: "living room, lounge, wohnzimmer*, salon, sala de estar, 客厅, sala, soggiorno",
  door: "door*, entrance*, gate, tur, turen, haustur*, eingang*, puerta*, portal, 门口, 大门, 房门, porta, porte, ingresso",
  password:
    "password*, passcode, passphrase, pass!, wifi key, login, passwort*, kennwort*, *passwort, zugangsdaten, contrasena*, clave*, 密码, 口令, senha*, mot de passe, パスワード, 비밀번호, wachtwoord, pw, pasword, passwort, wifi code, code, codes, zahlencode, codigo, 秘码, 密碼",
  shower: "shower*, dusche*, duschen, ducha*, ducharse, 淋浴*, 花洒, 洗澡, douche, doccia, chuveiro",
  remote: "remote control*, remote, fernbedienung*, mando, mando a distancia, control remoto, 遥控器",
  cold: "cold, kalt, kalte, kalter, kaltes, kalten, fria, frias, helado, helada, 冷, 凉, 不热, 冰凉, eiskalt, stone cold, ice cold, freezing cold",
  clothes: "clothes, clothing, shirt*, jeans, kleidung, kleider, klamotten, ropa, camisa*, camiseta*, 衣服, 衣物",
  dry: "dry!, drying, trocknen, trocken, secar, 晾, 晒, 烘",
  sleep: "sleep, sleeps, sleeping, schlafen, schlaft, dormir, duerme, duerma, 睡, 睡觉",
  shut: "shut, slammed, locked, zu gefallen, ins schloss gefallen, cerrado de golpe, 关上, 锁上",
  inside: "inside, drinnen, drin, innen, dentro, adentro, 里头",
  tap: "tap, taps, faucet*, wasserhahn, hahn, grifo, grifos, 水龙头",
  code: "code, pin, pin code, codes, zahlencode, codigo, codigos, 代码, 验证码",
  car: "car, cars, auto, autos, wagen, coche, coches, carro, by car, mit dem auto, en coche, 开车, 自驾, 车子, 汽车, 轿车, voiture, macchina, pkw, van, camper*, motorhome, wohnmobil*, furgoneta, autocaravana, 面包车, 房车",
  shop: "shopping, shop, shops, store, stores, tienda*, comprar, buy, kaufen, geschaft*, laden, 购物, 商店, 买东西, 买, compras"
}

/** No question is about a circumstance alone. */
export const CIRCUMSTANCES: Readonly<Record<string, string>> = {
  travelling:
    "our flight, my flight, the flight, our plane, my plane, our train, my train, our bus, my bus, flight lands, we land, we re landing, landing at, land at, unser flug, mein flug, unser flieger, unser zug, mein zug, unser bus, wir landen, landen um, nuestro vuelo, mi vuelo, nuestro avion, el avion, nuestro tren, mi tren, nuestro autobus, aterrizamos, aterrizo, aterrizar, aterrizaje, landing, landung, after we land, 我们的航班, 我的航班, 航班, 飞机晚点, 我们的飞机, 我们的火车, 火车票, 延误, 落地, por trabajo, for work, on business, beruflich, geschaftlich, de negocios, 出差",
  opening:
    "opening hours, opening times, offnungszeiten, horario, horarios, 开门营业, 不开门, 还开门, 开着门, 几点开门, 几点关门, 关门, 营业, 营业时间",
  night: "night, at night, nachts, nacht, noche, por la noche, 晚上, 夜里, 夜间, 夜晚, noite, nuit, notte",
  evening: "evening, abend*, abends, tonight, heute abend, esta noche, 今晚, 傍晚",
  morning: "morning, morgens, manana, por la manana, 早上, 上午, 早晨",
  weekend:
    "weekend*, wochenende*, sunday*, sonntag*, saturday, samstag*, fin de semana, domingo*, sabado*, 周末, 周日, 星期天, 周六",
  building: "building, staircase, gebaude, haus!, edificio, 楼下, 楼里, 小区, 大楼",
  money:
    "extra charge, surcharge, fee, fees, gebuhr*, *gebuhr, aufpreis, kostenpflichtig, suplemento, cargo extra, recargo, 附加费, 另外交, 另外付, 另外收, 另付, 另收, 另外给钱",
  between:
    "after check out, after checkout, after checking out, after we check out, after departure, before check in, before checkin, before checking in, before we check in, before arrival, before we arrive, nach dem check out, nach dem auschecken, nach der abreise, vor dem check in, vor dem einchecken, vor der anreise, vor der ankunft, despues del check out, despues de la salida, antes del check in, antes de la llegada, antes de la entrada, antes de llegar, 退房后, 退房之后, 退房以后, 入住前, 入住之前",
  paying:
    "pay, paying, paid, payment*, zahl*, bezahl*, pagar, pago, pagos, pagamos, 付款, 支付, 付钱, 缴纳, payer, pagare, paga, pagan, pagado, pagada, pagarla, pagamos, cobrar, 交钱, 缴"
}

/** An entry with the requested aspect scores higher. */
export const ASPECTS: Readonly<Record<string, string>> = {
  where:
    "where, wo, wohin, woher, donde, adonde, 哪里, 哪儿, 在哪, 何处, 什么地方, 哪个位置, onde, ou se trouve, dove, waar, どこ",
  when: "what time, when, at what hour, how late, how early, until when, wann, um wie viel uhr, wie viel uhr, uhrzeit, bis wann, ab wann, cuando, a que hora, hasta que hora, que hora, desde que hora, 几点, 什么时候, 何时, 时间, 多晚, quando, a que horas, quand, a quelle heure, a che ora, hoe laat, いつ, 何時",
  price:
    "how much, pay extra, cost extra, costs extra, extra kosten, kostet extra, aparte, cobrais, cobran, cuestan, costaria, cuanto costaria, 补多少钱, price, prices, cost, costs, charge, fee, free of charge, free!, wie viel kostet, was kostet, kostet, kosten, kostenlos, gratis, preis*, umsonst, cuanto cuesta, cuanto vale, cuanto es, precio*, cuesta*, coste, gratuito, gratuita, 多少钱, 价格, 费用, 收费, 免费, 要钱, 要不要钱, 付费, 花钱, quanto custa, combien, quanto costa, prezzo, kost",
  howto:
    "how, instructions, operate, turn on, switch on, turn off, works, work!, wie, bedienung, bedienen, anleitung, einschalten, anschalten, anmachen, ausschalten, funktioniert, como, encender, enciende, encendemos, instrucciones, apagar, funciona, 怎么, 如何, 怎样, 使用, 打开, 操作, 说明, 开关, como funciona, comment, どうやって",
  allowed:
    "allowed, permitted, a problem, ein problem, un problema, sin problema, problem, may we, may i, forbidden, permission, permit, ok to, okay to, darf, durfen, erlaubt, gestattet, verboten, permitid*, permite*, permiten, se puede, podemos, puedo, prohibid*, 允许, 可不可以, 能不能, 能否, 可否, 禁止, 许可, permitido, autorise",
  distance:
    "how far, far, distance, near, nearest, nearby, close, closest, around, walk, walking, minutes, wie weit, weit, nahe, nachste*, entfernt, entfernung, minuten, fuss, laufen, umgebung, lejos, cerca, cercan*, distancia, minutos, andando, a pie, alrededor*, 多远, 附近, 最近, 远, 离, 距离, 分钟, 走路, 步行, 周边, perto, longe, pres, vicino"
}

/** Words that search ignores, in all languages. */
export const STOP_WORDS = `
a an the this that these those my your our his her their its me you we us he she it they them i im ive id we re ve ll d m s t
is are am was were be been being do does did done don doesn didn isn aren won can could may might must shall should will would wouldn couldn
have has had having get gets got getting need needs needed want wants wanted like would love prefer wish go goes going come comes coming
and or but if so because as than then also too very really just only still already yet even ever again please pls plz kindly thanks thank cheers
hello hi hey dear good morning afternoon evening day of in on at to from for with without by about into onto over under up down out off
per during before after between within while through here there what which who whom whose why how s any some every each all both either
no not none nor nothing something anything everything someone anyone one two three four five ones first second last next other another more most
much many few little less least lot lots bit know tell say said ask asking question questions wonder wondering let help helps info information
hear see look looking find found give gives given provide provided offer offers available availability exist possible possibly able sure
okay ok yes yeah fine great nice lovely perfect super thing things stuff way kind sort type time times place places spot apartment apartments
flat house home studio unit room rooms stay stays staying stayed guest guests host booking booked reservation trip travel traveling travelling holiday vacation
today tomorrow tonight day days week weeks hour hours minute minutes evening soon later now currently moment there re use uses using used
take takes took bring brings brought put puts make makes leave leaves left keep keeps work works exactly actually quick quickly quickly include included
includes including belong regarding concerning ahead advance right wrong correct best recommend recommendation recommendations suggest suggestion suggestions
inside outside own people person persons friend wife husband family partner we're there's what's i'd i'm you're it's let's would've where's does't
pm am send sends sending instead maker makers machine machines small big large old new little huge whole full free own personal normal special different specific general available local main private land lands landing lend couple group since until whenever whether currently usually always sometimes often maybe perhaps
set sets setup both located provided supply supplied come equipped equipment feature have anywhere somewhere everything else need open opened opens close closes closed
start starts end ends name names called show shows connect connecting connection connected laptop computer device devices phone mobile number numbers hope well

der die das den dem des ein eine einen einem einer eines kein keine keinen keiner mein meine meinen meiner dein deine euer eure euren eurer eurem ihr ihre ihren ihrem ihrer
unser unsere unseren unserem unserer sein seine ich du er sie es wir ihnen uns euch mich mir dich dir sich man
ist sind bin bist war waren sein gibt gab haben hat hatte hatten habe habt hattet werden wird wurde wurden wurde konnen kann konnt konnte konnten konntet muss mussen musst
soll sollen sollte sollten mag mogen mochte mochten will wollen wollt wollte wollten brauchen brauche braucht lassen lass lasst geht gehen gehe
und oder aber wenn dass ob weil als denn dann auch noch nur schon sehr mal doch eigentlich etwa circa vielleicht gern gerne bitte danke vielen dank
hallo hi guten tag morgen abend lieber liebe liebes moin servus gruss grusse viele beste
in im an am auf aus bei beim mit nach von vom vor zu zum zur fur uber unter um bis durch gegen ohne zwischen wahrend seit ab
ins ans aufs zugang was wer wen wem welche welcher welches welchen welchem warum wieso weshalb wieviel viel viele wenig etwas nichts alles alle allen jede jeder jedes
hier da dort dorthin hin her man irgendwo irgendwas nicht nein ja ok okay
wissen weiss sagen sagt sag fragen frage fragen verraten mitteilen helfen information informationen info infos auskunft
benutzen benutzt nutzen nutze genutzt verwenden finde finden findet bekommen bekomme bekommt kriegen geben moglich moglichkeit vorhanden verfugbar verfugung stehen steht
wohnung apartment ferienwohnung unterkunft zimmer haus hause aufenthalt gast gaste gastgeber buchung reservierung urlaub reise
heute tage tagen woche stunde stunden zeit uhr jetzt spaeter genau kurz gleich zwei drei vier
senden schicken schickt klein kleine kleinen kleiner kleines gross grosse grossen grosser grosses neu neue neuen schnell einfach normal normale eigene eigenen eigener ganz ganze wirklich leider immer manchmal oft zusammen paar gruppe maschine gerat gerate landen landet
machen mache macht tun kommen komme kommt nehmen nehme mitnehmen mitbringen bringen bringe stellen stelle lege legen abstellen hinstellen lasse ort stelle wohin damit dafur dazu darauf
am ende beginnt beginn offen geoffnet geschlossen schliesst empfehlen empfehlung tipp tipps inklusive enthalten dabei eingerichtet ausgestattet laptop handy gerat name lautet heisst verbinden verbinde richtig

el la los las un una unos unas lo al del de mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro vuestra
yo tu usted ustedes nosotros vosotros ellos ellas me te se nos os le les que cual cuales quien quienes
es son esta estan estoy estamos sea ser estar era hay habia haya tiene tienen tienes teneis tenemos tengo tener tuviera
puede pueden puedes podria podrian podriamos podeis poder quiero queremos quisiera quisieramos quiere querria necesito necesitamos necesita necesitar debo debemos deberia
y o u pero si porque como pues entonces tambien tampoco muy mas menos ya aun todavia solo solamente algo alguna alguno algun algunos algunas nada ninguna ninguno ningun
hola buenas buenos dias tardes noches gracias muchas por favor saludos estimado estimada querido
en con sin para por sobre entre hasta desde hacia ante bajo durante dentro fuera
aqui ahi alli alla esto eso aquello este esta estos estas ese esa donde no si
saber sabe sabes decir decirme dime diganos digame indicar indicarme pregunta preguntar duda consulta informacion ayuda ayudar
usar uso utilizar utilizo usamos encontrar encuentro encontramos encuentra encuentran conseguir ofrece ofrecen ofreceis incluye incluido incluida incluidos disponible disponibles disponeis dispone cuenta existe posible posibilidad
apartamento piso casa alojamiento vivienda habitacion estancia huesped huespedes anfitrion reserva viaje vacaciones
hoy manana dia dias semana hora horas tiempo momento ahora luego dos tres cuatro
enviar envia enviarme mandar pequeno pequena grande grandes nuevo nueva maquina aparato siempre tal vez quizas grupo pareja propio propia entero entera
hacer hago hacemos hace ir vamos voy llevar traer poner dejar dejamos dejo tomar dar sacar tirar tiro lugar sitio cosas cosa forma manera
recomendar recomienda recomiendas recomendacion recomendaciones abre abierto abierta cierra cerrado empieza termina nombre llama conectar conectarme portatil movil ordenador telefono todo toda todos todas cada otra otro otros

de da do das dos um uma uns umas para com sem em no na nos nas ao aos por pelo pela qual quais que e ou mas como voce voces meu minha nosso nossa tem ha posso podemos pode ola obrigado obrigada favor bom boa apartamento
le la les un une des du de au aux et ou mais est sont y a avez vous nous je on il elle ils elles mon ma mes notre nos votre vos pour avec sans dans sur peut peux pouvons bonjour merci quel quelle quels quelles ce cette ces appartement logement
il lo gli i di del della dei delle un uno una e o ma per con senza in su c e sono siamo avete possiamo posso ciao grazie qual quale questo questa appartamento casa
het een en van met zonder voor is zijn heeft hebben kunnen kan we ik jullie hallo bedankt appartement

whats hows overnight along roughly approximately yours ours mine theirs nearby myself ourselves yourself else ago accept accepts accepted allow allows happen happens happened
back turn turned turning switch switched switching set setting fix fixed mean means meant think thinking thought seem seems seemed try tries tried trying keep kept let lets plan plans planning
carry bringing brings bought got gotten given going gone came coming came leaving arrive stayed spend spending understand show shown shows check checking wait waiting start starting stop stopping put putting
show explain tell told share sharing enjoy recommend recommended suggest suggested either neither whether though although however therefore otherwise instead except besides
quite rather pretty almost nearly enough especially probably perhaps possibly definitely certainly simply directly immediately immediately straight together alone apart away across around
good better best bad worse worst long longer longest short shorter easy easier easily hard difficult important necessary useful ready wonderful beautiful comfortable happy sorry glad excited forward
year years month months old kind sort bit couple number pair piece pieces part half quarter
january february march april may june july august september october november december monday tuesday wednesday thursday friday
mum mom dad mother father parents brother sister son daughter wife husband girlfriend boyfriend colleague
selbst selber nun eben halt mal schon zwar sogar jedoch trotzdem deshalb deswegen darum daher dadurch dabei davon daran danach davor dazu dagegen drauf drin drinnen draussen rein raus rauf runter
kannst konntest konnten willst mochtest durft durftest musst mussten solltet sollst gibts habts geht ging gegangen gekommen gemacht getan genommen gegeben gebracht gefunden gesehen gelassen gestellt gelegt
mitzubringen mitgebracht benotigen benotige benotigt wunschen wunsche bleiben bleibe bleibt bleib reisen reist fahren fahre fahrt liegen liegt legen legt sitzen hangen hangt stecken passiert passieren gehort gehoren
zeigen zeigt zeigst erklaren erklart beachten beachte achten wollte wussten wusste denken denke glauben glaube meinen meint heissen schalten schaltet einschaltet stellt ein an zuruck wieder weiter
irgend irgendwie irgendwann irgendjemand jemand niemand manche manches einige einigen mehrere beide beiden andere anderen anderer anderes besser besten bester gut gute guten guter gutes schlecht schon schone lange langer kurze kurzer
ziemlich besonders ungefahr ca ca. etwa fast kaum genug zuerst zuletzt bereits gerade demnachst zwischendurch bald baldmoglichst sofort naturlich wahrscheinlich sicher bestimmt hoffentlich eventuell
fruhstens spatestens tagsuber taglich wochentlich vormittag vormittags mittags nachmittag nachmittags montag dienstag mittwoch donnerstag freitag januar februar marz april mai juni juli august september oktober november dezember
mann frau sohn tochter mutter vater eltern bruder schwester familie freund freundin kollegen kollege herr jahre jahr alt monat monate
gesamt pro je jeweils extra zusammen allein alleine eigene eigener eigenes uberhaupt genauso welch
cuanto cuanta cuantos cuantas hemos han hubo habido habra sera seria esas esos esa ese aquel aquella nosotras ello ellas cual cuyo va van vas iba ido yendo venir viene vienen vengo vino
admiten admite admitis aceptan acepta aceptais dejan deja dejais dejar dejarlo pasa pasas pasais pasar pasarme pasarnos quedar queda quedan quedo quedamos pongo pone ponen ponemos sale salen sacamos llevamos llevan trae traemos
permite cobran cobra cobrais cobrar hacerme hacernos hagan hazme haceis hacen creo creemos pienso piensan parece parecen entiendo entendemos ver vemos veo mirar busco buscamos buscando buscar explicar explica ensenar avisar avisa avisamos confirmar
viajar viajo viajamos viajan vendremos vendre iremos estaremos estare tendremos seremos somos fuera fueran estuvo estaba quedarnos quedarme gustaria encantaria apetece molestar molesta molestamos suele suelen soler
bien mal mejor peor bueno buena mucho mucha poco poca varios varias mismo misma mismos mismas demasiado bastante casi apenas aproximadamente mas o menos quiza quizas acaso seguro claro exacto exacta exactamente directamente rapidamente
chance meantime meanwhile idea ideas sudden suddenly join watch watching account pick choose chose suppose supposed expect expecting believe guess worry worried afraid trouble bother
ladies gentlemen sir madam mr mrs ms regards sincerely folks everybody everyone nobody somebody anybody kindly quickest quicker handy convenient appreciate appreciated thankful
standing sitting front bottom top side middle end rest another sort quickly tuesday mostly mainly already finally unfortunately luckily instead till wanna gonna gotta cant dont doesnt isnt wont didnt couldnt whats theres were youre theyre
absolutely totally completely honestly basically literally truly certain guys mate team all-day already trying normally properly correctly
grandmother grandma grandfather grandpa grandparents grandson granddaughter uncle aunt cousin cousins nephew niece teenager teenagers adults adult boss client clients customers colleagues mates buddy buddies fiance
obwohl sonst erledigen erledigt wohl halt gerade momentan plotzlich voll leer alte alten alter altes leere leeren idee ideen chance dumm blod sorry entschuldigung verzeihung vorab rechtzeitig frau herrn sehr geehrte geehrter geehrten freundliche freundlichen grussen
schaffen schafft klappt klappen weiterhelfen melden meldet freuen freue freut hoffe hoffen bescheid liebste zwischenzeit solange inzwischen unterwegs getrennt viert dritt zweit oma opa grosseltern enkel tante onkel cousin cousine neffe nichte kumpel verlobte verlobter erwachsene erwachsenen kunde kunden chef
ergibt sinnvoll lohnt eher lieber unbedingt notig notwendig gedacht eingeplant dran dahin daheim drauszen warten gewartet schauen geschaut probiert versucht klar problemlos
zona falta datos rato ratito estimados estimadas senor senora senores senoras atentamente cordial cordiales saludo buen perdon perdone disculpa disculpe disculpad repente idea ideas cerquita tan tanto tanta conoceis conoces conocen conoce aconsejais aconsejas aconseja aconsejan sugieres sugerencia sugerencias
abuelo abuela abuelos tio tia primo prima sobrino sobrina nieto nieta cunado cunada suegro suegra jefe cliente clientes adultos adulto prometida prometido amiguete
soy eres mientras subir subo subimos bajar bajo bajamos salir salimos entrar entramos iriais iria irias probar intentar intento arreglar solucionar urge funcionan mandar mando enviaros avisaros deciros preguntaros pediros
hace falta preocupeis preocupa lamento siento ultimamente enseguida pronto antes despues ratos ningun tampoco siquiera
lunes martes miercoles jueves viernes enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre madrugada mediodia
ano anos mes meses madre padre padres hermano hermana hijo hija marido mujer novio novia pareja amigo amiga familia companero
junto juntos solo sola solos libre libres aparte ademas incluso excepto salvo aunque mientras segun tras mediante
`

/** For scripts without word breaks. */
export const UNBROKEN_STOP_WORDS = `
请问 您好 你好 哈喽 谢谢 感谢 麻烦 请 可以 可 能 会 有没有 有 没有 是不是 是否 是 吗 呢 吧 啊 呀 哦 嘛 么 的 了 着 过 得 地 和 与 及 或 还是 还 也 都 就 才 又 再 很 太 非常 比较
我们 我 你们 你 您 他们 她 他 它 咱们 自己 这个 这里 这 那个 那里 那 什么 哪个 哪些 哪 谁 多少 几个 几 怎么样 如果 因为 所以 但是 不过 然后 想 想要 要 需要 应该 打算 准备 知道 告诉 问 问一下 一下 一个 一些 一点 个 些 次 位 只 把 被 给 在 到 从 对 向 里 里面 上 下 中 内 外 前 后 时 时候 之前 之后 以后 以前
房子 公寓 房间 民宿 住处 房东 客人 今天 明天 后天 现在 今晚 天 号 日 提供 使用 用 拿 放 带 去 来 走 做 找 让 叫 名字 名称 吗 不 没 别 帮 帮忙 推荐 介绍 好 好的 方便 哪家 地方 东西 情况 配备 配有 设备 应 该 最 更 可用 连 连接 手机 电脑 住 屋里 家里 屋内 室内
です ます か は が を に で と の も ください お ありますか どこですか 何ですか いいですか できますか
ที่ มี ไหม ได้ ครับ ค่ะ คะ อยู่ ใน ของ และ เป็น อะไร ไหน ขอ
老人 老人家 爷爷 奶奶 外公 外婆 叔叔 阿姨 表哥 表姐 同事 闺蜜 男朋友 女朋友 合适 适合 估计 打扰 不好意思 抱歉 请教 谢谢您 听说 轮到 前面 两个人 三个人 四个人 每人 每位 每晚 拖着 顺便 另外想 是怎么 怎么弄 咋 咋办 咋弄 才能 还能 才有 正好 恰好 其实 应该是 到底 究竟 那边 这边 你们那儿 我们俩 按了 试了试
突然 忽然 大概 大约 左右 或者 怎样 怎么样 怎么办 为什么 原因 老公 老婆 先生 太太 丈夫 妻子 妈妈 爸爸 父母 姐姐 妹妹 哥哥 弟弟 家人 朋友们 两晚 一晚 几晚 晚 两天 几天 三天 一天 每天 个月 年 月 周 星期
刚才 刚刚 已经 一直 总是 经常 有时 马上 立刻 现在 目前 平时 通常 一般 如何 那么 这样 那样 其他 别的 任何 所有 全部 一起 单独 分开 当面 交 给我们 给我 让我们 需不需要 要不要 能否 是不是 有什么 有哪些 为 之 其 而 并 并且 于 以 由
觉得 认为 希望 喜欢 看 看到 听 听说 发现 找到 找不到 拿到 收到 发给 发 弄 搞 设置 试 试过 试了 起来 出来 进来 下来 过来 过去 完 完成 结束 开始 继续 停止 同时 大 小 多 少 新 旧 好用 坏 快 慢 长 短 高 低
`
