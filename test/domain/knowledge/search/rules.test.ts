import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { toKnowledgeFragments } from "../../../../src/domain/knowledge/search/fragments.ts"
import { MAX_ANSWER_SENTENCES, selectAnswers } from "../../../../src/domain/knowledge/search/rules/answer-selection.ts"
import { makeSpellingCorrector } from "../../../../src/domain/knowledge/search/rules/lexicon/spelling.ts"
import {
  MAX_QUESTIONS,
  MAX_SEARCH_NAMES,
  parseQuestions,
  searchNamesOf,
  truncateMessages
} from "../../../../src/domain/knowledge/search/rules/question.ts"
import {
  MAX_FRAGMENT_LENGTH,
  MAX_SENTENCE_LENGTH,
  splitFragments,
  splitSentences
} from "../../../../src/domain/knowledge/search/rules/sentences.ts"
import { extractTerms } from "../../../../src/domain/knowledge/search/rules/terms.ts"
import { foldText, stemOf } from "../../../../src/domain/knowledge/search/rules/text-folding.ts"
import { QUESTION_LENGTH } from "../../../../src/platform/limits.ts"
import { PROPERTY_RUNS } from "../../../support/property-runs.ts"

const WORDS = [
  ..."wifi password key late check-out Parkplatz Müll llave piscina 密码 停车 ที่จอด 垃圾 zither 4711 the is where".split(
    " "
  ),
  ..."? . ! 。 ？ , \n e.g. 3. ' | & ! :* < - 👨‍👩‍👧 é \u0301 𠮷".split(" ")
]

/** What goes on for long before it ends, if it does. */
const stretches = fc
  .tuple(fc.constantFrom("a", "字", "a ", "𠮷"), fc.nat(1_000))
  .map(([piece, times]) => piece.repeat(times))

const texts = fc.oneof(
  fc
    .array(fc.oneof(stretches, fc.constantFrom(...WORDS), fc.constantFrom("no. Then", "3. Then")), { maxLength: 12 })
    .map((pieces) => pieces.join(" ")),
  fc.string({ unit: "grapheme", maxLength: 1_000 }),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 200 }).map((words) => words.join(" ")),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 400 }).map((words) => words.join(""))
)

/** What every object has: words of guests and of hosts like any others. */
const OF_OBJECTS = Object.getOwnPropertyNames(Object.prototype)

const entries = fc.record({
  title: texts,
  contents: fc.array(fc.record({ sub_title: texts, text: texts }), { minLength: 1, maxLength: 4 })
})

type Entry = Parameters<typeof toKnowledgeFragments>[0]

/** Everything of these entries, as if all of it were found. */
const foundIn = (...each: ReadonlyArray<Entry>) =>
  each.flatMap((entry, id) =>
    toKnowledgeFragments(entry).map(({ sub_title, text }, place) => ({
      knowledge_base_id: id,
      revision: 1,
      title: entry.title,
      place,
      sub_title,
      text
    }))
  )

