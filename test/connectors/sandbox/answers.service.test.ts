import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { SandboxQueries } from "../../../src/connectors/sandbox/SandboxQueries.ts"
import { layerAnswerJobs } from "../../../src/domain/automation/answering/answer-jobs.ts"
import { guestQuestionSubscribers } from "../../../src/domain/automation/answering/guest-questions.ts"
import { layerPreparationJobs } from "../../../src/domain/knowledge/preparing/preparation-jobs.ts"
import { KnowledgeAnswers } from "../../../src/domain/knowledge/search/KnowledgeAnswers.ts"
import { layerEventDispatcher, layerServiceWithSandbox } from "../../support/connectors/sandbox/service-with-sandbox.ts"
import { ANSWER_RULE, insertRule } from "../../support/domain/automation/answering/answering-service.ts"
import { createOperator, insertProperty, typedClient, withToken } from "../../support/harness.ts"

// The service, its marketplace, and who answers guests, on the clock on the wall.

const layerAnswered = Layer.mergeAll(
  layerEventDispatcher(...guestQuestionSubscribers),
  layerPreparationJobs,
  Layer.provide(layerAnswerJobs, KnowledgeAnswers.layer)
).pipe(Layer.provideMerge(layerServiceWithSandbox))

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const PASSWORD = "The Wi-Fi password is harbour42."
const PARKING = "A public car park is two streets away."
const QUESTION = "Hello! What is the Wi-Fi password?"

/** A host with two flats on sale; of one it is written down what its guests' Wi-Fi is, and where anyone parks. */
const hosting = Effect.gen(function* () {
  const { operatorId, token } = yield* createOperator()
  const sql = yield* SqlClient.SqlClient
  const market = yield* Marketplace
  const seeing = yield* SandboxQueries
  const api = yield* typedClient
  const as = withToken(token)
  const onSale = Effect.fnUntraced(function* (title: string) {
    const property = yield* insertProperty(operatorId, title)
    const opened = yield* market.openListing({
      operator_id: operatorId,
      channel_type: "airbnb",
      base_price: 100,
      tax: 0
    })
    yield* sql`
      UPDATE listings SET property_id = ${property}
      WHERE operator_id = ${operatorId} AND listing_id = ${opened.listing_id}`
    return { property, listing_id: opened.listing_id }
  })
  const [flat, other] = [yield* onSale("Harbour view"), yield* onSale("Garden")]
  const entry = { is_enable: true, scope_channel: { type: "all", channels: ["unlimited"] } } as const
  const { id } = yield* api
    .create_knowledge_base({
      ...entry,
      title: "Wi-Fi",
      scope_property: { type: "by_property", ids: [flat.property] },
      contents: [{ sub_title: "Password", text: PASSWORD }]
    })
    .pipe(as)
  yield* api
    .create_knowledge_base({
      ...entry,
      title: "Parking",
      audience: "anyone",
      scope_property: { type: "all", ids: [-1] },
      contents: [{ sub_title: "By car", text: PARKING }]
    })
    .pipe(as)
  yield* until(api.search_knowledge_bases({}).pipe(as), ({ knowledge_bases }) =>
    knowledge_bases.every(({ process_status }) => process_status === "done")
  )
  yield* insertRule(operatorId, ANSWER_RULE)

  const book = Effect.fnUntraced(function* (listing_id: string, guest_name: string, day = 30) {
    const { order_id } = yield* market.bookOrder({
      listing_id,
      guest_name,
      check_in_date: inDays(day),
      check_out_date: inDays(day + 2)
    })
    const { reservations } = yield* api.search_reservations({ channel_id: order_id }).pipe(as)
    yield* api.approve_reservation({ reservation_code: reservations[0]?.reservation_code ?? "" }).pipe(as)
    return order_id
  })
  const settled = sql<{ count: number }>`
    SELECT count(*)::int AS count FROM automation_plans WHERE operator_id = ${operatorId} AND settled_at IS NOT NULL`
  /** The conversation of a guest in the order of time, once so many questions of all guests are settled. */
  const read = Effect.fnUntraced(function* (guest: string, questions: number) {
    yield* until(settled, ([row]) => row?.count === questions)
    const { conversations } = yield* api.query_conversations({}).pipe(as)
    const id = conversations.find(({ guest: { name } }) => name === guest)?.id ?? ""
    return (yield* api.get_conversation({ id }).pipe(as)).messages.toReversed()
  })
  const there = Effect.map(
    seeing.listThreads({ limit: 10, offset: 0 }, { operator_id: operatorId }),
    ({ rows }) => rows
  )
  return { market, api, as, flat, other, wifi: id, book, read, there }
})

const until = <A, E, R>(look: Effect.Effect<A, E, R>, isThere: (found: A) => boolean) =>
  Effect.repeat(Effect.delay(look, "50 millis"), { until: isThere })

layer(layerAnswered, { excludeTestServices: true })("a guest of the sandbox", (it) => {
  it.effect("with a stay asks for the Wi-Fi password and is answered, with the source; nobody else is", () =>
    Effect.gen(function* () {
      const { market, flat, other, wifi, book, read, there } = yield* hosting
      yield* market.writeMessage({ order_id: yield* book(flat.listing_id, "Ana Reis"), text: QUESTION })
      const [, answer, ...more] = yield* read("Ana Reis", 1)
      assert.deepStrictEqual(more, [])
      assert.deepInclude(answer, { sender_role: "host", sender_name: "Assistant", content: PASSWORD })
      assert.deepStrictEqual(answer?.sources, [
        {
          type: "host_knowledge",
          docs: [{ title: "Wi-Fi", fragment: [PASSWORD], source_type: "host_knowledge", link_id: wifi }]
        },
        {
          type: "thread",
          docs: [{ title: "The guest's question", fragment: [QUESTION], source_type: "thread", link_id: -1 }]
        }
      ])
      // The guest reads it there.
      yield* until(there, (threads) => JSON.stringify(threads).includes(PASSWORD))

      yield* market.sendInquiry({
        listing_id: flat.listing_id,
        guest_name: "A Stranger",
        check_in_date: inDays(50),
        check_out_date: inDays(52),
        text: QUESTION
      })
      assert.lengthOf(yield* read("A Stranger", 2), 1)

      yield* market.writeMessage({ order_id: yield* book(other.listing_id, "Of Elsewhere"), text: QUESTION })
      assert.lengthOf(yield* read("Of Elsewhere", 3), 1)

      const cancelled = yield* book(flat.listing_id, "No Longer", 40)
      yield* market.cancelOrder({ order_id: cancelled })
      yield* market.writeMessage({ order_id: cancelled, text: QUESTION })
      assert.lengthOf(yield* read("No Longer", 4), 1)
    })
  )

  it.effect("who has not booked is told what anyone may know", () =>
    Effect.gen(function* () {
      const { market, flat, read } = yield* hosting
      yield* market.sendInquiry({
        listing_id: flat.listing_id,
        guest_name: "A Stranger",
        check_in_date: inDays(50),
        check_out_date: inDays(52),
        text: "Is there parking nearby?"
      })
      assert.strictEqual((yield* read("A Stranger", 1))[1]?.content, PARKING)
    })
  )
})
