import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { QUESTION_LENGTH } from "../../../../src/platform/limits.ts"
import {
  ARRIVAL_ENTRY,
  layerKnowledgeSearch,
  PASSWORD_QUESTION,
  prepareKnowledgeHost,
  TRANSIT_ENTRY,
  WIFI_ENTRY
} from "../../../support/domain/knowledge/search/knowledge-search.ts"
import {
  call,
  createAccessToken,
  createOperator,
  insertAccount,
  typedClient,
  withToken
} from "../../../support/harness.ts"

const DOOR_QUESTION = "What is the code of the key box?"
const BUS_QUESTION = "Which bus goes to the fish market?"

layer(layerKnowledgeSearch)("a question that is tried", (it) => {
  it.effect("is answered as for the guest of a stay, or as for a guest without one, each sentence with its entry", () =>
    Effect.gen(function* () {
      const { api, as, createPreparedEntries, createOrder, propertyIds } = yield* prepareKnowledgeHost
      const [wifi] = yield* createPreparedEntries(WIFI_ENTRY, { ...TRANSIT_ENTRY, audience: "anyone" })
      const stay_code = yield* createOrder(propertyIds[0])
      const ask = (question: string, stayCode?: string) =>
        Effect.map(
          api.ask_knowledge_base({ question, ...(stayCode === undefined ? {} : { stay_code: stayCode }) }).pipe(as),
          ({ sentences }) => sentences
        )
      const [best] = yield* ask(PASSWORD_QUESTION, stay_code)
      assert.deepStrictEqual(best, {
        text: "The password is sail-away.",
        knowledge_base_id: wifi ?? 0,
        title: "Wi-Fi",
        sub_title: "Network"
      })
      assert.deepStrictEqual(yield* ask(PASSWORD_QUESTION), [])
      for (const asker of [undefined, stay_code])
        assert.strictEqual((yield* ask(BUS_QUESTION, asker))[0]?.text, "Take bus 5 to Fish Market.")
    })
  )

  it.effect("shows no more than the entries that the same caller may read, door codes in them included", () =>
    Effect.gen(function* () {
      const { operatorId, createPreparedEntries, createOrder, propertyIds } = yield* prepareKnowledgeHost
      const [id = 0] = yield* createPreparedEntries(ARRIVAL_ENTRY)
      const stay_code = yield* createOrder(propertyIds[0])
      const accountId = yield* insertAccount(operatorId, "sub", "Marta")
      const as = withToken(yield* createAccessToken({ operatorId, accountId }, "writable"))
      const api = yield* typedClient
      const { sentences } = yield* api.ask_knowledge_base({ question: DOOR_QUESTION, stay_code }).pipe(as)
      const { knowledge_base } = yield* api.get_knowledge_base({ id }).pipe(as)
      const [sentence] = sentences
      assert.strictEqual(sentence?.text, "The code of the key box is 4711.")
      assert.include(JSON.stringify(knowledge_base.contents), sentence?.text ?? "?")
    })
  )

  it.effect("is refused with its reason", () =>
    Effect.gen(function* () {
      const mine = yield* prepareKnowledgeHost
      yield* mine.createPreparedEntries({ ...TRANSIT_ENTRY, audience: "anyone" })
      const foreign = yield* createOperator()
      const stay_code = yield* mine.createOrder(mine.propertyIds[0])
      for (const [token, fields, code, message] of [
        [mine.token, { question: " " }, 422, "question: must not be empty."],
        [
          mine.token,
          { question: "x".repeat(QUESTION_LENGTH + 1) },
          422,
          `question: must be at most ${QUESTION_LENGTH} characters.`
        ],
        [mine.token, { question: BUS_QUESTION, stay_code: "5-NONE" }, 404, "stay_code: no such stay."],
        // A stay of another operator is not there, whatever the question.
        [foreign.token, { question: PASSWORD_QUESTION, stay_code }, 404, "stay_code: no such stay."]
      ] as const) {
        const { error_code, error_msg } = yield* call(token, "ask_knowledge_base", fields)
        assert.deepStrictEqual([error_code, error_msg], [code, message])
      }
      // Nothing of another operator's entries answers.
      const { data } = yield* call(foreign.token, "ask_knowledge_base", { question: BUS_QUESTION })
      assert.deepStrictEqual(data, { sentences: [] })
    })
  )
})
