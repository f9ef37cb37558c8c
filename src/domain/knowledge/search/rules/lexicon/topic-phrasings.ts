// Further phrases for TOPICS, in the same notation.

export const TOPIC_PHRASINGS: Readonly<Record<string, string>> = {
  wifi: "go online, get online, getting online, browse, surf the web, web access, online access, no signal, ins netz, online gehen, online kommen, verbindung bricht ab, conectarse, conectarnos a, la red, sin red, no hay red, sin senal, 上不了网, 连不上网, 网不好, 断网, 没网, 没信号, 信号不好, 热点",
  wifispeed:
    "zoom call*, video meeting*, video conference*, teams call*, online meeting*, streaming speed, slow connection, internet so slow, videomeeting*, stabil genug, schnelles internet, langsames internet, homeoffice tauglich, reuniones online, reuniones por video, va lento, va muy lento, 网慢, 网速慢, 开视频会",
  checkin:
    "lleg*, arriv*, show up, get to the place, be there by, come to the flat, eintreffen, eintreff*, dasein, aufschlagen, zimmer beziehen, wohnung beziehen, aparecer, presentarnos, 才能到, 才到, 几点到, 到店, 到你们那, 到房子, 到民宿, 晚上到, 中午到, 下午到, 住进去, 入住时间",
  checkout:
    "be gone by, have to be gone, clear out, clear the flat, day of departure, final morning, last morning, leaving time, hand back, wieder raus, raus sein, rausmussen, abgereist, letzten morgen, tenemos que salir, hay que salir, hay que irse, nos vamos, nos marchamos, irse, ultima manana, 走那天, 离开那天, 退租, 最晚退, 临走, 走人",
  luggage:
    "luggages, rucksack*, trolley*, trolleys, duffel*, bulto*, equipajes, trastos, maletones, 背包, 大箱, 箱包, 大包小包, 拉杆箱, 存包, 寄放, 存放行李",
  key: "lock box code, key safe code, wohnungsschlussel*, hausschlussel*, schlusselbox*, schlusselkasten*, schlusseltresor*, tursch*, caja de llaves, caja de seguridad de las llaves, 拿钥匙, 取钥匙, 钥匙盒",
  entering:
    "let us in, lets us in, let me in, meet us, hand over the keys, access the apartment, access the flat, access the building, get inside, reinlassen, reingelassen, hereinkommen, in die wohnung kommen, kommen wir rein, kommen wir in, rein kommen, acceder, accedo, accedemos, acceso, como se entra, abrirnos, nos abre, nos recibe, 进得去, 进得了, 怎么进去, 怎么进屋, 进不去, 能进去, 接待我们",
  lockedout:
    "shut out, door slammed, door fell shut, slammed shut, key inside, keys inside, keys are inside, key is inside, left the key inside, left the keys inside, left my key in, left our keys in, zugefallen, zugeschlagen, zugezogen, schlussel drin, schlussel drinnen, schlussel steckt innen, schlussel liegt drinnen, schlussel in der wohnung, nicht mehr rein, komme nicht rein, kommen nicht rein, llaves dentro, llave dentro, llave por dentro, se ha cerrado la puerta, se me ha cerrado, se nos ha cerrado, se cerro la puerta, no puedo entrar, no podemos entrar, 钥匙在里面, 钥匙落在, 钥匙忘在, 门关上了, 门自动锁, 关在外面, 关在门外, 锁门外, 锁在门外, 没带钥匙",
  sparekey:
    "one more key, more keys, several keys, key each, key for each, noch einen schlussel, mehrere schlussel, schlussel mehr, noch ein schlussel, zusatzlichen schlussel, zusatzlicher schlussel, mas llaves, varias llaves, una llave mas, otra llave, otras llaves, 再要一把钥匙, 多一把, 几把钥匙",
  directions:
    "find it, your street, how to find, which street, den weg, finden wir euch, finden wir sie, finden wir das haus, wo genau, en que calle, encontrar el piso, encontrar la casa, encontrar el apartamento, 找到房子, 找到你们, 找到公寓, 去你们那, 到你们家, 怎么找",
  parking:
    "space for our car, space for the car, spot for our car, spot for the car, room for our car, where to park, wohin mit dem auto, wo lassen wir das auto, auto lassen, auto hinstellen, wagen abstellen, parkier*, parkschein*, parkscheibe*, donde dejar el coche, sitio para el coche, plaza para el coche, plaza de garaje, zona azul, estacione*, aparque*, 放车, 车放哪, 车停哪, 停哪",
  trash:
    "throw away, throw out, get rid of, dispose of, bin bag*, empties, cardboard*, newspaper*, old paper, tin cans, glass bottles, empty wine, food scraps, compost*, sorting the, wegwerfen, entsorg*, loswerden, karton*, pappe, zeitung*, weinflaschen, glasflaschen, bierflaschen, leergut, biomull*, kompost*, gelber sack, gelbe sacke, tirar la bolsa, tirar las botellas, tirar el vidrio, botellas, carton, cartones, periodicos, restos de comida, organico, bolsas de basura, separar, 分类, 厨余, 报纸, 纸箱, 玻璃瓶, 易拉罐, 塑料瓶, 垃圾袋, 丢垃圾, 倒垃圾",
  heating:
    "chilly, we are cold, we re cold, i m cold, im cold, so cold, it s cold, its cold, feels cold, stays cold, cold at night, cold room, cold flat, warmer in, keep warm, stay warm, get it warm, frieren, friere, wir frieren, wird nicht warm, nicht warm, kalt hier, kalt in der, kalt im, bleibt kalt, aufgedreht, aufdrehen, hochdrehen, pasamos frio, tenemos frio, hace frio, mucho frio, helados, congelados, calentar el piso, estufa*, radiadores, 不暖, 冻, 很冷, 屋里冷, 房间冷, 有点冷, 冷死, 不够热",
  aircon:
    "cool the room, cool it down, so hot, boiling, sweating, stuffy, unbearably hot, hot in here, too warm, wir schwitzen, schwitzen, kuhler machen, zu warm, kuhler, warm in der wohnung, hitze, mucho calor, hace calor, pasamos calor, refrescar, calor, sofocante, 凉快, 闷热, 热死, 很热, 屋里热",
  hotwater:
    "lukewarm, tepid, ice cold water, stone cold water, water cold, water is cold, water stays cold, cold shower, hot shower, warm shower, lauwarm, kalt duschen, warm duschen, kalte dusche, wasser kalt, wasser ist kalt, wasser bleibt kalt, wasser wird nicht warm, wasser nicht warm, ducha fria, ducha caliente, agua sale fria, agua tibia, agua helada, agua no sale caliente, 水凉, 水冷, 冷的水, 没有热的, 烧热水, 水温不",
  drinkingwater:
    "drink from the tap, water from the tap, drink water, fill our bottles, refill our bottles, hahnenwasser*, leitung trinken, hahn trinken, beber del grifo, del grifo, se bebe el agua, 喝水龙头, 生水, 直接饮用, 水能喝, 水能不能喝, 水可以喝",
  electricity:
    "lights went out, no electricity, lost power, power is gone, power gone, went dark, tripped, kein strom, strom weg, alles dunkel, licht ausgegangen, sin luz, nos hemos quedado sin luz, saltado, salto la luz, saltaron los plomos, plomos, 没电了, 突然黑, 断电, 灯都灭",
  laundry:
    "dirty clothes, clean clothes, wash some, wash a load, load of washing, washing facilities, laundry room, schmutzwasche, wasche machen, kleidung waschen, kleider waschen, klamotten waschen, sachen waschen, waschraum, waschen und trocknen, lavar y secar, lavar la ropa, lavar alguna, poner una lavadora, ropa sucia, lavar nuestras cosas, 洗点衣服, 洗几件, 脏衣服, 洗衣房, 洗一下衣服",
  bedding:
    "bettzeug, bettbezug*, bettbezuge, bezogen, comforter*, quilt*, bed clothes, ropa para la cama, cobija*, frazada*, 被褥, 枕套, 床铺",
  crib: "somewhere for the baby to sleep, where the baby can sleep, cot bed, baby cot*, cunita*, camita*, para dormir el bebe, babybettchen, bettchen, kinderreisebett*, 宝宝床, 宝宝睡",
  child:
    "month old, months old, our little one, baby girl, baby boy, newborn, monate alt, saugling*, meses de edad, peque, peques, 个月大, 个月的宝宝",
  pets: "pup, doggy, labrador*, terrier*, dackel, dachshund*, poodle*, vierbein*, hundchen, welpe*, kater, animal de compania, animales, cachorro*, peludo, 小猫, 毛孩子, 泰迪, 小型犬, 大型犬",
  smoking:
    "cigar, cigars, light up, rauchverbot, zum rauchen, qualmen, kippe*, pitillo*, puro, puros, vapear*, vapeador*, 烟蒂, 抽根烟, 抽支烟",
  party:
    "have a few drinks, junggesell*, bachelorette*, hen party, stag do, despedida de soltero, despedida de soltera, farra, juerga, 聚一聚, 办生日",
  quiet:
    "keep it down, be quiet, make noise, play music, neighbour*, neighbor*, leise, leiser, krach, radau, nachbarn, nachbar, hacer ruido, bajar la voz, vecino*, molestar a los vecinos, 小声, 声音, 邻居, 安静时间",
  visitors:
    "come over, drop by, drop in, come by, pop over, vorbeikommen, zu besuch, vorbeischauen, pasar a vernos, venir a vernos, vengan a cenar, 来玩, 来做客, 来坐坐",
  extraguest:
    "join us, joins us, joining us, join me, one more guest, more guests, more people than, bring someone, bring a friend, extra head, stossen zu uns, stosst zu uns, kommt dazu, kommt noch, noch eine person, eine person mehr, einer mehr, jemanden mitbringen, se une, se nos une, se sume, se suma, uno mas, una mas en, somos uno mas, alguien mas, un invitado mas, 多带一个, 多来一个, 加一个人, 再加一位, 再来一个人",
  restaurant:
    "eat, eating, food, meal, meals, eatery, eateries, hungry, bite to eat, dine, dining, dishes to try, pizza*, pizzeria*, sushi, fondue, seafood, steak*, burger*, local cuisine, local food, local dishes, essen, speisen, hunger, hungrig, fisch essen, kulinarisch*, comer, comida, comemos, cena, cenamos, almuerzo, hambre, comer algo, marisco*, paella*, pescado, platos tipicos, gastronomia, especialidad*, 吃, 好吃的, 吃什么, 吃东西, 饿, 海鲜, 火锅, 晚餐, 午餐, 晚饭, 午饭, 特色菜",
  supermarket:
    "buy something to eat, buy some food, buy milk, buy bread, buy water, buy some basics, stock up, einkaufsmog*, einkauf*, essen kaufen, milch kaufen, comprar leche, comprar algo de comer, comprar algo para cenar, comprar agua, comprar pan, viveres, 买到菜, 买吃的, 买牛奶, 买水, 买日用品, 买食物, 采购",
  asianfood:
    "asian shop*, asian store*, asian supermarket*, asian food*, chinese food shop*, soy sauce, asialaden, asiatisch*, sojasauce, sojasosse, salsa de soja, tienda asiatica, tienda china, supermercado asiatico, 酱油, 老抽, 生抽, 亚洲, 中国调料, 中超, 亚超, 豆腐, 方便面",
  sights:
    "day trip*, days out, day out, what to do, what can we do, what could we do, what we could do, what we can do, something to do, anything to do, ideas for, things to see, worth seeing, worth visiting, must see, see around, visit around, explore, landmark*, mountain*, summit*, peak*, lake, waterfall*, tagesausflug*, tagestour*, sehenswert, anschauen, ansehen, was kann man machen, was konnen wir machen, was kann man hier, berg, berge, gipfel*, wasserfall*, montana*, cumbre*, cima, lago, cascada*, planes para, plan para, que podemos ver, que podemos hacer, que se puede hacer, que se puede ver, visitar, conocer la zona, actividad*, 山顶, 爬哪, 景色, 一日游, 去哪里玩, 玩什么, 有什么好玩, 转转, 逛, 值得去, 值得看, 上山, 雪山, 湖",
  weather:
    "pouring, pour, wet day, rainy*, regnet, regnerisch*, lloviendo, llover, lluvioso*, dia de lluvia, 下大雨, 雨天",
  hiking:
    "walks in, walking route*, walking path*, spazier*, tour zu fuss, rundweg*, caminata*, paseo*, caminar, 散步, 步道, 远足",
  tv: "channel, remote for the tv, watch a film, watch a movie, film schauen, fernsehprogramm*, ver la tele, ver una pelicula, 看电视, 看电影",
  streaming: "streaming service*, streaming account, netflix account, disney plus, streamen, cuenta de netflix",
  football:
    "football, soccer, the match, bundesliga, premier league, champions league, fussball*, futbol, partido, 足球, 球赛, 看球",
  stove:
    "hotplate*, hot plate*, burner*, ring on the, cooking plate*, ceranfeld*, platte, platten, herdplatten, vitro, fuego de la cocina, los fuegos, placa de induccion, 灶, 电炉, 炉灶",
  ricecooker: "cook rice, reis kochen, cocer arroz, hacer arroz, 煮米饭, 煮米, 米饭",
  cookware: "saucepan*, frying pan*, kochtopf*, cacerola*, olla, cazuela*, 炒菜锅, 平底锅, 碗, 盘子, 筷子",
  bathtub: "take a bath, have a bath, baden, banarse, banarme en la banera, 泡澡",
  pharmacy:
    "painkiller*, aspirin*, ibuprofen*, paracetamol*, tablets for, schmerzmittel*, schmerztablette*, tabletten, kopfschmerztablette*, pastilla*, ibuprofeno, 止痛药, 感冒药, 退烧药",
  doctor:
    "unwell, feeling sick, see a doctor, not feeling well, temperature of 39, high fever, ear ache, earache, stomach ache, ohrenschmerzen, bauchschmerzen, geht es schlecht, verletzt, se encuentra mal, me encuentro mal, dolor de, vomit*, 不舒服, 肚子疼, 头疼, 受伤, 看急诊",
  invoice:
    "for my company, for my employer, for the tax office, expense report*, expenses claim, company name on, vat number, proof of payment, comprobante*, justificante*, a nombre de mi empresa, a nombre de la empresa, nif, cif, datos fiscales, rechnungsadresse, firmenadresse, fur die firma, fur meine firma, fur meinen arbeitgeber, spesen*, steuernummer, umsatzsteuer, 报销, 开票, 公司抬头, 抬头, 收条",
  tax: "visitor s tax, visitor tax, overnight tax, gasttaxe, gastetaxe, tourismusabgabe*, kurabgabe*, ortstaxe*, beherbergungs*, ecotasa*, tasa de turismo, 住宿税, 过夜税, 城市旅游税",
  guestcard:
    "guest card*, visitor card*, guest pass, gastekarte*, kurkarte*, touristenkarte*, tarjeta de huesped, tarjeta de visitante, tarjeta turistica, 游客卡, 客人卡, 旅客卡",
  lost: "misplaced, can t find my, cannot find my, abhanden, verlegt, verlegen, no encuentro mis, no encuentro las, se nos ha perdido, he perdido, hemos perdido, 不见了, 掉了, 找不到钥匙",
  damage:
    "knocked over, smashed, cracked, chipped, spilled, spilt, stain*, umgestossen, runtergefallen, gesprungen, fleck*, se nos ha caido, se ha caido, mancha*, se rompio, hemos roto, he roto, 摔碎, 打烂, 弄脏, 摔坏, 碰坏",
  cleaning:
    "cleaning service*, clean up before, reinigungsservice, aufraumen, sauber machen, servicio de limpieza, 收拾, 打扫卫生",
  bikes:
    "cycle hire, ride a bike, mountain bike*, e bike*, ebike*, pedelec*, radl, mountainbike*, bicicletas, pedalear, 电动自行车, 山地车",
  taxi: "taxi rank*, taxistand*, parada de taxis, 打的, 打车软件",
  contact:
    "reach someone, whom do we call, who can i ring, speak to someone, an wen, wen konnen wir, wen kann ich anrufen, a quien puedo llamar, a quien llamamos, 打给谁, 联系谁, 怎么联系"
}
