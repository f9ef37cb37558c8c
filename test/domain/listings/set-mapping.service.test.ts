import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { LISTINGS_PER_MAPPING, RATIO_MAX } from "../../../src/platform/limits.ts"
import { createHostWithProperties } from "../../support/domain/host-client.ts"
import { loadAuditRecordLines } from "../../support/domain/listings/listing-events.ts"
import { call, callForResponse, createAccessToken, layerTest } from "../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../support/listings.ts"

/** A host with a property, a room type and a listing that is mapped to nothing. */
const createHost = Effect.gen(function* () {
  const host = yield* createHostWithProperties("Harbour 1")
  const [property_id = 0] = host.propertyIds
  const { room_type_id } = yield* host.api.create_room_type({ title: "Double" }).pipe(host.as)
  const account = yield* insertChannelAccount(host.operatorId)
  const listing = { channel_type: "airbnb", listing_id: yield* insertListing(host.operatorId, account) } as const
  const set = (fields: object, key?: string) =>
    callForResponse(host.token, "set_listing_mapping", { ...listing, ...fields }, key)
  return { ...host, property_id, room_type_id, account, listing, set }
})

/** What the table has of an operator's listings. */
const loadMappings = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    SELECT property_id, room_type_id, ratio, ratio_readonly FROM listings WHERE operator_id = ${operatorId} ORDER BY id`
})

const UNMAPPED = { property_id: null, room_type_id: null, ratio: 100, ratio_readonly: false }

layer(layerTest)("the mapping of a listing", (it) => {
  it.effect("is set to a property, to a room type and to nothing, and leaves a trail", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property_id, room_type_id, listing } = yield* createHost
      const before = (yield* loadAuditRecordLines(operatorId)).length
      const none = { ...listing, property_id: null, room_type_id: null, ratio: 100, readonly: false }
      const set = (fields: object) =>
        Effect.map(api.set_listing_mapping({ ...listing, ...fields }).pipe(as), ({ mapping }) => mapping)
      assert.deepStrictEqual(yield* set({ property_id }), { ...none, property_id })
      assert.deepStrictEqual(yield* set({ room_type_id, property_id: null }), { ...none, room_type_id })
      assert.deepStrictEqual(yield* set({ property_id: null, room_type_id: null }), none)
      const trail = (yield* loadAuditRecordLines(operatorId)).slice(before)
      assert.deepStrictEqual(
        trail.map((line) => line.replace(/^listing:\d+ /, "")),
        ["property_id", "property_id room_type_id", "room_type_id"]
      )
    })
  )

  it.effect("and its ratio are set together or one by one; what a call leaves out stays", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property_id, listing } = yield* createHost
      const set = (fields: object) => api.set_listing_mapping({ ...listing, ...fields }).pipe(as)
      yield* set({ property_id, ratio: 115, readonly: true })
      const { mapping } = yield* set({ ratio: 120 })
      // A ratio is shown as everywhere: -1 where the prices are not to be set from here.
      assert.deepStrictEqual([mapping.ratio, mapping.readonly], [-1, true])
      yield* set({ readonly: false })
      const row = { property_id, room_type_id: null, ratio: 120, ratio_readonly: false }
      assert.deepStrictEqual(yield* loadMappings(operatorId), [row])
      const { channels } = yield* api.get_pricing_ratios({ property_id }).pipe(as)
      assert.deepStrictEqual(
        channels.map(({ ratio }) => ratio),
        [120]
      )
      yield* set({ property_id: null, room_type_id: null })
      assert.deepStrictEqual(yield* loadMappings(operatorId), [{ ...row, property_id: null }])
    })
  )

  it.effect("is set once under a key, and answered again from it", () =>
    Effect.gen(function* () {
      const { operatorId, property_id, set } = yield* createHost
      const first = yield* set({ property_id, ratio: 115 }, "once")
      yield* set({ ratio: 130 })
      const again = yield* set({ property_id, ratio: 115 }, "once")
      assert.strictEqual(again.headers["idempotent-replayed"], "true")
      assert.deepStrictEqual(again.envelope.data, first.envelope.data)
      assert.deepInclude((yield* loadMappings(operatorId))[0], { ratio: 130 })
      assert.strictEqual((yield* set({ property_id, ratio: 116 }, "once")).envelope.error_code, 422)
    })
  )

  it.effect("is refused with its reason, and then nothing of the call is done", () =>
    Effect.gen(function* () {
      const { operatorId, property_id, room_type_id, set } = yield* createHost
      const ids = "property_id, room_type_id: give one of them, or null in both to remove the mapping."
      for (const [fields, code, message] of [
        [{}, 400, "property_id, room_type_id, ratio, readonly: give at least one of them."],
        [{ property_id, room_type_id }, 400, ids],
        [{ property_id: null }, 400, ids],
        [{ room_type_id: null, ratio: 90 }, 400, ids],
        [{ property_id: 999_999_999, ratio: 90 }, 404, "property_id: no such property."],
        [{ room_type_id: 999_999_999, ratio: 90 }, 404, "room_type_id: no such room type."],
        [{ property_id, ratio: 0 }, 422, `ratio: must be from 1 to ${RATIO_MAX}.`],
        [{ property_id, ratio: RATIO_MAX + 1 }, 422, `ratio: must be from 1 to ${RATIO_MAX}.`],
        [{ property_id, channel_type: "vrbo" }, 404, "listing_id: no such listing."],
        [{ property_id, listing_id: "none" }, 404, "listing_id: no such listing."]
      ] as const) {
        const { envelope } = yield* set(fields)
        assert.deepStrictEqual([envelope.error_code, envelope.error_msg], [code, message])
      }
      assert.deepStrictEqual(yield* loadMappings(operatorId), [UNMAPPED])
    })
  )

  it.effect(`has room for ${LISTINGS_PER_MAPPING} listings of a property`, () =>
    Effect.gen(function* () {
      const { operatorId, account, property_id, set } = yield* createHost
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, property_id,
          created_at, updated_at)
        SELECT ${operatorId}::bigint, ${account}::bigint, 'airbnb', 'filler ' || n, 'Filler', 'EUR', 'on',
          ${property_id}::bigint, now(), now()
        FROM generate_series(1, ${LISTINGS_PER_MAPPING}::int) n`
      const full = yield* set({ property_id, ratio: 90 })
      assert.deepStrictEqual(
        [full.envelope.error_code, full.envelope.error_msg],
        [
          422,
          `listing_id: at most ${LISTINGS_PER_MAPPING} listings can be mapped to one property or room type, deleted ones included.`
        ]
      )
      assert.deepStrictEqual((yield* loadMappings(operatorId))[0], UNMAPPED)
      yield* sql`DELETE FROM listings WHERE operator_id = ${operatorId} AND listing_id = 'filler 1'`
      assert.strictEqual((yield* set({ property_id })).envelope.error_code, 0)
    })
  )

  it.effect("of another operator is not there, nor is what another operator has to sell", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* createHost, yield* createHost]
      const codes = yield* Effect.forEach(
        [
          { ...theirs.listing, property_id: mine.property_id },
          { ...theirs.listing, property_id: null, room_type_id: null },
          { ...theirs.listing, ratio: 50 },
          { ...mine.listing, property_id: theirs.property_id },
          { ...mine.listing, room_type_id: theirs.room_type_id }
        ],
        (fields) => Effect.map(call(mine.token, "set_listing_mapping", fields), ({ error_code }) => error_code)
      )
      assert.deepStrictEqual(codes, [404, 404, 404, 404, 404])
      for (const { operatorId } of [mine, theirs]) assert.deepStrictEqual(yield* loadMappings(operatorId), [UNMAPPED])
    })
  )

  it.effect("is not set by a token that only reads", () =>
    Effect.gen(function* () {
      const { operatorId, accountId, property_id, listing } = yield* createHost
      const token = yield* createAccessToken({ operatorId, accountId }, "read-only")
      const envelope = yield* call(token, "set_listing_mapping", { ...listing, property_id })
      assert.strictEqual(envelope.error_code, 401)
      assert.deepStrictEqual(yield* loadMappings(operatorId), [UNMAPPED])
    })
  )
})
