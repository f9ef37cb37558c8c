import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { create_knowledge_base } from "../../../../src/domain/knowledge/contract.ts"
import { createHostWithProperties } from "../host-client.ts"

// Entries as a host writes them.

type Entry = typeof create_knowledge_base.payloadSchema.Type

/** What an entry cannot do without, for all properties and channels. */
export const PARKING_ENTRY: Entry = {
  is_enable: true,
  scope_property: { type: "all", ids: [-1] },
  scope_channel: { type: "all", channels: ["unlimited"] },
  contents: [{ sub_title: "Garage", text: "Two streets away." }]
}

/** A host with these properties, who writes entries; `write` answers the id. */
export const createEntryWriter = Effect.fnUntraced(function* (...titles: ReadonlyArray<string>) {
  const host = yield* createHostWithProperties(...titles)
  const { api, as } = host
  return {
    ...host,
    createEntry: (entry: Partial<Entry> = {}) =>
      api.create_knowledge_base({ ...PARKING_ENTRY, ...entry }).pipe(
        as,
        Effect.map(({ id }) => id)
      ),
    getEntry: (id: number) =>
      api.get_knowledge_base({ id }).pipe(
        as,
        Effect.map(({ knowledge_base }) => knowledge_base)
      ),
    /** The ids a search finds. */
    searchEntryIds: (search: Parameters<typeof api.search_knowledge_bases>[0]) =>
      api.search_knowledge_bases(search).pipe(
        as,
        Effect.map(({ knowledge_bases }) => knowledge_bases.map(({ id }) => id))
      )
  }
})

/** What an operator's entries are searched by: `id/revision: text`. */
export const loadFragments = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: number; revision: number; text: string }>`
    SELECT knowledge_base_id AS id, revision, text FROM knowledge_fragments WHERE operator_id = ${operatorId}
    ORDER BY knowledge_base_id, revision, place`
  return rows.map(({ id, revision, text }) => `${id}/${revision}: ${text}`)
}, Effect.orDie)
