import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ChannelAccountEvent, ChannelListingEvent } from "../../../../src/domain/channels/port/channel-events.ts"
import type { ChannelAccountRef } from "../../../../src/domain/channels/port/event-handling.ts"

// What channels say, for tests that let them.

export const EVENT_TIME = new Date("2027-04-20T10:00:00Z")

export const toChannelAccountRef = (
  operatorId: number,
  accountId: number,
  channelType = "airbnb"
): ChannelAccountRef => ({
  operatorId,
  accountId,
  channelType
})

export const makeAccountEvent = (
  version: number,
  overrides: Partial<ChannelAccountEvent> = {}
): ChannelAccountEvent => ({
  type: "account",
  version,
  username: "harbour",
  auth_status: "active",
  ...overrides
})

export const makeListingEvent = (
  version: number,
  overrides: Partial<ChannelListingEvent> = {}
): ChannelListingEvent => ({
  type: "listing",
  version,
  listing_id: "300-77",
  title: "Harbour view",
  currency: "EUR",
  inventory: 1,
  shelf_status: "on",
  ...overrides
})

/** All orders of some things. */
export const listPermutations = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0
    ? [[]]
    : all.flatMap((first, at) =>
        listPermutations(all.filter((_, other) => other !== at)).map((rest) => [first, ...rest])
      )

/** What the trail tells of an operator, oldest first: `record field field`. */
export const loadAuditRecordLines = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ record: string; fields: ReadonlyArray<string> }>`
    SELECT record, fields FROM trail WHERE operator_id = ${operatorId} ORDER BY id`
  return rows.map(({ record, fields }) => [record, ...fields].join(" "))
})
