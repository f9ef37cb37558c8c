import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { KnowledgeAnswers } from "../../../../src/domain/knowledge/search/KnowledgeAnswers.ts"
import { MAX_ANSWER_SENTENCES } from "../../../../src/domain/knowledge/search/rules/answer-selection.ts"
import { MAX_CONSIDERED_FRAGMENTS } from "../../../../src/domain/knowledge/search/store.ts"
import { QUESTION_LENGTH } from "../../../../src/platform/limits.ts"
import {
  ARRIVAL_ENTRY,
  layerKnowledgeSearch,
  PASSWORD_QUESTION,
  prepareKnowledgeHost,
  TRANSIT_ENTRY,
  WIFI_ENTRY
} from "../../../support/domain/knowledge/search/knowledge-search.ts"

const entry = (title: string, text: string) => ({ title, contents: [{ sub_title: "", text }] })

layer(layerKnowledgeSearch)("answers", (it) => {
  it.effect("are the entry's own words, with where they stand", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        operatorId,
        createOrder: order,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      const [id] = yield* entered(WIFI_ENTRY, ARRIVAL_ENTRY, TRANSIT_ENTRY)
      const { ask } = yield* KnowledgeAnswers
      const [first, ...more] = yield* ask(operatorId, { stayCode: yield* order(rooms[0]) }, [PASSWORD_QUESTION])
      assert.deepStrictEqual(first, {
        text: "The password is sail-away.",
        knowledge_base_id: id,
        revision: 1,
        title: "Wi-Fi",
        sub_title: "Network",
        fragment: "The network is Harbour. The password is sail-away."
      })
      for (const { fragment, text } of more) assert.include(fragment, text)
    })
  )

  it.effect("are found in scripts without word breaks", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      const stayCode = yield* order(rooms[0])
      yield* entered(
        entry("上网", "无线网络叫海港。密码是扬帆远航。"),
        entry("滑板车", "滑板车停在储藏室里，头盔挂在墙上。"),
        entry("自転車置き場", "自転車置き場は建物の裏にあります。"),
        entry("ที่จอดรถ", "ที่จอดรถอยู่ด้านหลังอาคาร"),
        entry("កន្លែងចតរថយន្ត", "កន្លែងចតរថយន្តនៅខាងក្រោយអគារ")
      )
      const asked = (question: string) => answers({ stayCode }, question)
      assert.strictEqual((yield* asked("请问无线网密码是什么？"))[0], "密码是扬帆远航。")
      assert.strictEqual((yield* asked("滑板车停在哪里？"))[0], "滑板车停在储藏室里，头盔挂在墙上。")
      assert.strictEqual((yield* asked("自転車置き場はどこですか"))[0], "自転車置き場は建物の裏にあります。")
      assert.strictEqual((yield* asked("ที่จอดรถอยู่ที่ไหน"))[0], "ที่จอดรถอยู่ด้านหลังอาคาร")
      assert.strictEqual((yield* asked("កន្លែងចតរថយន្តនៅឯណា?"))[0], "កន្លែងចតរថយន្តនៅខាងក្រោយអគារ")
      assert.deepStrictEqual(yield* asked("有游泳池吗？"), [])
      assert.deepStrictEqual(yield* asked("สระว่ายน้ำเปิดกี่โมง"), [])
    })
  )

  it.effect("are silent about what no entry speaks of, and where nothing is asked", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      const stayCode = yield* order(rooms[0])
      const asked = (question: string) => answers({ stayCode }, question)
      assert.deepStrictEqual(yield* asked(PASSWORD_QUESTION), [])
      yield* entered(WIFI_ENTRY, entry("Washing machine", "The washing machine is in the bathroom."))
      for (const question of [
        "Is there a swimming pool?",
        "Gibt es eine Badewanne im Badezimmer?",
        "Thanks, the wifi works great!",
        "Hello!",
        "The",
        "?",
        "",
        " \n\t"
      ]) {
        assert.deepStrictEqual(yield* asked(question), [], question)
      }
    })
  )

  it.effect("answer the several questions of a message, pleasantries aside, in a few sentences", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      const stayCode = yield* order(rooms[0])
      yield* entered(
        WIFI_ENTRY,
        ARRIVAL_ENTRY,
        TRANSIT_ENTRY,
        entry("Parking", "Park in the yard."),
        entry("Pool", "The pool opens at 9.")
      )
      const message =
        "Hi there, we are so happy to come! What's the wifi password? And where do we find the keys? Thanks a lot, Ada"
      const two = yield* answers({ stayCode }, message)
      assert.sameMembers(two.slice(0, 2), ["The password is sail-away.", "The code of the key box is 4711."])
      const five = `${message} Which bus do we take? Where can we park? When does the pool open?`
      assert.lengthOf(yield* answers({ stayCode }, five), MAX_ANSWER_SENTENCES)
    })
  )

  it.effect("answer messages that wait together as what each of them asks", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      const stayCode = yield* order(rooms[0])
      yield* entered(WIFI_ENTRY, ARRIVAL_ENTRY)
      const answered = yield* answers({ stayCode }, "Is the pool heated?", "wifi password please")
      assert.include(answered, "The password is sail-away.")
    })
  )

  it.effect("treat what a guest writes as words and nothing else", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      const stayCode = yield* order(rooms[0])
      yield* entered(WIFI_ENTRY)
      for (const question of [
        "' | !*:",
        "wifi <-> password & !(a | b):*",
        "'; DROP TABLE knowledge_fragments; --",
        "\\' \\\\ '' wifi:A*",
        "\u0000 wifi \ud800?",
        "'".repeat(100_000),
        "<->".repeat(40_000),
        "\u0301".repeat(100_000),
        "a.".repeat(50_000),
        "?".repeat(100_000),
        Array.from({ length: 30_000 }, (_, n) => `word${n}`).join(" ")
      ]) {
        for (const sentence of yield* answers({ stayCode }, question)) {
          assert.include("The network is Harbour. The password is sail-away.", sentence)
        }
      }
      assert.include(yield* answers({ stayCode }, PASSWORD_QUESTION), "The password is sail-away.")
    })
  )

  it.effect("are of words that every object has as of any other", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      const stayCode = yield* order(rooms[0])
      const words = Object.getOwnPropertyNames(Object.prototype)
      yield* entered(...words.map((word) => entry(word, `The ${word} is in the cupboard.`)))
      for (const word of words) {
        assert.deepStrictEqual(yield* answers({ stayCode }, `Where is the ${word}?`), [
          `The ${word} is in the cupboard.`
        ])
      }
    })
  )

  it.effect("look at so many characters of a question and at none beyond", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      const stayCode = yield* order(rooms[0])
      yield* entered(WIFI_ENTRY)
      const ending = "\nWifi password?"
      const upTo = (length: number) => `${"-".repeat(length - ending.length)}${ending}`
      assert.notDeepEqual(yield* answers({ stayCode }, upTo(QUESTION_LENGTH)), [])
      const wordAtTheEnd = `${"-".repeat(QUESTION_LENGTH - 3)}\nwifi?`
      assert.deepStrictEqual(yield* answers({ stayCode }, wordAtTheEnd), [])
    })
  )

  it.effect("come of the fragments that have most of what is asked, however many have a part of it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      const stayCode = yield* order(rooms[0])
      const contents = Array.from({ length: 50 }, (_, n) => ({
        sub_title: "",
        text: `Cupboard ${n} has a zither in it.`
      }))
      yield* entered(
        { title: "Cupboards", contents },
        { title: "More cupboards", contents },
        entry("Balalaika", "The balalaika lies beside the zither.")
      )
      const [row] = yield* sql<{ count: number }>`
        SELECT count(*)::int AS count FROM knowledge_fragments f JOIN knowledge_bases k
          ON k.operator_id = f.operator_id AND k.id = f.knowledge_base_id
        WHERE k.title LIKE '%upboards'`
      assert.isAbove(row?.count ?? 0, MAX_CONSIDERED_FRAGMENTS)
      assert.strictEqual(
        (yield* answers({ stayCode }, "Where are the zither and the balalaika?"))[0],
        "The balalaika lies beside the zither."
      )
    })
  )
})
