import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../../src/admission/windows/RateWindows.ts"
import { makeExpireOffers, OFFER_EXPIRY_BATCH_SIZE } from "../../../../src/domain/guests/special-offers/offer-expiry.ts"
import { loadAuditLines } from "../../../support/changes/keyed-calls.ts"
import { loadEvents } from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  DAY_MS,
  type OfferConversation,
  prepareOfferConversation
} from "../../../support/domain/guests/special-offers/offer-conversation.ts"
import { layerService } from "../../../support/harness.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"

/** Writes down so many offers that end a day from the scene's beginning. */
const many = Effect.fnUntraced(function* ({ operatorId }: OfferConversation, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO special_offers (operator_id, conversation_id, offer_id, offer_type, status, check_in_date, check_out_date,
      number_of_adults, number_of_children, number_of_infants, number_of_pets, price, expires_at, created_at)
    SELECT operator_id, id, 'O-' || n, 'special_offer', 'active', '2027-05-04', '2027-05-05', 1, 0, 0, 0, 1,
      timestamptz '2027-04-21T10:00:00Z', timestamptz '2027-04-20T10:00:00Z'
    FROM conversations, generate_series(1, ${count}::int) n WHERE operator_id = ${operatorId}`
})

const statusesOf = Effect.fnUntraced(function* ({ operatorId }: OfferConversation) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ status: string; offers: number }>`
    SELECT status, count(*)::int AS offers FROM special_offers WHERE operator_id = ${operatorId} GROUP BY status`
  return Object.fromEntries(rows.map(({ status, offers }) => [status, offers]))
})

// It expires offers of every operator, so those of other files' tests must not be there.
layer(layerService(layerOwnDatabase, RateWindows.layerUnbounded), { excludeTestServices: false })(
  "an offer that nobody takes",
  (it) => {
    it.effect("expires after its time, and not a millisecond before; who reads it need not wait for that", () =>
      Effect.gen(function* () {
        const at = yield* prepareOfferConversation()
        const shown = Effect.map(at.offers, ([offer]) => offer?.status)
        yield* at.sendOffer()
        const once = yield* makeExpireOffers
        yield* TestClock.adjust(DAY_MS - 1)
        yield* once
        assert.deepStrictEqual([yield* shown, yield* statusesOf(at)], ["active", { active: 1 }])
        yield* TestClock.adjust(1)
        assert.deepStrictEqual([yield* shown, yield* statusesOf(at)], ["expired", { active: 1 }])
        yield* once
        assert.deepStrictEqual([yield* shown, yield* statusesOf(at)], ["expired", { expired: 1 }])
        yield* once
        const [, ...more] = yield* loadAuditLines(at.operatorId)
        const [offer] = yield* at.offers
        assert.deepStrictEqual(more, [`expire offers special_offer:${offer?.id} status`])
        assert.isEmpty(yield* loadEvents(at.operatorId))
      })
    )

    it.effect("expires once, however many there are and however many look at once", () =>
      Effect.gen(function* () {
        const at = yield* prepareOfferConversation()
        yield* many(at, OFFER_EXPIRY_BATCH_SIZE + 1)
        yield* TestClock.adjust(DAY_MS)
        const once = yield* makeExpireOffers
        yield* Effect.all([once, once, once], { concurrency: "unbounded" })
        // What another has in hand one passes by.
        yield* once
        assert.deepStrictEqual(yield* statusesOf(at), { expired: OFFER_EXPIRY_BATCH_SIZE + 1 })
        assert.lengthOf(yield* loadAuditLines(at.operatorId), OFFER_EXPIRY_BATCH_SIZE + 1)
      })
    )

    it.effect("and was withdrawn stays so", () =>
      Effect.gen(function* () {
        const at = yield* prepareOfferConversation()
        yield* at.sendOffer()
        const [offer] = yield* at.offers
        yield* at.callInConversation("withdraw_special_offer", { special_offer_id: offer?.id })
        yield* TestClock.adjust(2 * DAY_MS)
        yield* yield* makeExpireOffers
        assert.deepStrictEqual(yield* statusesOf(at), { withdrawn: 1 })
      })
    )
  }
)
