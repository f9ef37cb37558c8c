import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import { LISTING_JSON_LENGTH, LISTING_TEXT_LENGTH } from "../../../src/platform/limits.ts"
import { layerWithoutRateWindows, NOW_ISO } from "../../support/domain/bookings/reservations/reservation-operator.ts"
import { countRows, createHostClient } from "../../support/domain/host-client.ts"
import {
  makeAccountEvent,
  makeListingEvent,
  toChannelAccountRef
} from "../../support/domain/listings/listing-events.ts"
import { createOperator } from "../../support/harness.ts"
import { insertChannelAccount } from "../../support/listings.ts"

const layerIngest = Layer.provideMerge(Ingest.layer, layerWithoutRateWindows)

/** All that is kept of an operator's accounts and listings, and of who changed them. */
const keptOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(
    ["channel_accounts", "listings", "trail"],
    (name) =>
      sql<{ row: string }>`SELECT t::text AS row FROM ${sql(name)} t WHERE operator_id = ${operatorId} ORDER BY 1`
  )
})

const hearing = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse(NOW_ISO))
  const operator = yield* createHostClient()
  const account = yield* insertChannelAccount(operator.operatorId)
  const ingest = yield* Ingest
  const hear = (said: unknown) => ingest.ingest(toChannelAccountRef(operator.operatorId, account), said)
  return { ...operator, account, ingest, hear }
})

layer(layerIngest, { excludeTestServices: false })("accounts and listings that channels speak of", (it) => {
  it.effect("are as they are said to be, told by the channel in the trail", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, account, hear } = yield* hearing
      const left = makeAccountEvent(2, { auth_status: "exception" })
      assert.deepStrictEqual(yield* hear(left), { outcome: "applied" })
      assert.deepStrictEqual(yield* hear(left), { outcome: "known" })
      assert.deepStrictEqual(yield* hear(makeAccountEvent(1)), { outcome: "late" })
      const { channel_accounts } = yield* api.search_channel_accounts({}).pipe(as)
      assert.deepInclude(channel_accounts[0], { id: account, auth_status: "exception" })

      assert.deepStrictEqual(yield* hear(makeListingEvent(2, { metadata: { city: "Lisbon" } })), { outcome: "applied" })
      assert.deepStrictEqual(yield* hear(makeListingEvent(2)), { outcome: "known" })
      assert.deepStrictEqual(yield* hear(makeListingEvent(1)), { outcome: "late" })
      const { listings } = yield* api.search_listings({}).pipe(as)
      assert.deepInclude(listings[0], {
        metadata: { city: "Lisbon" },
        created_at: NOW_ISO,
        channel_account_id: account
      })

      const sql = yield* SqlClient.SqlClient
      const trail = yield* sql<{ told: string }>`
        SELECT application || ', ' || operation || ', ' || record AS told FROM trail
        WHERE operator_id = ${operatorId} ORDER BY id`
      assert.deepStrictEqual(
        trail.map(({ told }) => told),
        [
          `channel airbnb, ingest account, channel_account:${account}`,
          `channel airbnb, ingest listing, listing:${listings[0]?.id}`
        ]
      )
    })
  )

  it.effect("are refused where they cannot be so, and nothing is changed", () =>
    Effect.gen(function* () {
      const { operatorId, account, ingest, hear } = yield* hearing
      yield* hear(makeListingEvent(1))
      const before = yield* keptOf(operatorId)
      const reasonOf = (said: unknown) =>
        Effect.map(hear(said), (heard) => (heard.outcome === "refused" ? heard.reason : heard.outcome))
      for (const [said, reason] of [
        [{ ...makeAccountEvent(3), auth_status: "unknown" }, /^auth_status: must be one of /],
        [{ ...makeAccountEvent(3), username: "\u0000" }, /^username: /],
        [{ ...makeListingEvent(3), title: "x".repeat(LISTING_TEXT_LENGTH + 1) }, /^title: must be at most/],
        [{ ...makeListingEvent(3), title: "half \ud800" }, /^title: /],
        [{ ...makeListingEvent(3), metadata: { note: "\u0000" } }, /^metadata/],
        [{ ...makeListingEvent(3), metadata: "none" }, /^metadata: /],
        [{ ...makeListingEvent(3), metadata: { note: "x".repeat(LISTING_JSON_LENGTH) } }, /^metadata: must be at most/],
        [{ ...makeListingEvent(3), shelf_status: "sold" }, /^shelf_status: /],
        [{ ...makeListingEvent(3), inventory: -1 }, /^inventory: /],
        [{ ...makeListingEvent(3), currency: "EURO" }, /^currency: /],
        [{ ...makeListingEvent(3), listing_id: "" }, /^listing_id: must not be empty/]
      ] as const) {
        assert.match(yield* reasonOf(said), reason)
      }
      const other = yield* createOperator()
      for (const said of [makeAccountEvent(9), makeListingEvent(9)]) {
        const heard = yield* ingest.ingest(toChannelAccountRef(other.operatorId, account), said)
        assert.strictEqual(heard.outcome, "refused")
      }
      assert.deepStrictEqual(yield* keptOf(operatorId), before)
      assert.deepStrictEqual(yield* hear(makeListingEvent(3)), { outcome: "applied" })
      assert.notDeepEqual(yield* keptOf(operatorId), before)
      assert.strictEqual(yield* countRows(other.operatorId, "listings"), 0)
    })
  )
})