/** What a flat may have, or what there may be near it, as it is called in English, German, Spanish and Chinese. */
const THINGS: ReadonlyArray<readonly [string, string, string, string]> = [
  ["washing machine", "Waschmaschine", "lavadora", "洗衣机"],
  ["dishwasher", "Geschirrspüler", "lavavajillas", "洗碗机"],
  ["tumble dryer", "Trockner", "secadora", "烘干机"],
  ["hair dryer", "Föhn", "secador de pelo", "吹风机"],
  ["iron", "Bügeleisen", "plancha", "熨斗"],
  ["oven", "Backofen", "horno", "烤箱"],
  ["microwave", "Mikrowelle", "microondas", "微波炉"],
  ["kettle", "Wasserkocher", "hervidor", "烧水壶"],
  ["toaster", "Toaster", "tostadora", "吐司机"],
  ["blender", "Mixer", "batidora", "搅拌机"],
  ["rice cooker", "Reiskocher", "arrocera", "电饭煲"],
  ["pushchair", "Kinderwagen", "cochecito", "婴儿车"],
  ["travel cot", "Babybett", "cuna", "婴儿床"],
  ["high chair", "Hochstuhl", "trona", "高脚椅"],
  ["dentist", "Zahnarzt", "dentista", "牙医"],
  ["doctor", "Arzt", "médico", "医生"],
  ["vet", "Tierarzt", "veterinario", "兽医"],
  ["pharmacy", "Apotheke", "farmacia", "药店"],
  ["car rental", "Autovermietung", "alquiler de coches", "租车"],
  ["charging station", "Ladestation", "punto de recarga", "充电桩"],
  ["car park", "Parkplatz", "aparcamiento", "停车场"],
  ["taxi", "Taxi", "taxi", "出租车"],
  ["breakfast", "Frühstück", "desayuno", "早餐"],
  ["restaurant", "Restaurant", "restaurante", "餐厅"],
  ["supermarket", "Supermarkt", "supermercado", "超市"],
  ["cash machine", "Geldautomat", "cajero", "取款机"],
  ["heating", "Heizung", "calefacción", "暖气"],
  ["air conditioning", "Klimaanlage", "aire acondicionado", "空调"],
  ["fan", "Ventilator", "ventilador", "风扇"],
  ["pool", "Schwimmbad", "piscina", "游泳池"],
  ["gym", "Fitnessstudio", "gimnasio", "健身房"],
  ["sauna", "Sauna", "sauna", "桑拿"],
  ["jacuzzi", "Whirlpool", "jacuzzi", "按摩浴缸"],
  ["balcony", "Balkon", "balcón", "阳台"],
  ["fireplace", "Kamin", "chimenea", "壁炉"],
  ["lift", "Aufzug", "ascensor", "电梯"],
  ["safe", "Tresor", "caja fuerte", "保险箱"],
  ["smoke detector", "Rauchmelder", "detector de humo", "烟雾报警器"],
  ["fire extinguisher", "Feuerlöscher", "extintor", "灭火器"],
  ["first aid kit", "Verbandskasten", "botiquín", "急救箱"],
  ["printer", "Drucker", "impresora", "打印机"],
  ["projector", "Beamer", "proyector", "投影仪"],
  ["umbrella", "Regenschirm", "paraguas", "雨伞"],
  ["bathtub", "Badewanne", "bañera", "浴缸"],
  ["vacuum cleaner", "Staubsauger", "aspiradora", "吸尘器"],
  ["playground", "Spielplatz", "parque infantil", "游乐场"],
  ["bakery", "Bäckerei", "panadería", "面包店"],
  ["desk", "Schreibtisch", "escritorio", "办公桌"],
  ["corkscrew", "Korkenzieher", "sacacorchos", "开瓶器"],
  ["console", "Spielkonsole", "videoconsola", "游戏机"],
  ["laundrette", "Waschsalon", "lavandería", "洗衣店"]
]

/** How something is asked about, and how an entry speaks of it. */
const WAYS = [
  { asked: (thing: string) => `Is there a ${thing}?`, said: (thing: string) => `The ${thing} is easy to find.` },
  { asked: (thing: string) => `Gibt es hier ${thing}?`, said: (thing: string) => `${thing}: leicht zu finden.` },
  { asked: (thing: string) => `¿Hay ${thing}?`, said: (thing: string) => `${thing}: fácil de encontrar.` },
  { asked: (thing: string) => `有${thing}吗？`, said: (thing: string) => `${thing}很好找。` }
] as const

const named = fc.record({ thing: fc.nat(THINGS.length - 1), language: fc.constantFrom(0, 1, 2, 3) })

const entryOf = ({ thing, language }: { readonly thing: number; readonly language: 0 | 1 | 2 | 3 }): Entry => {
  const title = THINGS[thing]?.[language] ?? ""
  return { title, contents: [{ sub_title: "", text: WAYS[language].said(title) }] }
}

const questionOf = ({ thing, language }: { readonly thing: number; readonly language: 0 | 1 | 2 | 3 }): string =>
  WAYS[language].asked(THINGS[thing]?.[language] ?? "")

const namesIn = (text: string) => extractTerms(text).map(({ names }) => names.join("/"))

