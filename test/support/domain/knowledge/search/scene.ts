import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makePreparationWorker } from "../../../../../src/domain/knowledge/preparing/preparation-worker.ts"
import { KnowledgeAnswers, type KnowledgeAsker } from "../../../../../src/domain/knowledge/search/KnowledgeAnswers.ts"
import { conversationOf } from "../../../conversations.ts"
import { orderOf } from "../../../harness.ts"
import { channelAccountOf, listingOf } from "../../../listings.ts"
import { writer } from "../entries.ts"
import { emptied, layerScene as layerPrepared, preparedAll } from "../preparing/scene.ts"

// A host whose entries are prepared, and the guests who ask.

export const layerScene = Layer.provideMerge(KnowledgeAnswers.layer, layerPrepared)

export const WIFI = {
  title: "Wi-Fi",
  contents: [{ sub_title: "Network", text: "The network is Harbour. The password is sail-away." }]
}
export const DOOR = { title: "Arrival", contents: [{ sub_title: "Keys", text: "The code of the key box is 4711." }] }
export const TRANSIT = { title: "Public transport", contents: [{ sub_title: "", text: "Take bus 5 to Fish Market." }] }

export const PASSWORD = "What is the wifi password?"

/** A host with two properties, on a day before all stays. */
export const scene = Effect.gen(function* () {
  yield* emptied
  const sql = yield* SqlClient.SqlClient
  const host = yield* writer("Harbour 1", "Harbour 2")
  const { operatorId } = host
  const { ask } = yield* KnowledgeAnswers
  const preparing = yield* makePreparationWorker
  const accountId = yield* channelAccountOf(operatorId)
  return {
    ...host,
    accountId,
    rooms: [host.rooms[0] ?? 0, host.rooms[1] ?? 0] as const,
    prepared: preparedAll(preparing),
    /** Writes entries and prepares them; answers the ids. */
    entered: (...entries: ReadonlyArray<Parameters<typeof host.write>[0]>) =>
      Effect.tap(Effect.forEach(entries, host.write), preparedAll(preparing)),
    /** What is answered, sentence by sentence. */
    answers: (asking: KnowledgeAsker, ...messages: ReadonlyArray<string>) =>
      Effect.map(ask(operatorId, asking, messages), (sentences) => sentences.map(({ text }) => text)),
    /** A conversation, linked to these orders. */
    conversation: Effect.fnUntraced(function* (
      orders: ReadonlyArray<string>,
      options: { readonly listingId?: string } = {}
    ) {
      const dates = { checkInDate: "2027-05-01", checkOutDate: "2027-05-04" }
      const { code } = yield* conversationOf({
        operatorId,
        accountId,
        channelType: "airbnb",
        ...(options.listingId === undefined ? {} : { inquiry: { listingId: options.listingId, ...dates } })
      })
      yield* sql`
        UPDATE orders SET conversation_id = ${code} WHERE operator_id = ${operatorId} AND reservation_code = ANY (${orders})`
      return { conversation: code }
    }, Effect.orDie),
    order: (propertyId: number | null, options: Parameters<typeof orderOf>[2] = { channelType: "airbnb" }) =>
      orderOf(operatorId, [{ propertyId }], options),
    listing: (options: Parameters<typeof listingOf>[2]) => listingOf(operatorId, accountId, options)
  }
}).pipe(Effect.orDie)

export const STRANGER: KnowledgeAsker = { anonymous: true }
