import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { KnowledgeAnswers, type KnowledgeAsker } from "../../../../../src/domain/knowledge/search/KnowledgeAnswers.ts"
import { insertConversation } from "../../../conversations.ts"
import { insertOrder } from "../../../harness.ts"
import { insertChannelAccount, insertListing } from "../../../listings.ts"
import { createEntryWriter } from "../entry-writer.ts"
import {
  emptyEntryTables,
  layerPreparationService as layerPrepared,
  makePreparationWorker,
  prepareAllDue
} from "../preparing/preparation-service.ts"

// A host whose entries are prepared, and the guests who ask.

export const layerKnowledgeSearch = Layer.provideMerge(KnowledgeAnswers.layer, layerPrepared)

export const WIFI_ENTRY = {
  title: "Wi-Fi",
  contents: [{ sub_title: "Network", text: "The network is Harbour. The password is sail-away." }]
}
export const ARRIVAL_ENTRY = {
  title: "Arrival",
  contents: [{ sub_title: "Keys", text: "The code of the key box is 4711." }]
}
export const TRANSIT_ENTRY = {
  title: "Public transport",
  contents: [{ sub_title: "", text: "Take bus 5 to Fish Market." }]
}

export const PASSWORD_QUESTION = "What is the wifi password?"

/** A host with two properties, on a day before all stays. */
export const prepareKnowledgeHost = Effect.gen(function* () {
  yield* emptyEntryTables
  const sql = yield* SqlClient.SqlClient
  const host = yield* createEntryWriter("Harbour 1", "Harbour 2")
  const { operatorId } = host
  const { ask } = yield* KnowledgeAnswers
  const worker = yield* makePreparationWorker
  const accountId = yield* insertChannelAccount(operatorId)
  return {
    ...host,
    accountId,
    propertyIds: [
      host.propertyIds[0] ?? assert.fail("propertyIds has no item 0"),
      host.propertyIds[1] ?? assert.fail("propertyIds has no item 1")
    ] as const,
    prepareEntries: prepareAllDue(worker),
    /** Writes entries and prepares them; answers the ids. */
    createPreparedEntries: (...entries: ReadonlyArray<Parameters<typeof host.createEntry>[0]>) =>
      Effect.tap(Effect.forEach(entries, host.createEntry), prepareAllDue(worker)),
    /** What is answered, sentence by sentence. */
    findAnswerTexts: (asker: KnowledgeAsker, ...messages: ReadonlyArray<string>) =>
      Effect.map(ask(operatorId, asker, messages), (sentences) => sentences.map(({ text }) => text)),
    /** A conversation, linked to these orders. */
    insertLinkedConversation: Effect.fnUntraced(function* (
      orders: ReadonlyArray<string>,
      options: { readonly listingId?: string } = {}
    ) {
      const dates = { checkInDate: "2027-05-01", checkOutDate: "2027-05-04" }
      const { code } = yield* insertConversation({
        operatorId,
        accountId,
        channelType: "airbnb",
        ...(options.listingId === undefined ? {} : { inquiry: { listingId: options.listingId, ...dates } })
      })
      yield* sql`
        UPDATE orders SET conversation_id = ${code} WHERE operator_id = ${operatorId} AND reservation_code = ANY (${orders})`
      return { conversation: code }
    }, Effect.orDie),
    createOrder: (propertyId: number | null, options: Parameters<typeof insertOrder>[2] = { channelType: "airbnb" }) =>
      insertOrder(operatorId, [{ propertyId }], options),
    createListing: (options: Parameters<typeof insertListing>[2]) => insertListing(operatorId, accountId, options)
  }
}).pipe(Effect.orDie)

export const ANONYMOUS_ASKER: KnowledgeAsker = { anonymous: true }
