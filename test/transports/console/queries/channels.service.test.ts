import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  CHANNEL_ACCOUNTS_MAX,
  CHANNELS_LISTINGS_MAX,
  FAILED_PUSHES_SHOWN,
  SCOPE_CHOICES_MAX
} from "../../../../src/platform/limits.ts"
import { AtChannels } from "../../../../src/transports/console/queries/AtChannels.ts"
import { FailedPushes } from "../../../../src/transports/console/queries/FailedPushes.ts"
import { OneListing } from "../../../../src/transports/console/queries/OneListing.ts"
import { asCaller } from "../../../support/console-caller.ts"
import { call, createOperator, insertProperty, layerTest } from "../../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { countStatements } from "../../../support/statement-count.ts"
import {
  findListingRowId,
  insertListings,
  insertPushes
} from "../../../support/transports/console/host/listing-rows.ts"

const layerDesk = Layer.mergeAll(AtChannels.layer, FailedPushes.layer, OneListing.layer).pipe(
  Layer.provideMerge(layerTest)
)

const NOW = new Date("2027-04-20T10:00:00Z")
const ALL = { account: undefined, isUnmappedOnly: undefined }

const atChannels = (operatorId: number, asked: Partial<typeof ALL> = {}, offset = 0) =>
  AtChannels.use((desk) => desk.of({ ...ALL, ...asked }, offset)).pipe(asCaller({ operatorId }))

const failedOf = (operatorId: number, offset = 0) =>
  FailedPushes.use((desk) => desk.of(NOW, offset)).pipe(asCaller({ operatorId }))

const listingAt = (operatorId: number, id: number) =>
  OneListing.use((desk) => desk.of(id, { first: "2027-05-01", last: "2027-05-03" })).pipe(asCaller({ operatorId }))

layer(layerDesk)("what a host has at channels", (it) => {
  it.effect("is read in one statement: accounts with how many listings, listings with what was told last", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour")
      const [one, two] = [
        yield* insertChannelAccount(operatorId),
        yield* insertChannelAccount(operatorId, { channelType: "vrbo" })
      ]
      yield* call(token, "create_room_type", { title: "Double", property_ids: [property] })
      const sql = yield* SqlClient.SqlClient
      const [type] = yield* sql<{ id: number }>`SELECT id FROM room_types WHERE operator_id = ${operatorId}`
      const sold = yield* insertListing(operatorId, one, { title: "Sold", propertyId: property, ratio: 110 })
      const rooms = yield* insertListing(operatorId, one, {
        title: "Rooms",
        ...(type === undefined ? {} : { roomTypeId: type.id })
      })
      const gone = yield* insertListing(operatorId, one, { title: "Gone" })
      yield* sql`UPDATE listings SET shelf_status = 'deleted' WHERE operator_id = ${operatorId} AND listing_id = ${gone}`
      const row = yield* findListingRowId(operatorId, sold)
      yield* insertPushes(operatorId, row, { state: "refused", reason: "no", settledAt: "2027-04-18T10:00:00Z" })
      yield* insertPushes(operatorId, row, { state: "pushed", settledAt: "2027-04-19T10:00:00Z" })
      const [{ accounts, listings, total }, statements] = yield* countStatements(atChannels(operatorId))
      assert.strictEqual(statements, 1)
      assert.deepStrictEqual(
        accounts.map(({ id, listings, unlinked }) => [id, listings, unlinked]),
        [
          [one, 3, 0],
          [two, 0, 0]
        ]
      )
      assert.strictEqual(total, 3)
      assert.deepStrictEqual(
        listings.map(({ title, link_type, link_title, ratio, push_state }) => [
          title,
          link_type,
          link_title,
          ratio,
          push_state
        ]),
        [
          ["Sold", "property", "Harbour", 110, "pushed"],
          ["Rooms", "room_type", "Double", 100, null],
          ["Gone", null, null, 100, null]
        ]
      )
      assert.strictEqual(new Date(listings[0]?.push_at ?? "").toISOString(), "2027-04-19T10:00:00.000Z")
      assert.deepStrictEqual((yield* atChannels(operatorId, { isUnmappedOnly: undefined }, 2)).listings.length, 1)
      assert.strictEqual(
        (yield* listingAt(operatorId, yield* findListingRowId(operatorId, rooms)))?.link_title,
        "Double"
      )
    }).pipe(Effect.orDie)
  )

  it.effect("is the operator's own: of another there is nothing, by whatever id", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* createOperator(), yield* createOperator()]
      const account = yield* insertChannelAccount(theirs.operatorId)
      const id = yield* findListingRowId(theirs.operatorId, yield* insertListing(theirs.operatorId, account))
      yield* insertPushes(theirs.operatorId, id, { state: "refused", settledAt: NOW.toISOString() })
      const nothing = { accounts: [], listings: [], total: 0 }
      assert.deepStrictEqual(yield* atChannels(mine.operatorId), nothing)
      assert.deepStrictEqual(
        yield* AtChannels.use((desk) => desk.of({ account, isUnmappedOnly: undefined }, 0)).pipe(asCaller(mine)),
        nothing
      )
      assert.deepStrictEqual(yield* failedOf(mine.operatorId), { pushes: [], total: 0 })
      assert.isUndefined(yield* listingAt(mine.operatorId, id))
      assert.strictEqual((yield* listingAt(theirs.operatorId, id))?.pushes.length, 1)
    })
  )

  it.effect("has as many accounts, listings, failures and choices as it may, and no more", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO channel_accounts (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
        SELECT ${operatorId}, 'airbnb', 'me', 'origin-' || at, 'active', 'sandbox', now() FROM generate_series(1, ${CHANNEL_ACCOUNTS_MAX}) at`
      const account = yield* insertChannelAccount(operatorId)
      yield* insertListings(operatorId, account, CHANNELS_LISTINGS_MAX + 1)
      const { accounts, listings, total } = yield* atChannels(operatorId)
      assert.deepStrictEqual(
        [accounts.length, listings.length, total],
        [CHANNEL_ACCOUNTS_MAX, CHANNELS_LISTINGS_MAX, CHANNELS_LISTINGS_MAX + 1]
      )
      const id = listings[0]?.id ?? 0
      yield* insertPushes(operatorId, id, { state: "dead", settledAt: NOW.toISOString() }, FAILED_PUSHES_SHOWN + 1)
      const [failed, statements] = yield* countStatements(failedOf(operatorId))
      assert.deepStrictEqual(
        [failed.pushes.length, failed.total, statements],
        [FAILED_PUSHES_SHOWN, FAILED_PUSHES_SHOWN + 1, 1]
      )
      const rest = yield* failedOf(operatorId, FAILED_PUSHES_SHOWN)
      assert.deepStrictEqual([rest.pushes.length, rest.total], [1, FAILED_PUSHES_SHOWN + 1])
      yield* sql`UPDATE operators SET room_limit = 1000 WHERE id = ${operatorId}`
      yield* sql`
        INSERT INTO properties (operator_id, title, created_at)
        SELECT ${operatorId}, 'Number ' || at, now() FROM generate_series(1, ${SCOPE_CHOICES_MAX + 2}) at`
      const [listing, ofListing] = yield* countStatements(listingAt(operatorId, id))
      assert.deepStrictEqual([listing?.properties.length, ofListing], [SCOPE_CHOICES_MAX + 1, 1])
    }).pipe(Effect.orDie)
  )
})