describe("cutting", () => {
  it("loses nothing of a text, and makes nothing too long", () => {
    fc.assert(
      fc.property(texts, (text) => {
        assert.strictEqual(splitSentences(text).join(""), text)
        assert.strictEqual(splitFragments(text).join(""), text)
        for (const sentence of splitSentences(text)) assert.isAtMost(sentence.length, MAX_SENTENCE_LENGTH)
      })
    )
  })

  it("cuts what goes on without an end, at n and not at n - 1", () => {
    assert.lengthOf(splitSentences("a".repeat(MAX_SENTENCE_LENGTH)), 1)
    assert.lengthOf(splitSentences("a".repeat(MAX_SENTENCE_LENGTH + 1)), 2)
    assert.lengthOf(splitSentences("字".repeat(2 * MAX_SENTENCE_LENGTH + 1)), 3)
    assert.deepStrictEqual(
      splitSentences("𠮷".repeat(MAX_SENTENCE_LENGTH)).filter((piece) => !piece.isWellFormed()),
      []
    )
  })

  it("cuts what is left open by an end that ends no sentence, at n + 1 and not at n", () => {
    const open = (length: number) => `${"a".repeat(length - 5)} no. `
    assert.deepStrictEqual(splitSentences(`${open(MAX_SENTENCE_LENGTH)}Then.`), [open(MAX_SENTENCE_LENGTH), "Then."])
    const tooLong = open(MAX_SENTENCE_LENGTH + 1)
    assert.deepStrictEqual(splitSentences(`${tooLong}Then.`), [tooLong.slice(0, -4), "no. ", "Then."])
  })

  it("makes few fragments of a text, whatever it is", () => {
    for (const piece of ["a. ", "a\n\n", "字。", "\n", ".", " "]) {
      const text = piece.repeat(Math.floor(10_000 / piece.length))
      assert.isAtMost(splitFragments(text).length, 100, JSON.stringify(piece))
    }
    const half = `${"a".repeat(MAX_FRAGMENT_LENGTH / 2 - 2)}. `
    assert.lengthOf(splitFragments(half.repeat(2)), 1)
    assert.lengthOf(splitFragments(half.repeat(3)), 2)
  })

  it("cuts a text of empty lines, which once took minutes in which its process did nothing else", () => {
    const text = `${"\n".repeat(9_990)}.\nabc`
    assert.deepStrictEqual(splitFragments(text), [`${"\n".repeat(9_990)}.\n`, "abc"])
    const line = `${"a".repeat(118)}. `
    assert.lengthOf(splitFragments(`${line}\n\nb`), 2)
    assert.lengthOf(splitFragments(`${line}\nb`), 1)
    assert.lengthOf(splitFragments(`${line.slice(3)}\n\nb`), 1)
  })

  it("knows abbreviations and lists from ends", () => {
    assert.deepStrictEqual(splitSentences("It is approx. 300 m. Turn left."), ["It is approx. 300 m. ", "Turn left."])
    assert.deepStrictEqual(splitSentences("Die Wohnung ist im 3. Stock. Klingeln Sie."), [
      "Die Wohnung ist im 3. Stock. ",
      "Klingeln Sie."
    ])
    assert.deepStrictEqual(splitSentences("密码是一二三。路由器在客厅。"), ["密码是一二三。", "路由器在客厅。"])
  })
})

describe("words", () => {
  it("are alike in every form of Unicode, with accents and without", () => {
    fc.assert(
      fc.property(texts, (text) => {
        assert.strictEqual(foldText(text.normalize("NFD")), foldText(text.normalize("NFC")))
        assert.strictEqual(foldText(foldText(text)), foldText(text))
      })
    )
    assert.strictEqual(foldText("SCHLÜSSEL ｗｉｆｉ Straße café Łódź"), "schlussel wifi strasse cafe lodz")
    // A mark that makes another letter stays.
    assert.strictEqual(foldText("パスワード ที่"), "パスワード ที่")
  })

  it("lose their endings, and a short one nothing that it needs", () => {
    for (const [one, other] of [
      ["towels", "towel"],
      ["keys", "key"],
      ["heating", "heat"],
      ["Fahrräder", "Fahrräd"],
      ["toallas", "toalla"]
    ] as const) {
      assert.strictEqual(stemOf(foldText(one)), stemOf(foldText(other)))
    }
    assert.deepStrictEqual(["gas", "bus", "4s"].map(stemOf), ["gas", "bus", "4s"])
  })

  it("of different languages are about the same", () => {
    for (const [name, said] of [
      ["aboutwifi", ["Wi-Fi", "WLAN", "无线网络", "internet", "Wi‑Fi"]],
      ["aboutcheckin", ["check-in", "Checkin", "Ankunft", "llegada", "入住", "arrival"]],
      ["aboutparking", ["parking", "Parkplatz", "aparcamiento", "停车位"]],
      ["abouttrash", ["garbage", "Mülltonne", "basura", "垃圾桶"]],
      ["aboutlaundry", ["washing machine", "Waschmaschine", "lavadora", "洗衣机"]],
      ["abouttowels", ["towels", "Handtücher", "toallas", "毛巾"]]
    ] as const) {
      for (const each of said) assert.include(namesIn(each).join("/"), name, each)
    }
    assert.notInclude(namesIn("Was müssen wir beachten?"), "aboutbeach")
  })

  it("without breaks are read in pairs, what is known as one", () => {
    assert.deepStrictEqual(namesIn("古琴谱密码"), ["古琴", "琴谱", "aboutpassword"])
    assert.deepStrictEqual(namesIn("密"), [])
  })
})

