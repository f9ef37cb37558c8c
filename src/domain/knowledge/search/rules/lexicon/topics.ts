// English, German, Spanish and Chinese are covered in full, other languages by their commonest words. `word*` matches a
// prefix, `*word` a suffix, `word!` only the exact word. A phrase with several topics means any of them.

/** An entry must mention all topics of a question to answer it. */
export const TOPICS: Readonly<Record<string, string>> = {
  wifi: "wifi*, wi fi, wlan*, internet*, router, hotspot, network, netzwerk*, ssid, 无线网*, 无线, 网络, 上网, 宽带, 联网, 连网, red inalambrica, nombre de la red, conexion a internet, conexao, reseau, rete, ワイファイ, ネット, 와이파이, connection speed, bandwidth, 网速, 网, wireless network, wireless, pw for the wifi",
  checkin:
    "check in, checkin*, checking in, check into, check ourselves in, self check in, arrival, arrivals, arrive, arriving, arrived, move in, ankunft*, anreise*, ankommen, ankomme, einchecken, eincheck*, einziehen, llegada*, llegar, llego, llegamos, llegue, lleguemos, hora de entrada, registrarse, registrarnos, hacer el registro, entrar al apartamento, 入住, 办理入住, 到达, 抵达, chegada, chegar, chego, chegamos, arrivee, arriver, arrivo, arrivare, aankomst, inchecken, チェックイン, 체크인, get into the room, in die wohnung, entrada al piso, entrada al apartamento, la entrada, 进房间, 进去休息, 能进房, 进房, entrar en el apartamento, entrar en el piso, entrar al piso, enter the apartment, enter the flat, enter the house, 进入房间, 进屋",
  checkout:
    "check out, checkout*, checking out, departure, leave the apartment, leave the flat, leave the house, vacate, be out, have to leave, need to leave, must leave, leave by, leaving day, move out, when we leave, before we leave, before leaving, day we leave, abreise*, auschecken, ausziehen, auscheck*, abreisen, verlassen, raumen, salida*, dejar el apartamento, dejar el piso, dejar la casa, dejar el alojamiento, abandonar, desalojar, irnos, marcharnos, antes de irme, 退房, 离店, 离开, saida, depart, partenza, vertrek, uitchecken, チェックアウト, 체크아웃, abfahrt, abfahren, wenn wir gehen, wenn wir fahren, when we go, when we depart, last day, letzten tag, letzter tag, am letzten tag, ultimo dia, cuando nos vayamos, al irnos, al salir, al marcharnos, 走的时候, 走之前, 离开时, 最后一天",
  luggage:
    "luggage*, baggage*, suitcase*, bags, backpack*, gepack*, koffer*, taschen, equipaje*, maleta*, mochila*, 行李*, 寄存, 箱子, bagagem, malas, bagage*, valise*, bagagli, valigie, 荷物, bag, stash, koffern, bolsas, 大件, gepackaufbewahrung, consigna, consignas, luggage storage, left luggage",
  key: "key, keys, keybox, keycard, lockbox, lock box, key box, key safe, unlock*, schlussel*, *schlussel, turschloss, llave*, cajetin*, cerradura*, abrir la puerta, 钥匙*, 门锁, 开门, 门卡, 房卡, chave*, codigo da porta, clef*, cles, cle, chiave, chiavi, sleutel*, かぎ, 鍵",
  directions:
    "directions, address, anreise*, located, location, get there, get to the apartment, get to the flat, get to the house, get to your place, get to you, find the apartment, find the flat, find the house, find the building, find the place, find you, reach the apartment, reach you, reach the house, anfahrt*, adresse*, anschrift, wegbeschreibung, hinkommen, hinfinden, zur wohnung, zur unterkunft, zu euch, zu ihnen, lage, direccion*, como llegar, como llego, como llegamos, llegar al apartamento, llegar al piso, llegar a la casa, llegar al alojamiento, ubicacion, ubicad*, situad*, 地址, 位置, 怎么去, 怎么走, 怎么到, 如何到达, 怎么过去, 在哪条, 路线, endereco, morada, como chegar, indirizzo, adres, 住所, 行き方, exact address, direccion exacta, find us, finden uns, encontrarnos, 找到我们",
  parking:
    "parking*, parked, garage*, carport, driveway, parkplatz*, parken, parkt, parkmog*, parkhaus*, parkgeb*, park*platz, *parkplatz, stellplatz*, tiefgarage*, aparcar*, aparcamiento*, aparcad*, estacionar*, estacionamiento*, parquear*, garaje*, parquin*, 停车*, 车位, 车库, 泊车, 停放, parqueamento, garagem, stationn*, parcheggi*, parkeren, parkeer*, 駐車*, 주차*, park, park our car, park my car, park the car, park a car, leave our car, leave the car, leave my car, leave a car, auto abstellen, auto stehen lassen, autos abstellen, unser auto, dejar el coche, dejo el coche, dejamos el coche, meter el coche, estacionar, estaciono, estacionamos, 停我们的车, 停一辆, 车停, car park, car parks, car parking",
  charging:
    "charging station, ev charger, charge it, charge an ev, charge my ev, electric car, electric vehicle, charge my car, charge our car, charge the car, tesla, ladestation*, ladesaule*, wallbox*, elektroauto*, e auto, auto laden, aufladen, coche electrico, cargar el coche, recarga de coche, vehiculo electrico, punto de recarga, 充电桩, 电动车, 电动汽车, 新能源车, carro eletrico, voiture electrique, laadpaal, charge an electric, charge our electric, charge my electric, electric cars, ev, evs, charging point*, charging station*, charge point*, plug in hybrid, e autos, elektroautos, elektrofahrzeug*, e fahrzeug*, elektrisch* auto, ladepunkt*, ladepunkte, auto aufladen, e tankstelle, electrico, electricos, electrica, punto de carga, puntos de carga, enchufar el coche, electrolinera, 充电站, 电车充电, 给车充电, 充电",
  airport:
    "airport, flight, flughafen*, flug, flieger, aeropuerto*, avion, vuelo*, 机场*, 飞机, aeroporto, aeroport, luchthaven, 空港, 공항, terminal, 接机, vom flughafen",
  taxi: "taxi*, uber, cab, bolt, 出租车, 打车, 的士, 叫车, 滴滴",
  pickup:
    "pick us up, pick me up, picked up from, pick up from the airport, shuttle*, transfer*, abholservice, recogern*, recogerm*, recojan, traslado*, lanzadera, 接机, 接站, 接送, 接我们, 来接, 班车, 送机, navette, navetta, holen sie uns, holt ihr uns, uns abholen, mich abholen, venir a buscarnos, ir a buscarnos, buscarnos, 接一下, 来机场接, 去接",
  trash:
    "trash*, garbage, rubbish, waste, bin, bins, recycl*, mull*, abfall*, *mull, *tonne, mulltonne*, tonne, tonnen, restmull, glascontainer, wertstoff*, basura*, basurero, reciclaj*, reciclar, contenedor*, desechos, residuos, 垃圾*, 回收, 扔掉, lixo*, poubelle*, ordures, spazzatura, rifiuti, afval, ゴミ, ごみ, 扔到, 丢到, 丢在哪, 扔在, 哪个桶, 丢哪, bottle bank, empty bottles, leere flaschen, altglas, altpapier, pfand, botellas vacias, vidrio, plasticos, 瓶子, 空瓶, 酒瓶",
  heating:
    "heating, heat, heater*, heated, radiator*, thermostat*, warm up, cold in, too cold, freezing, heizung*, heizkorper*, heizen, beheiz*, fussbodenheizung, temperatur*, temperature, zu kalt, warmer, calefaccion*, radiador*, calefactor*, termostato*, calentar, frio, 暖气*, 供暖, 地暖, 暖风, 取暖, 制热, 太冷, 好冷, 温度, aquecimento, aquecedor, chauffage, riscaldamento, verwarming, 暖房, hoher stellen, hoher drehen",
  aircon:
    "air conditioning, air conditioner, air con, aircon*, ac!, cooling, cool down, too hot, klima*, kuhlung, kuhlen, zu heiss, aire acondicionado, aire, enfriar, climatiz*, aire fresco, 空调*, 冷气, 制冷, 太热, 好热, ar condicionado, clim!, climatisation, aria condizionata, airco, エアコン, 冷房, 에어컨",
  hotwater:
    "hot water, warm water, boiler, water heater, immersion, warmwasser*, heisses wasser, warmes wasser, heiss wasser, boiler*, durchlauferhitzer, agua caliente, calentador*, termo, caldera*, 热水*, 热水器, agua quente, eau chaude, acqua calda, kaltes wasser, nur kaltes, agua fria, sale fria, 没热水, 水不热, 忽冷忽热, 冷水, cold water, only cold water, 水一会儿, 水温",
  drinkingwater:
    "tap water, drink the water, drinking water, drinkable, safe to drink, potable, leitungswasser*, trinkwasser*, trinkbar, wasser trinken, wasser aus dem hahn, wasser aus der leitung, agua del grifo, agua potable, beber el agua, beber agua, 自来水, 饮用水, 直饮, 饮水, 喝的水, 可以喝, 能喝, 直接喝, agua da torneira, eau du robinet",
  electricity:
    "electricity, power outage, power cut, power is out, power went out, no power, fuse*, fuse box, breaker*, circuit, blackout, strom*, sicherung*, sicherungskasten, stromausfall, electricidad, luz se, se fue la luz, ido la luz, ir la luz, va la luz, no hay luz, corriente, cuadro electrico, fusible*, diferencial, interruptor*, apagon, 停电, 跳闸, 断电, 电闸, 没电, 保险丝, 配电箱, eletricidade, disjuntor, electricite",
  adapter:
    "adapter*, adaptor*, plug*, outlet*, socket*, power socket, steckdose*, stecker*, enchufe*, adaptador*, toma de corriente, 插座, 插头, 转换器, 转换插头, tomada, prise electrique",
  stove:
    "stove*, hob, hobs, cooktop*, induction, cooker, herd, herdplatte*, kochfeld*, induktion*, vitroceramica, hornilla*, placa, induccion, fogon*, cocina de gas, 炉灶, 灶台, 电磁炉, 煤气灶, 燃气灶, 炉子, fogao, plaque de cuisson",
  oven: "oven*, backofen*, ofen, horno*, 烤箱, forno",
  dishwasher:
    "dishwasher*, spulmaschine*, geschirrspul*, lavavajillas, lavaplatos, 洗碗机, lava loica, lave vaisselle, lavastoviglie",
  microwave: "microwave*, mikrowelle*, microondas, 微波炉, micro ondes",
  coffee:
    "coffee*, espresso*, nespresso*, kaffee*, cafe, cafetera*, capsula*, kapsel*, 咖啡*, maquina de cafe, caffe, koffie",
  kettle: "kettle*, wasserkocher*, hervidor*, 烧水壶, 热水壶, 水壶, 电水壶, tetera, chaleira, bouilloire",
  fridge:
    "fridge*, refrigerator*, freezer*, kuhlschrank*, gefrier*, nevera*, frigorifico*, refrigerador*, congelador*, 冰箱, 冷冻, geladeira, frigo",
  cookware:
    "pots, pans, pan, cookware, cutlery, dishes, plates, cooking utensils, utensils, knives, glasses, topfe, pfannen, geschirr, besteck, ollas, sartenes, sarten, utensilios, vajilla, cubiertos, platos, 锅*, 餐具, 厨具, 碗筷, 刀叉, 炊具",
  cooking: "cook, cooking, kochen, cocinar, 做饭, 做菜, 开火, 烧饭, 煮饭, cozinhar, cuisiner, cucinare",
  spices:
    "oil, salt, pepper, spices, seasoning, gewurze, salz, pfeffer, aceite, sal, pimienta, especias, 调料, 调味*, 油盐, ol!, ole!, olivenol",
  laundry:
    "washing machine*, washer, laundry, wash our clothes, wash my clothes, wash clothes, do laundry, do the washing, waschmaschine*, waschkuche*, wasche waschen, wasche, waschen, lavadora*, lavar ropa, lavar la ropa, colada, 洗衣机, 洗衣*, 洗衣服, maquina de lavar, lave linge, lavatrice, wasmachine, 洗濯*",
  dryer:
    "dryer, dryers, tumble dryer, dry our clothes, dry clothes, dry my clothes, trockner, waschetrockner, wasche trocknen, secadora*, secar la ropa, 烘干*, 干衣机, secadora de roupa",
  dryingrack:
    "drying rack*, clothes rack, clothes line, clothesline, waschestander*, wascheleine, tendedero*, tender la ropa, 晾衣*, 晾晒, 晒衣*, estendal",
  iron: "iron!, ironing*, iron a shirt, iron my, bugeleisen*, bugeln, bugelbrett*, plancha*, planchar, 熨斗, 熨衣*, 熨烫, ferro de engomar, fer a repasser",
  hairdryer:
    "hairdryer*, hair dryer*, blow dryer, fohn*, foen, haartrockner*, secador*, secador de pelo, 吹风机, 电吹风, seche cheveux",
  towels:
    "towel*, handtuch*, handtucher*, toalla*, 毛巾*, 浴巾*, toalha*, serviette*, asciugaman*, handdoek*, タオル, towels, frische handtucher, clean towels, fresh towels, toallas limpias",
  bedding:
    "linen*, bed linen, bedding, sheets, bed sheets, blanket*, duvet*, pillow*, bettwasche*, bettlaken, laken, decke, decken, bettdecke*, kissen, kopfkissen, sabana*, ropa de cama, manta, mantas, almohada*, edredon*, 床单*, 被子*, 枕头*, 毯子, 被套, 床品, 床上用品, lencol, lencois, roupa de cama, draps, lenzuola, wechsel der bettwasche, fresh sheets",
  beds: "bed, beds, sofa bed, sofabed, pull out, couch, sleeping places, double bed, single bed, bett, betten, schlafsofa*, schlafcouch*, ausziehsofa, schlafplatz*, schlafplatze, cama, camas, sofa cama, sofacama, 沙发床, 几张床, 床位, 双人床, 单人床, 大床",
  crib: "crib*, cot, cots, baby bed, babybed, travel cot, kinderbett*, babybett*, gitterbett*, reisebett*, cuna*, 婴儿床, berco, lit bebe",
  highchair: "high chair*, highchair*, hochstuhl*, kinderstuhl*, trona*, silla alta, 婴儿椅, 儿童椅, 餐椅, 高脚椅",
  child:
    "toddler*, child, children, infant*, ein kind, kinder*, kleinkind*, bebe*, nino, ninos, nina, hijo*, hija*, 宝宝, 婴儿, 小孩, 孩子, 儿童, crianca*, enfant*, bambin*, baby, babys, babies, baby s, kid, kids, baby*",
  pets: "pet, pets, dog, dogs, puppy, cat, cats, haustier*, hund, hunde, hunden, katze*, mascota*, perro*, perrito*, gato*, 宠物*, 狗, 小狗, 狗狗, 猫, 猫咪, animais, cao, cachorro, animaux, animal, chien*, chat, animali, hond, ペット, 犬",
  smoking:
    "cigarette*, vape, vaping, e cigarette, ashtray, zigarette*, nichtraucher*, raucher*, fumar, fumador*, fuma, tabaco, cigarro*, cigarrillo*, 抽烟, 吸烟, 烟灰缸, 香烟, 电子烟, 禁烟, fumer, fumare, roken, 喫煙, 禁煙, タバコ, smoke, smokes, smoking, smoker*, smoked, rauchen, raucht, rauche, rauchfrei*",
  party:
    "party, parties, birthday, celebrat*, celebration, event, gathering, feier*, feiern, party*, geburtstag*, fiesta*, cumpleanos, celebrar, evento*, 派对, 聚会, 聚餐, 生日, 开趴, 轰趴, festa*, fete*, 开派对, 办派对, 庆祝",
  quiet:
    "quiet*, noise*, noisy, loud*, music, silent hours, ruhezeit*, ruhestorung, nachtruhe, ruhe, ruhig, larm*, laut, lauter, musik, ruido*, ruidos*, silencio*, silencios*, horas de descanso, musica, descanso, 安静*, 噪音, 吵闹, 噪声, 静音, 音乐, 大声, 吵, silencio, barulho, bruit, rumore, silenzio",
  visitors:
    "visitor*, invite friends, friends over, have friends, bring friends, friends visit, guests over, have guests, people over, besuch*, besucher*, besuch empfangen, freunde einladen, invitado*, invitar, traer amigos, 访客, 朋友, 来访, visitante*, invites, 朋友来, 妹妹, visitas, visitas en casa, recibir visitas",
  breakfast:
    "breakfast*, fruhstuck*, desayun*, 早餐*, 早饭, cafe da manha, pequeno almoco, petit dejeuner, colazione, ontbijt, 朝食, 조식",
  restaurant:
    "restaurant*, eat out, place to eat, places to eat, where to eat, essen gehen, abendessen, mittagessen, gut essen, essen kann, lokal, lokale, gaststatte, imbiss, kneipe*, restaurante*, cenar, almorzar, tapas, 餐厅*, 餐馆, 饭店, 吃饭, 美食, 好吃, 吃的, 小吃, ristorante*, manger, mangiare, レストラン, comer fuera, donde comer, comer bien, salir a comer, dinner, lunch",
  delivery:
    "food delivery, delivery, order food, deliver food, lieferdienst*, essen bestellen, liefer*, comida a domicilio, a domicilio, pedir comida, 外卖, 送餐, entrega de comida",
  supermarket:
    "supermarket*, grocery, groceries, grocer*, buy food, milk, convenience store, supermarkt*, einkaufen, lebensmittel*, laden!, kiosk, rewe, edeka, aldi, lidl, supermercado*, hacer la compra, comprar comida, comestibles, fruteria*, alimentacion, 超市*, 便利店, 买菜, 杂货, supermerc*, mercearia, epicerie, supermarche, supermercat*, スーパー, コンビニ, food shop*, do the shopping, food shopping, go shopping for food, buy groceries, minimarket, 买点菜, 买食材, 买水果",
  pharmacy:
    "pharmacy, pharmacies, drugstore*, medicine, medication, apotheke*, medikament*, farmacia*, medicina*, medicamento*, 药店, 药房, 买药, pharmacie",
  doctor:
    "doctor*, hospital*, clinic*, medical, sick, ill, injured, arzt*, arzte, krankenhaus*, klinik*, krank, medico*, hospital*, clinica*, enfermo*, urgencias, 医生, 医院, 诊所, 看病, 生病, 急诊, medecin, ospedale, fieber, fever, fiebre, hausarzt*, kinderarzt*, notaufnahme, pediatra, 发烧, 儿科",
  emergency:
    "emergency, emergencies, ambulance, police, fire brigade, fire department, urgent, urgently, notfall*, notruf*, polizei, feuerwehr, rettungsdienst, krankenwagen, emergencia*, policia, ambulancia*, bomberos, urgente, 紧急*, 报警, 急救*, 警察, 救护车, 消防, emergencia, urgence",
  firstaid:
    "first aid, plaster*, band aid*, bandage*, erste hilfe, verbandskasten, verbandkasten, pflaster, botiquin*, primeros auxilios, tiritas, 急救箱, 急救包, 创可贴, 医药箱, first aid kit*",
  fire: "fire extinguisher*, extinguisher*, feuerloscher*, extintor*, 灭火器, 消防器材",
  pool: "pool*, swimming*, swim, schwimmbad*, schwimmen, schwimmbecken, piscina*, nadar, 泳池, 游泳*, 游泳池, piscine, zwembad, プール, 수영장",
  sauna: "sauna*, spa!, steam room, dampfbad, 桑拿, 温泉, 蒸汽房",
  gym: "gym, gyms, fitness*, workout, treadmill, fitnessstudio*, gimnasio*, 健身*, 跑步机, academia, palestra",
  beach:
    "beach, beaches, sea!, seaside, strand, strande, strandnah*, meer, playa*, mar!, 海滩, 沙滩, 海边, praia*, plage, spiaggia",
  balcony:
    "balcon*, terrace*, patio*, rooftop, roof terrace, balkon*, terrasse*, dachterrasse*, terraza*, azotea*, 阳台*, 露台, 天台, 屋顶, varanda, terrazza",
  garden: "garden*, yard, backyard, garten*, hof, jardin*, 花园, 院子, jardim, giardino",
  bbq: "bbq, barbecue*, barbeque*, grill, grills, grilling, grillen, barbacoa*, parrilla*, asado, 烧烤*, 烤肉, churrasco, churrasqueira",
  fireplace:
    "fireplace*, firewood, wood stove, kamin*, kaminofen, brennholz, chimenea*, lena, 壁炉, 柴火, lareira, cheminee",
  tv: "tv, tvs, television*, telly, channels, fernseher*, fernsehen, television*, tele, canales, 电视*, 频道, tele, televisao, televisione",
  elevator: "elevator*, lift, lifts, aufzug*, fahrstuhl*, ascensor*, elevador, 电梯*, ascenseur, ascensore",
  stairs:
    "stairs, staircase, steps, floor, floors, storey, treppe*, stufen, stockwerk*, etage, stock!, escalera*, escalones, que piso, planta!, 楼梯, 几楼, 几层, 楼层, 爬楼, escadas, escaliers, scale",
  wheelchair:
    "wheelchair*, accessible, accessibility, disabled, step free, mobility, rollstuhl*, barrierefrei*, behindert*, gehbehindert*, silla de ruedas, accesible, accesibilidad, movilidad reducida, minusvalid*, discapacidad, 轮椅, 无障碍, 残疾, 行动不便",
  cleaning:
    "cleaning*, cleaner*, cleaned, housekeeping, maid, clean the apartment, tidy, putz*, saubermachen, geputzt, endreinigung*, limpieza*, limpiar*, 打扫*, 清洁*, 保洁, 清扫, limpeza, nettoyage, menage, pulizia, pulizie, schoonmaak*, reinigen, gereinigt, zwischenreinigung*, reinigungskraft*, reinigungsgebuhr*",
  vacuum:
    "vacuum*, hoover, broom, mop, staubsauger*, besen, aspirador*, escoba, fregona, 吸尘器, 扫把, 拖把, vacuum cleaner*, saugen, staubsaugen",
  toiletries:
    "shampoo*, soap*, shower gel, toiletries, conditioner, body wash, duschgel, seife, champu, jabon*, gel de ducha, gel de bano, articulos de aseo, 洗发*, 沐浴*, 肥皂, 香皂, 洗漱*, sabonete, shampoing, savon, sapone",
  toiletpaper:
    "toilet paper, toilet roll, toilettenpapier, klopapier, papel higienico, 卫生纸, 厕纸, 手纸, 纸巾, papier toilette",
  toilet:
    "toilet clogged, toilet, flush, wc, klo, toilette, spulung, inodoro, vater, cisterna, 马桶, 厕所堵, toilettes",
  bathtub: "bathtub*, bath tub, tub, badewanne*, banera*, 浴缸, banheira, baignoire, vasca",
  bikes:
    "bike, bikes, bicycle*, cycling, cycle, fahrrad*, fahrrader, rad!, rader, radfahren, bicicleta*, bici, bicis, 自行车*, 单车, 骑车, 骑行, velo*, bicicletta, fiets*, 自転車",
  carrental:
    "rent a car, rental car*, hire a car, car rental, car hire, mietwagen, leihwagen, auto mieten, autovermietung, autoverleih, alquilar un coche, alquilar coche, coche de alquiler, alquiler de coches, alquiler de coche, rentar un auto, 租车, 租汽车, 租一辆车, 租辆车, alugar carro, alugar um carro, louer une voiture, rent a car somewhere, hire a car somewhere, rent cars, hire cars, rent a scooter, car sharing, carsharing, mietauto*, auto leihen, auto ausleihen, 租辆汽车, 租车子",
  deposit: "deposit, security deposit, kaution, anzahlung, fianza, deposito, 押金, 定金, caucao, caution, cauzione",
  payment: "payment*, zahlung*, bezahlung, zahlungsart*, 付款, 支付*, pagamento, paiement",
  invoice:
    "invoice*, receipt*, bill!, rechnung*, quittung*, beleg, factura*, recibo*, 发票, 收据, fatura, facture, fattura",
  refund:
    "refund*, money back, ruckerstatt*, erstatt*, geld zuruck, reembols*, devolucion, devolver el dinero, devuelv*, 退款, 退钱, 退还, remboursement, rimborso",
  cancel: "cancel*, stornier*, stornierung*, storno, absagen, cancelar, cancelacion*, anular, 取消*, 退订, annul*",
  discount:
    "discount*, cheaper, special price, special offer, coupon, rabatt*, nachlass, ermassig*, gunstiger, billiger, descuento*, rebaja, oferta, 折扣, 优惠*, 打折, 便宜, desconto, remise, sconto",
  tax: "tourist tax, tourism tax, tasa turistica, impuesto turistico, impuesto de turismo, city tax, tax, taxes, kurtaxe, steuer*, citytax, bettensteuer, impuesto*, 城市税, 旅游税, 税, taxa turistica, taxe de sejour, tassa di soggiorno, tasa, tasas, la tasa, impuesto para turistas",
  passport:
    "passport*, id card, identity, identification, registration form, ausweis*, reisepass*, personalausweis, meldeschein, anmeldung, pasaporte*, dni, documento de identidad, documentacion, documento*, 护照, 身份证, 证件, 身份登记, passaporte, passeport, passaporto",
  camera: "camera*, cctv, surveillance, kamera*, uberwach*, camara*, videovigilancia, vigilancia, 摄像头, 监控, 摄像",
  safe: "safe!, safe box, safe deposit, valuables, tresor*, safe, wertsachen, caja fuerte, objetos de valor, 保险箱, 保险柜, 贵重物品, cofre, coffre fort, cassaforte",
  sights:
    "sights, sightseeing, attraction*, museum*, things to do, places to visit, excursion*, what to see, sehenswurdig*, unternehmen, ausflug*, besichtig*, que ver, que hacer, que visitar, turistic*, museo*, excursion*, lugares, 景点*, 博物馆*, 好玩*, 游览, 旅游, 观光, 去哪玩, 哪里玩, 可以玩, atracoes, que faire, cosa vedere",
  ski: "ski, skis, skiing, skifahren, skipass*, skikeller, skiraum, piste*, esqui*, esquiar, 滑雪*",
  boat: "boat*, ferry, boot!, barco*, lancha*, 船, 渡轮, 游艇",
  hiking:
    "hike, hikes, hiking, trail*, wandern, wanderweg*, wanderung*, senderis*, sendero*, ruta, rutas, 徒步*, 爬山, 登山",
  playground: "playground*, spielplatz*, parque infantil, columpios, 游乐场, 游乐园",
  games:
    "board games, toys, spiele, brettspiele, spielzeug, juegos, juegos de mesa, juguete*, 桌游, 玩具, card games, gesellschaftsspiele",
  atm: "atm, atms, cash machine, bank, geldautomat*, bankautomat, geld abheben, cajero*, sacar dinero, 取款机, 银行, 取钱, caixa eletronico, multibanco, distributeur, banco!",
  post: "parcel*, package*, mail, post office, letter, mailbox, paket*, post!, postamt, briefkasten, paquete*, correo*, correos, buzon, 包裹, 快递, 邮局, 信箱, 邮寄, encomenda, colis",
  desk: "desk, desks, workspace*, work remotely, home office, office, schreibtisch*, arbeitsplatz*, homeoffice, escritorio*, teletrabaj*, trabajar, lugar para trabajar, espacio de trabajo, 办公桌, 书桌, 办公, escrivaninha, bureau",
  printer: "printer*, print, drucker*, drucken, ausdrucken, impresora*, imprimir, 打印*",
  phone:
    "sim card*, sim!, phone number, telephone number, telefonnummer, simkarte*, numero de telefono, tarjeta sim, 手机卡, 电话卡, 电话号码, 流量卡, 上网卡, 手机上网卡, prepaid card, data card, esim*, prepaid karte*, tarjeta prepago",
  contact:
    "contact, reach you, reach us, call you, get hold, who do i call, who can we call, who to call, phone number, kontakt*, erreich*, telefonnummer, anrufen, rufe ich, contact*, contacto, llamar, localizar, a quien llamo, numero de telefono, 联系*, 电话, 找谁, 打电话, contato, contacter, contatto, telefonisch, phone you, ring you, whatsapp, 微信联系",
  insects:
    "mosquito*, insect*, bugs, ants, cockroach*, insekten*, mucken*, ameisen, bicho*, insecto*, hormiga*, cucaracha*, 蚊子, 虫子, 蚊香, 驱蚊*, 蟑螂, 蚂蚁",
  blinds:
    "blinds, shutter*, curtain*, rollladen*, rolladen*, jalousie*, vorhang*, verdunk*, persiana*, cortina*, 窗帘, 百叶窗, 遮光",
  light:
    "lights, light switch, lamp*, light bulb*, lampe*, licht*, lichtschalter, gluhbirne*, luces, lampara*, bombilla*, 灯*, 灯泡, 开关",
  bedrooms:
    "how many bedrooms, how many rooms, wie viele zimmer, wie viele schlafzimmer, cuantas habitaciones, cuantos dormitorios, 几间, 几个房间, 几室, 几间卧室",
  view: "view, views, aussicht, blick, meerblick, vistas, vista al, 景观, 风景, 海景, 江景",
  center:
    "city centre, city center, downtown, old town, centre, center, innenstadt, zentrum, altstadt, stadtzentrum, centro, casco antiguo, casco historico, 市中心, 老城, 市区, centre ville",
  fuel: "gas station*, petrol*, fuel, tankstelle*, tanken, gasolinera*, gasolina, 加油站, 加油",
  massage: "massage*, masaje*, 按摩",
  babysitter: "babysit*, nanny, babysitter, kinderbetreuung, nineras, ninera, canguro, 保姆, 看孩子, 临时看护",
  church: "church*, mosque*, temple*, kirche*, moschee*, iglesia*, mezquita*, 教堂, 清真寺, 寺庙",
  weather: "weather*, rain*, wetter*, regen*, tiempo hace, que tiempo, clima, llueve, lluvia, 天气, 下雨",
  nightlife: "nightlife, club, clubs, nachtleben, discoteca*, vida nocturna, 夜店, 夜生活",
  gas: "gas!, gas bottle, gasflasche*, bombona*, butano, 煤气*, 燃气, 天然气, smell of gas, gasgeruch, huele a gas, olor a gas, 煤气味",
  flowers:
    "flowers, cake, champagne, decorat*, surprise, blumen*, kuchen, uberraschung*, flores, tarta, sorpresa, decorar*, 鲜花, 蛋糕, 惊喜, 布置",
  lockers:
    "luggage lockers, locker*, schliessfach*, gepackaufbewahrung, taquilla*, 储物柜, 寄存柜, luggage storage, 寄存, consigna, consignas, left luggage",
  review: "review, reviews, rating, bewertung*, bewerten, resena*, valoracion*, 评价, 好评",
  window: "window*, fenster*, ventana*, luften, 窗户, 窗子, 通风, 开窗, janela*, fenetre*, finestra",
  wardrobe: "wardrobe*, closet*, kleiderschrank*, kleiderbugel*, armario*, perchas, 衣柜, 衣架, hangers, hanger",
  doorbell:
    "intercom, doorbell*, buzzer, ring the bell, klingel*, gegensprech*, timbre*, portero automatico, interfono, telefonillo, 门铃, 对讲*",
  school: "school*, universit*, schule*, escuela*, 学校, 大学",
  charger:
    "phone charger, charging cable, usb, ladekabel*, ladegerat*, handy laden, cable de carga, cargador de movil, 充电线, 手机充电, 充电宝",
  dentist:
    "dentist*, tooth, toothache, teeth, filling, zahnarzt*, zahn, zahne, zahnschmerz*, fullung, zahnklinik*, dentista*, muela, muelas, diente*, empaste, dolor de muelas, 牙医, 牙科, 牙疼, 牙齿, 补牙, dentiste",
  vet: "vet, vets, veterinar*, tierarzt*, tierklinik*, veterinari*, 兽医, 宠物医院, veterinaire",
  optician:
    "optician*, glasses repaired, contact lens*, optiker*, kontaktlinsen, brille, optica, gafas, lentillas, 眼镜, 隐形眼镜",
  stroller:
    "stroller*, pushchair*, pram, prams, buggy, baby carriage, kinderwagen*, buggys, cochecito*, carrito*, silla de paseo, sillita de paseo, 婴儿车, 推车, 手推车, poussette, passeggino, carrinho",
  carseat:
    "car seat*, child seat*, booster seat*, kindersitz*, babyschale, autositz, silla de coche, asiento infantil, sillita de coche, 安全座椅, 儿童座椅, siege auto",
  babythings:
    "changing table*, changing mat*, diaper*, nappy, nappies, baby bath*, baby monitor*, steriliser*, sterilizer*, bottle warmer*, baby food, windel*, wickel*, babyphon*, babywanne*, babybrei, flaschchen*, panal*, cambiador*, banera de bebe, biberon*, potito*, 尿布*, 纸尿裤, 奶瓶*, 澡盆, 消毒锅, 辅食",
  babygate: "baby gate*, stair gate*, safety gate*, treppengitter*, childproof*, barrera de seguridad, 防护栏, 围栏",
  smokealarm:
    "smoke detector*, smoke alarm*, fire alarm*, beeping alarm, rauchmelder*, rauchwarnmelder*, detector de humo*, detectores de humo, alarma de incendio*, alarma de humo*, 烟雾报警*, 烟感*, 烟雾*, 报警器",
  fan: "fan, fans, ventilator*, deckenventilator*, standventilator*, ventilador*, abanico*, 风扇, 电扇, 电风扇, 吊扇, ventilateur*, ventilatore",
  scooter:
    "scooter*, motorbike*, motorcycle*, vespa, moped, motorrad*, roller!, e scooter, tretroller, moto, motos, motocicleta*, patinete*, 摩托车, 电瓶车, 滑板车",
  jacuzzi: "hot tub*, jacuzzi*, whirlpool*, banera de hidromasaje, hidromasaje, 按摩浴缸",
  streaming:
    "netflix, streaming, prime video, disney, youtube, hbo, serien, 网飞, 奈飞, 追剧, apple tv, chromecast, tv series, my series",
  console:
    "playstation, xbox, nintendo, console*, konsole*, spielkonsole*, consola*, videojuego*, game console*, games console*, 游戏机, 主机, videoconsola*",
  speaker:
    "speaker*, bluetooth, hifi, stereo, lautsprecher*, musikanlage, altavoz*, altavoces, 音箱, 音响, 蓝牙, radio",
  projector: "projector*, beamer, proyector*, 投影*",
  hdmi: "hdmi, monitor*, external screen, bildschirm*, pantalla*, 显示器, 外接",
  bakery: "bakery, bakeries, bread, croissant*, backer*, brotchen, panaderia*, pan fresco, 面包店, 面包, boulangerie",
  mall: "mall, shopping centre, shopping center, outlet, einkaufszentrum, kaufhaus, centro comercial, grandes almacenes, 商场, 购物中心, 百货",
  market:
    "market, farmers market, flea market, wochenmarkt*, markthalle, flohmarkt, mercado*, mercadillo, 菜市场, 市集, 集市",
  souvenir: "souvenir*, gift shop, mitbringsel, recuerdos, 纪念品, 特产",
  bar: "bar, bares, pub, pubs, beer, cocktail*, wine bar, bierkneipe, copas, cerveza*, 酒吧, 喝酒",
  vegan:
    "vegan*, vegetarian*, veggie, eat meat, without meat, vegetarisch*, fleischlos, ohne fleisch, kein fleisch, sin carne, no come carne, no comemos carne, 素食*, 吃素, 不吃肉, no come carne",
  glutenfree: "celiac*, coeliac*, zoliakie, gluten*, glutenfrei*, gluten free, sin gluten, 无麸质",
  halal: "halal, kosher, koscher, 清真",
  moneyexchange:
    "money exchange, exchange money, change money, exchange office*, currency, wechselstube*, geld wechseln, geld tauschen, cambiar dinero, cambio de moneda, casa de cambio, divisas, 换钱, 兑换, 换成, 外币, 汇率, 人民币",
  card: "credit card*, debit card*, card, cards, pay by card, kreditkarte*, ec karte, mit karte, tarjeta*, 信用卡, 刷卡, 银联, cartao, carte bancaire",
  cash: "cash, in cash, bargeld, bar zahlen, bar bezahlen, bar bezahlt, efectivo, 现金, 付现",
  transfer: "paypal, bank transfer, wire transfer, uberweis*, transferencia, bizum, venmo, apple pay, google pay",
  wechatpay: "微信支付, 支付宝, 微信, alipay, wechat*",
  instalments: "instalment*, installment*, raten, ratenzahlung, a plazos, plazos, 分期, 分两次, half now",
  hairdresser: "hairdresser*, barber*, haircut, friseur*, frisor*, peluquer*, barberia, 理发*, 美发",
  books: "library, reading books, bucher, bibliothek*, libros, biblioteca*, 图书馆, 书店, 书籍",
  blender:
    "blender*, mixer*, food processor, hand blender, purierstab*, stabmixer*, standmixer, batidora*, licuadora*, 搅拌机, 料理机, 榨汁机",
  toaster: "toaster*, toast, tostador*, tostadora*, 吐司机, 烤面包机, 多士炉",
  ricecooker: "rice cooker*, reiskocher*, arrocera*, 电饭煲, 电饭锅, 饭锅",
  airfryer: "air fryer*, heissluftfritteuse*, fritteuse*, freidora*, 空气炸锅",
  corkscrew:
    "corkscrew*, bottle opener*, can opener*, tin opener*, korkenzieher*, flaschenoffner*, dosenoffner*, sacacorchos, abridor*, abrelatas, 开瓶器, 开罐器, 起子",
  baking: "baking tray*, baking, cake tin, waffle*, backblech*, backform*, molde*, bandeja de horno, 烤盘, 模具",
  scales: "scales, kitchen scale*, luggage scale*, waage*, bascula*, balanza*, 秤",
  sponge:
    "dish soap, washing up liquid, sponge*, dishcloth*, spulmittel, schwamm, lavavajillas liquido, estropajo*, jabon de platos, 洗洁精, 海绵, 抹布, dishwasher tabs",
  waterfilter: "water filter*, brita, wasserfilter*, filtro de agua, jarra filtrante, 净水*, 滤水*",
  sewing: "sewing kit*, needle, nahzeug, nahset, costurero, aguja, 针线*",
  tools: "screwdriver*, hammer, toolbox, werkzeug*, schraubenzieher*, destornillador*, herramienta*, 工具*, 螺丝刀",
  scissors: "scissors, schere, tijeras, 剪刀",
  umbrella: "umbrella*, regenschirm*, schirm, paraguas, 雨伞, 伞, parapluie",
  parasol:
    "parasol*, beach chair*, sun lounger*, deckchair*, sonnenschirm*, liegestuhl*, strandliege*, sombrilla*, tumbona*, silla de playa, sillas de playa, 遮阳伞, 沙滩椅, 躺椅",
  watersports:
    "surf*, paddle*, sup board*, snorkel*, diving, dive, wetsuit*, tauchen, schnorchel*, stehpaddel*, tabla de surf, tablas de surf, bucear, buceo, 冲浪*, 潜水*, 浮潜, 桨板",
  kayak: "kayak*, canoe*, kajak*, kanu*, piragua*, 皮划艇, 独木舟",
  golf: "golf*, 高尔夫",
  tennis: "tennis*, padel, table tennis, tischtennis*, ping pong, tenis*, 网球, 乒乓*",
  yoga: "yoga*, 瑜伽*",
  horse: "horse riding, reiten, reiterhof, montar a caballo, equitacion, 骑马",
  tour: "tour, tours, guided tour*, tour guide*, stadtfuhrung*, fuhrung*, reisefuhrer, visita guiada, visitas guiadas, guia turistico, 导游, 跟团",
  tickets:
    "ticket for*, tickets, entry ticket*, eintrittskarte*, karten fur, entradas para, entradas de, entradas del, 门票, 买票, 演出票",
  concert:
    "concert*, theatre*, theater*, cinema*, kino*, konzert*, cine, teatro*, concierto*, 音乐会, 电影院, 剧院, 演出",
  zoo: "zoo, aquarium, theme park, tierpark, freizeitpark, zoologico, acuario, parque de atracciones, 动物园, 水族馆, 主题公园, 迪士尼",
  park: "public park, city park, parque, parques, stadtpark, 公园",
  works: "construction work*, building work*, roadworks, bauarbeiten, baustelle*, obras, 施工, 装修",
  drycleaner:
    "dry cleaner*, dry cleaning, dry clean, dry cleaned, chemische reinigung*, textilreinigung*, tintoreria*, 干洗*",
  laundromat:
    "laundromat*, launderette*, waschsalon*, lavanderia*, autoservicio, 洗衣店, laundrette*, laundry service, waschservice, servicio de lavanderia",
  detergent:
    "detergent*, washing powder, laundry soap, waschmittel*, waschpulver, weichspuler*, detergente*, suavizante*, 洗衣液, 洗衣粉, 洗衣凝珠, 柔顺剂",
  cleaningproducts:
    "cleaning product*, cleaning supplies, putzmittel*, reinigungsmittel*, productos de limpieza, 清洁用品, 清洁剂, 消毒液",
  mattress: "mattress*, matratze*, colchon*, topper, 床垫",
  extrabed:
    "extra bed*, fold up bed, folding bed*, rollaway*, air mattress*, zustellbett*, beistellbett*, klappbett*, gastebett*, luftmatratze*, supletoria, cama supletoria, cama plegable, colchon inflable, 加床, 折叠床, 充气床",
  slippers: "slipper*, hausschuhe, pantoffeln, zapatillas, 拖鞋",
  toothbrush:
    "toothbrush*, toothpaste, zahnburste*, zahnpasta, cepillo de dientes, cepillos de dientes, pasta de dientes, 牙刷, 牙膏",
  bathrobe: "bathrobe*, robe, robes, bademantel*, albornoz*, 浴袍",
  razor: "razor*, shaver*, rasierer*, maquinilla*, cuchilla*, 剃须刀, 刮胡刀",
  sunscreen: "sunscreen, sun cream, sonnencreme, crema solar, protector solar, 防晒",
  purifier:
    "air purifier*, humidifier*, dehumidifier*, luftreiniger*, luftbefeuchter*, luftentfeuchter*, purificador*, humidificador*, deshumidificador*, 空气净化*, 加湿器, 除湿*",
  mosquitonet: "mosquito net*, moskitonetz*, fliegengitter, mosquitera*, 蚊帐, 纱窗",
  hotwaterbottle: "hot water bottle*, warmflasche*, bolsa de agua caliente, 热水袋",
  electricblanket: "electric blanket*, heizdecke*, manta electrica, 电热毯",
  entering:
    "get in, get into, getting in, let ourselves in, let myself in, enter the building, ins haus kommen, ins gebaude, hineinkommen, reinkommen, entrar al edificio, como entro, como entramos, 怎么进, 进楼, 进门, 进大门",
  lockedout:
    "locked out, locked myself out, lock ourselves out, ausgesperrt, aussperren, schlussel vergessen, me he quedado fuera, nos quedamos fuera, sin llaves dentro, 被锁在, 锁在外面, 忘带钥匙",
  sparekey:
    "spare key*, second key*, extra key*, another key*, second set of keys, two sets of keys, extra set of keys, another set of keys, additional key*, ersatzschlussel*, zweitschlussel*, zweiten schlussel, zweiter schlussel, zweiten satz schlussel, copia de las llaves, copia de la llave, segundo juego, otro juego de llaves, dos juegos de llaves, llaves de repuesto, llave extra, 备用钥匙, 两套钥匙, 两把钥匙, 多一把钥匙, 第二把钥匙, 另一把钥匙, 再给一把",
  wifispeed:
    "fast enough, mbit*, mbps, megabit*, speed, bandwidth, schnell genug, geschwindigkeit, bandbreite, velocidad, megas, rapida para, 网速, 速度, 够快, video call*, zoom, videokonferenz*, videocall*, videollamada*, 视频会议, 开会",
  beachtowels:
    "beach towel*, strandtuch*, strandhandtuch*, strandtucher*, badetucher, badetuch*, pool towel*, toalla de playa, toallas de playa, 沙滩巾, 沙滩毛巾",
  otherflat:
    "other apartment*, another apartment, other flat*, another flat, other listing*, andere wohnung, weitere wohnung, andere ferienwohnung, otro piso, otro apartamento, otro alojamiento, otros pisos, 别的房源, 另一套, 其他房源, 另外一套",
  insurance: "insurance, versicherung*, seguro*, 保险",
  contract: "contract*, rental agreement, mietvertrag*, vertrag, contrato*, 合同",
  registration: "register, registrarse en, padron, anmelden bei, wohnsitz, empadron*, 暂住登记, 登记",
  licence: "licence number, license number, registrierungsnummer, licencia, 许可证",
  tablebooking:
    "reserve a table, reservation for dinner, tisch reservieren, reservar mesa, reservar una mesa, 订位, 订座, 预订餐厅",
  water: "bottled water, mineral water, mineralwasser, agua mineral, agua embotellada, 矿泉水, 瓶装水",
  waterpressure: "water pressure, wasserdruck, presion del agua, 水压",
  drain: "drain, sink, abfluss, waschbecken, spulbecken, desague, fregadero, lavabo, 下水道, 水槽, 洗手池",
  leak: "leak, leaks, leaking, water leak, wasserschaden, rohrbruch, fuga, fuga de agua, goteo, gotea, 漏水",
  smell: "smell, smells, stinkt, riecht, geruch, huele, olor*, 异味, 臭",
  storage: "storage room, storeroom, cellar, basement, abstellraum, trastero, sotano, 储藏室, 地下室",
  bikestorage:
    "bike storage, store our bikes, fahrradkeller, fahrradraum, guardar las bicis, guardar bicicletas, 停自行车",
  welcome: "welcome pack*, welcome basket*, begrussungs*, willkommens*, bienvenida, 欢迎礼",
  snow: "snow*, schnee*, schneeketten, nieve, cadenas, 雪",
  toll: "toll, tolls, vignette, maut, peaje*, low emission*, umweltzone, umweltplakette, zona de bajas emisiones, 过路费, 高速费, 环保",
  police: "police station, polizeiwache, polizeirevier, comisaria, 派出所, 警察局",
  consulate: "embassy, consulate, botschaft, konsulat, embajada, consulado, 大使馆, 领事馆",
  extend:
    "extend, extra night, another night, stay longer, one more night, longer stay, additional night, verlangern, verlangerung, langer bleiben, eine nacht mehr, weitere nacht, extender, prolongar, una noche mas, mas noches, quedarnos mas, alargar, 续住, 多住一晚, 延长, 加一晚, 再住, prolonger, stay on, stay a bit longer, stay a little longer, stay longer than, aufenthalt verlangern, um zwei nachte, noch bleiben, quedarnos un rato mas, quedarnos mas tiempo, quedarnos un poco mas, alargar la estancia, ampliar, 多待, 多住几晚, 多住两晚, 续租, 再多住",
  change:
    "change the dates, change our dates, change my dates, change dates, change my booking, change the booking, reschedule, modify, umbuch*, verschieben, buchung andern, cambiar la reserva, cambiar las fechas, cambiar fecha*, modificar, 改期, 改日期, 更改, 改订",
  lost: "forgot, left behind, left something, lost and found, verloren, vergessen, liegen gelassen, fundsache*, olvid*, perdi, perdido*, dejado olvidado, objetos perdidos, 落下, 忘记, 遗失, 落在, esqueci, perdu, oublie, lost, lose, losing, verlieren, verliere, verlust, extravi*, perdemos, perder, perdida, perdimos, dejado, me deje, dejamos olvidado, 弄丢, 丢了, 丢失, 忘在, 遗落",
  damage:
    "break something, broke something, broke a, something breaks, damage*, beschadig*, kaputt gemacht, kaputt gegangen, zerbrochen, schaden, romp*, roto algo, dano*, rotura, desperfecto*, 打碎, 损坏, 弄坏, 打破, 赔偿, estrag*, quebr*",
  capacity:
    "how many people, how many guests, how many persons, maximum guests, max guests, occupancy, sleep how many, wie viele personen, wie viele gaste, wie viele leute, maximal* personen, cuantas personas, cuantos huespedes, capacidad*, aforo, 几个人, 多少人, 住几人, 最多住, 人数",
  doorcode:
    "keypad, smart lock, door code*, entry code, access code, code for the door, code to the door, front door code, code to get in, code to get into, turcode*, zugangscode*, tuercode, code fur die tur, code fur die haustur, codigo de la puerta, codigo del portal, codigo de acceso, codigo de entrada, 密码锁, 门密码, 房门密码, 大门密码, 门禁",
  metro:
    "get there, public transport*, public transit, transit, offentlich* verkehrsmittel, offentliche verkehrsmittel, offentlichen verkehrsmitteln, offis, offentlichen, nahverkehr*, transporte publico, fahrkart*, billete*, 公共交通, 坐车, 乘车, transporte, hinkommen, como llegar, como llego, como llegamos, 怎么去, 怎么走, 怎么到, 怎么过去, 如何到达, get to the apartment, get to the flat, get to the house, get to your place, get to you, reach the flat, reach the apartment, metro*, subway, underground, tube, ubahn, u bahn, 地铁*, 轻轨, station, bus stop*, tram stop*, next stop, nearest stop, closest stop, get off at, haltestelle*, *haltestelle, parada, estacion, 车站",
  bus: "get there, public transport*, public transit, transit, offentlich* verkehrsmittel, offentliche verkehrsmittel, offentlichen verkehrsmitteln, offis, offentlichen, nahverkehr*, transporte publico, fahrkart*, billete*, 公共交通, 坐车, 乘车, transporte, hinkommen, como llegar, como llego, como llegamos, 怎么去, 怎么走, 怎么到, 怎么过去, 如何到达, get to the apartment, get to the flat, get to the house, get to your place, get to you, reach the flat, reach the apartment, bus, buses, nightbus, autobus*, 公交*, 巴士, 公车, autocarro, onibus, バス, bus stop*, tram stop*, next stop, nearest stop, closest stop, get off at, haltestelle*, *haltestelle, parada, 车站",
  train:
    "get there, public transport*, public transit, transit, offentlich* verkehrsmittel, offentliche verkehrsmittel, offentlichen verkehrsmitteln, offis, offentlichen, nahverkehr*, transporte publico, fahrkart*, billete*, 公共交通, 坐车, 乘车, transporte, hinkommen, como llegar, como llego, como llegamos, 怎么去, 怎么走, 怎么到, 怎么过去, 如何到达, get to the apartment, get to the flat, get to the house, get to your place, get to you, reach the flat, reach the apartment, train, trains, sbahn, s bahn, bahn, zug, bahnhof*, *bahnhof, tren, trenes, estacion de tren, 火车*, 高铁, comboio, trem, gare, treno, trein, 電車, station, estacion, stazione, 駅, 车站",
  tram: "get there, public transport*, public transit, transit, offentlich* verkehrsmittel, offentliche verkehrsmittel, offentlichen verkehrsmitteln, offis, offentlichen, nahverkehr*, transporte publico, fahrkart*, billete*, 公共交通, 坐车, 乘车, transporte, hinkommen, como llegar, como llego, como llegamos, 怎么去, 怎么走, 怎么到, 怎么过去, 如何到达, get to the apartment, get to the flat, get to the house, get to your place, get to you, reach the flat, reach the apartment, tram*, strassenbahn*, tranvia*, 电车, haltestelle*, *haltestelle, parada, 车站",
  transit:
    "get there, public transport*, public transit, transit, offentlich* verkehrsmittel, offentliche verkehrsmittel, offentlichen verkehrsmitteln, offis, offentlichen, nahverkehr*, transporte publico, fahrkart*, billete*, 公共交通, 坐车, 乘车, transporte, hinkommen, como llegar, como llego, como llegamos, 怎么去, 怎么走, 怎么到, 怎么过去, 如何到达, get to the apartment, get to the flat, get to the house, get to your place, get to you, reach the flat, reach the apartment",
  extraguest:
    "extra guest*, additional guest*, extra person, extra people, another person, one more person, friend stay, sister stay, brother stay, zusatzliche gast*, zusatzliche person*, weitere gaste, weitere person*, mehr personen, ubernachten lassen, noch jemand, huesped adicional, persona adicional, personas adicionales, personas mas, una persona mas, otra persona, 加人, 多一个人, 多一位, 多住, 额外客人, 来住, 过夜, stay over, stay overnight, sleep over, extra guests, ubernachten, ubernachtet, quedarse a dormir, dormir con nosotros, 跟我们住, 一起住, 住一晚"
}
