import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import { layerSandbox } from "../../../src/connectors/sandbox/layer.ts"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { SandboxAccess } from "../../../src/connectors/sandbox/SandboxAccess.ts"
import { addDays } from "../../../src/contract/time.ts"
import {
  layerWithoutRateWindows,
  MANUAL_RESERVATION,
  prepareOperator
} from "../../support/domain/bookings/reservations/reservation-operator.ts"
import { insertProperty } from "../../support/harness.ts"

const ROUNDS = 200
const LISTINGS = 4

const layerSelling = layerSandbox.pipe(
  Layer.provide([Ingest.layer, SandboxAccess.layerAlways]),
  Layer.provideMerge(layerWithoutRateWindows)
)

/** A property, and its listing at a marketplace that sells at once. */
const onSale = Effect.fnUntraced(function* (operatorId: number, nth: number) {
  const sql = yield* SqlClient.SqlClient
  const property_id = yield* insertProperty(operatorId, `Pier ${nth}`)
  const { listing_id } = yield* Marketplace.use((market) =>
    market.openListing({
      operator_id: operatorId,
      channel_type: "booking.com",
      username: `pier-${nth}`,
      title: `Pier ${nth}`
    })
  )
  yield* sql`
    UPDATE listings SET property_id = ${property_id} WHERE operator_id = ${operatorId} AND listing_id = ${listing_id}`
  return { property_id, listing_id }
})

layer(layerSelling)("one night that a guest of a marketplace and the host want at once", (it) => {
  it.effect(`has one holder, ${ROUNDS} times, and the sold order that comes second is in the box`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { api, as, operatorId } = yield* prepareOperator
      const market = yield* Marketplace
      const places = yield* Effect.forEach(Array.from({ length: LISTINGS }), (_, nth) => onSale(operatorId, nth))

      // How long the host waits: longer after each win and shorter after each loss, so that both are close and either is
      // first now and then, on a fast database as on a slow one.
      const turnsToWait = new Map<number, number>()

      /** The nth night of a place, wanted by both; whether the host's reservation was made. */
      const round = Effect.fnUntraced(function* ({ property_id, listing_id }: (typeof places)[number], nth: number) {
        const turns = turnsToWait.get(property_id) ?? 0
        const dates = { check_in_date: addDays("2027-05-01", nth), check_out_date: addDays("2027-05-02", nth) }
        const sold = market.bookOrder({ operator_id: operatorId, listing_id, guest_name: "Ana Reis", ...dates })
        const byHand = api
          .create_reservation({ ...MANUAL_RESERVATION, ...dates, property_id, channel_id: `H${property_id}x${nth}` })
          .pipe(
            as,
            Effect.as(true),
            Effect.catchTag("Conflict", () => Effect.succeed(false))
          )
        const wait = Effect.repeat(Effect.yieldNow, { times: turns })
        const [{ heard, status }, made] = yield* Effect.all([sold, Effect.andThen(wait, byHand)], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual([heard, status], ["applied", "accepted"])
        turnsToWait.set(property_id, made ? 2 * turns + 10 : Math.floor(turns / 2))
        return made
      })

      const made = yield* Effect.forEach(
        places,
        (place) => Effect.forEach(Array.from({ length: ROUNDS / LISTINGS }), (_, nth) => round(place, nth)),
        { concurrency: "unbounded" }
      )
      const byHand = made.flat().filter((each) => each).length
      const [{ nights, boxed, odd } = { nights: 0, boxed: 0, odd: 1 }] = yield* sql<{
        nights: number
        boxed: number
        odd: number
      }>`
          SELECT (SELECT count(DISTINCT (property_id, day)) FROM calendar_days
              WHERE operator_id = ${operatorId} AND stay_id IS NOT NULL)::int AS nights,
            (SELECT count(*) FROM stays WHERE operator_id = ${operatorId} AND property_id IS NULL)::int AS boxed,
            (SELECT count(*) FROM stays_out_of_step WHERE operator_id = ${operatorId})::int AS odd`
      assert.deepStrictEqual({ nights, boxed, odd }, { nights: ROUNDS, boxed: byHand, odd: 0 })
      assert.isTrue(byHand > 0 && byHand < ROUNDS, `the host was first ${byHand} times`)
    })
  )
})