describe("a question", () => {
  it("has terms of letters and digits alone, and a bounded number of them", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const names = searchNamesOf(parseQuestions([text]))
        assert.isAtMost(names.length, MAX_SEARCH_NAMES)
        for (const name of names) assert.match(name, /^[\p{L}\p{N}\p{M}]+$/u)
      })
    )
  })

  it("of n names is looked for, and one of n + 1 is not: with n of them it would ask something else", () => {
    const words = (count: number) => `${Array.from({ length: count }, (_, n) => `z${n}`).join(" ")}?`
    const asked = (count: number) => searchNamesOf(parseQuestions([words(count)])).length
    assert.deepStrictEqual([asked(10), asked(MAX_SEARCH_NAMES), asked(MAX_SEARCH_NAMES + 1)], [10, MAX_SEARCH_NAMES, 0])
    const before = `${words(MAX_SEARCH_NAMES - 2)} `
    assert.include(searchNamesOf(parseQuestions([`${before}Where is the garage?`])), "aboutparking")
    assert.notInclude(searchNamesOf(parseQuestions([`${before}Where is the zither in the garage?`])), "aboutparking")
  })

  it("is one of the first n sentences that ask, whatever else is said", () => {
    const namesAfter = (before: string) => searchNamesOf(parseQuestions([`${before}Where is the garage?`]))
    const keys = (count: number) => "Where are the keys? ".repeat(count)
    assert.include(namesAfter(keys(MAX_QUESTIONS - 1)), "aboutparking")
    assert.notInclude(namesAfter(keys(MAX_QUESTIONS)), "aboutparking")
    for (const talk of ["Hello. ", "We are looking forward to it. ", "Is it? "]) {
      assert.include(namesAfter(talk.repeat(MAX_QUESTIONS + 1)), "aboutparking", talk)
    }
    const unmarked = `${"Hello. ".repeat(MAX_QUESTIONS + 1)}Parking garage please`
    assert.include(searchNamesOf(parseQuestions([unmarked])), "aboutparking")
  })

  it("asks by its words beside a message with a question mark, and may be about the message before", () => {
    const asked = searchNamesOf(parseQuestions(["Is the pool heated?", "wifi password please"]))
    assert.includeMembers(Array.from(asked), ["aboutpool", "aboutwifi"])
    assert.lengthOf(parseQuestions(["Is the pool heated? wifi password please"]), 1)
    assert.include(
      searchNamesOf(parseQuestions(["We'd like to wash our clothes.", "Is that possible?"])),
      "aboutlaundry"
    )
  })

  it("is read up to n characters of all messages together, as they are written, and nothing of them is made up", () => {
    const [half, rest] = ["𠮷".repeat(QUESTION_LENGTH / 2), "y".repeat(QUESTION_LENGTH / 2)]
    assert.deepStrictEqual(truncateMessages([half, "  ", `${rest}\n`]), [half, rest])
    assert.deepStrictEqual(truncateMessages([half, `${rest}z`, "z"]), [half, rest])
    const asked = (before: number) => searchNamesOf(parseQuestions(["-".repeat(before), "wifi"]))
    assert.include(asked(QUESTION_LENGTH - 4), "aboutwifi")
    assert.notInclude(asked(QUESTION_LENGTH - 3), "aboutwifi")
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 1_500 })), (messages) => {
        const read = truncateMessages(messages)
        assert.isAtMost(
          read.reduce((sum, text) => sum + Array.from(text).length, 0),
          QUESTION_LENGTH
        )
        for (const text of read) {
          assert.isNotEmpty(text)
          assert.isTrue(messages.some((whole) => whole.includes(text)))
        }
        assert.deepStrictEqual(truncateMessages(read), read)
      })
    )
  })

  it("means what it would without one slip of a letter inside a word of 7 to 24 letters", () => {
    const [longest, tooLong] = [`${"a".repeat(23)}b`, `${"x".repeat(24)}y`]
    const meant = makeSpellingCorrector(["parking", "washin", longest, tooLong])
    for (const slip of ["pakring", "parkking", "pparking"]) assert.strictEqual(meant(slip), "parking", slip)
    for (const other of ["parkinf", "barking", "parkings", "wahsin", "washiin"]) assert.isUndefined(meant(other), other)
    assert.strictEqual(meant(longest.slice(1)), longest)
    assert.isUndefined(meant(tooLong.slice(1)))
    assert.include(searchNamesOf(parseQuestions(["Is there a pakring garage?"])), "aboutparking")
  })

  it("may be about two words together that neither says alone", () => {
    assert.include(searchNamesOf(parseQuestions(["The shower is stone cold, what do I do?"])), "abouthotwater")
    assert.notInclude(searchNamesOf(parseQuestions(["Where is the shower?"])), "abouthotwater")
  })

  it("may be about what was said before it, or a clause of what is said", () => {
    assert.include(searchNamesOf(parseQuestions(["We'd like to wash our clothes. Is that possible?"])), "aboutlaundry")
    const ladder = parseQuestions(["Our flight is late, where are the keys?"])
    assert.isAtLeast(ladder[0]?.length ?? 0, 2)
  })

  it("is none where somebody only tells something", () => {
    for (const told of [
      "Thanks, the wifi works great!",
      "谢谢，无线网很好用！",
      "Danke, alles klar",
      "Gracias por el wifi",
      "We have the keys.",
      "The wifi was great.",
      "We could not find the parking at first.",
      "Der Parkplatz war super.",
      "钥匙已经拿到了。"
    ]) {
      assert.deepStrictEqual(parseQuestions([told]), [], told)
    }
    for (const asked of ["Can I park here", "Was kostet die Garage", "wifi password", "Could we have the code"])
      assert.lengthOf(parseQuestions([asked]), 1, asked)
  })
})

describe("an answer", () => {
  it("is a piece of the entry as it is written, and one of few", () => {
    fc.assert(
      fc.property(entries, entries, texts, (one, other, message) => {
        const answers = selectAnswers(parseQuestions([message]), foundIn(one, other))
        assert.isAtMost(answers.length, MAX_ANSWER_SENTENCES)
        for (const { fragment: found, text } of answers) {
          const entry = found.knowledge_base_id === 0 ? one : other
          assert.isTrue(entry.contents.some((content) => content.text.includes(text)))
          assert.isTrue(found.text.includes(text))
        }
      })
    )
  })

  it("is none without entries, and none to a question that names nothing of them", () => {
    fc.assert(fc.property(texts, (message) => assert.deepStrictEqual(selectAnswers(parseQuestions([message]), []), [])))
    const found = foundIn({
      title: "Check-out",
      contents: [{ sub_title: "", text: "Check-out is at 11 am. The router is behind the TV." }]
    })
    for (const question of ["Can we check out late?", "How do I turn on the TV?", "Is there a sauna?"]) {
      assert.deepStrictEqual(selectAnswers(parseQuestions([question]), found), [], question)
    }
    assert.strictEqual(selectAnswers(parseQuestions(["When is check-out?"]), found)[0]?.text, "Check-out is at 11 am.")
  })

  it("is of what was asked about in whatever language, and never of what is only like it", () => {
    fc.assert(
      fc.property(named, named, (of, asked) => {
        const answers = selectAnswers(parseQuestions([questionOf(asked)]), foundIn(entryOf(of)))
        assert.lengthOf(answers, of.thing === asked.thing ? 1 : 0)
      }),
      { numRuns: PROPERTY_RUNS }
    )
    for (const [thing] of THINGS.entries()) {
      for (const [of, asked] of [
        [0, 3],
        [3, 1],
        [1, 2],
        [2, 0]
      ] as const) {
        const answers = selectAnswers(
          parseQuestions([questionOf({ thing, language: asked })]),
          foundIn(entryOf({ thing, language: of }))
        )
        assert.lengthOf(answers, 1, questionOf({ thing, language: asked }))
      }
    }
  })

  it("is none where something is asked for that nobody wrote down, whatever else was", () => {
    const found = foundIn(
      { title: "Keys", contents: [{ sub_title: "Key box", text: "The keys are in the box beside the door." }] },
      {
        title: "Check-out",
        contents: [{ sub_title: "", text: "Check-out is at 11 am. You may stay until 2 pm for 20 €." }]
      },
      { title: "Late arrival", contents: [{ sub_title: "", text: "After 10 pm ring the bell twice." }] },
      { title: "Parking", contents: [{ sub_title: "Garage", text: "The garage charges 24 € a day." }] },
      { title: "Airport", contents: [{ sub_title: "Taxi", text: "A taxi from the airport costs 40 €." }] }
    )
    for (const question of [
      "Could you give us a second set of keys?",
      "能给我们两套钥匙吗？",
      "Können wir unseren Aufenthalt um zwei Nächte verlängern?",
      "Where can I charge an electric car?",
      "Can you book a taxi to the airport for us?",
      "Is the zither in the garage?",
      "Can we check out at 4 pm?",
      "Könnten wir am Abreisetag etwas länger bleiben?",
      "Does the bus stop nearby?",
      "When can we arrive?"
    ]) {
      assert.deepStrictEqual(selectAnswers(parseQuestions([question]), found), [], question)
    }
    for (const [question, text] of [
      ["Where are the keys?", "The keys are in the box beside the door."],
      ["¿Cuánto cuesta el garaje?", "The garage charges 24 € a day."],
      ["What does a taxi from the airport cost?", "A taxi from the airport costs 40 €."],
      ["Wann müssen wir auschecken?", "Check-out is at 11 am."]
    ] as const) {
      assert.strictEqual(selectAnswers(parseQuestions([question]), found)[0]?.text, text, question)
    }
  })

  it("is none where a sentence and a question only name the same street", () => {
    const found = foundIn({
      title: "Quiet hours",
      contents: [{ sub_title: "", text: "Kazinczy utca is loud until two. The router is the box that stops." }]
    })
    for (const question of ["Wir wären zu dritt, geht das in der Kazinczy utca?", "Is there a bus at that hour?"]) {
      assert.deepStrictEqual(selectAnswers(parseQuestions([question]), found), [], question)
    }
    assert.isNotEmpty(selectAnswers(parseQuestions(["Are there quiet hours?"]), found))
  })

  it("is of words that every object has as of any other", () => {
    const word = fc.constantFrom(...OF_OBJECTS).chain((each) => fc.constantFrom(each, each.toLowerCase()))
    const said = fc.array(fc.oneof(word, fc.constantFrom(...WORDS)), { maxLength: 20 }).map((each) => each.join(" "))
    fc.assert(
      fc.property(word, said, said, said, (title, sub_title, text, more) => {
        const entry = { title, contents: [{ sub_title, text }] }
        const questions = parseQuestions([`${more}, where is the ${title}?`])
        for (const { text: answer } of selectAnswers(questions, foundIn(entry))) assert.include(text, answer)
      })
    )
    for (const word of OF_OBJECTS) {
      const text = `The ${word} is in the cupboard.`
      const entry = { title: word, contents: [{ sub_title: "", text }] }
      const questions = parseQuestions([`Where is the ${word}?`])
      const searchable = toKnowledgeFragments(entry).flatMap((fragment) => fragment.searchable.split(" "))
      assert.includeMembers(searchable, Array.from(searchNamesOf(questions)))
      assert.deepStrictEqual(
        selectAnswers(questions, foundIn(entry)).map((answer) => answer.text),
        [text]
      )
    }
  })

  it("is two sentences to one question at most", () => {
    const answered = (count: number) => {
      const text = Array.from({ length: count }, (_, n) => `The garage has place ${n}.`).join(" ")
      return selectAnswers(
        parseQuestions(["Where is the garage?"]),
        foundIn({ title: "Garage", contents: [{ sub_title: "", text }] })
      )
    }
    assert.lengthOf(answered(2), 2)
    assert.lengthOf(answered(3), 2)
  })

  it("is said once where it answers two questions", () => {
    const text = "The keys are in the box."
    const questions = parseQuestions(["Where are the keys? And where is the key?"])
    assert.lengthOf(questions, 2)
    const answers = selectAnswers(questions, foundIn({ title: "Keys", contents: [{ sub_title: "", text }] }))
    assert.deepStrictEqual(
      answers.map((answer) => answer.text),
      [text]
    )
  })

  it("does not depend on the order in which fragments were found", () => {
    const found = foundIn(
      { title: "Keys", contents: [{ sub_title: "", text: "The keys are in the box." }] },
      { title: "Keys", contents: [{ sub_title: "", text: "The keys are at the desk." }] }
    )
    const asked = parseQuestions(["Where are the keys?"])
    assert.deepStrictEqual(selectAnswers(asked, found), selectAnswers(asked, found.toReversed()))
  })
})
