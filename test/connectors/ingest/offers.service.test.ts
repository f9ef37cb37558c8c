import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import type { ChannelOfferEvent } from "../../../src/domain/channels/port/channel-events.ts"
import { makeExpireOffers } from "../../../src/domain/guests/special-offers/offer-expiry.ts"
import { loadAuditLines } from "../../support/changes/keyed-calls.ts"
import { makeChannelRoom, makeOrderEvent } from "../../support/connectors/ingest/channel-events.ts"
import {
  layerWithoutRateWindows,
  loadNightHolders
} from "../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  DAY_MS,
  loadOfferRows,
  makeOfferEvent,
  prepareOfferConversation
} from "../../support/domain/guests/special-offers/offer-conversation.ts"
import { listPermutations } from "../../support/domain/listings/listing-events.ts"
import { insertChannelAccount } from "../../support/listings.ts"

const talking = Effect.gen(function* () {
  const at = yield* prepareOfferConversation()
  const { ingest } = yield* Ingest
  const speaker = { operatorId: at.operatorId, accountId: at.accountId, channelType: "airbnb" }
  return {
    ...at,
    ingest,
    speaker,
    hear: (version: number, more: Partial<ChannelOfferEvent> = {}) =>
      ingest(speaker, makeOfferEvent(at, version, more)),
    shown: Effect.map(at.offers, ([offer]) => offer)
  }
})

layer(Layer.provideMerge(Ingest.layer, layerWithoutRateWindows), { excludeTestServices: false })(
  "an offer a channel tells of",
  (it) => {
    it.effect("is as its latest version says, whichever comes first", () =>
      Effect.gen(function* () {
        for (const versions of listPermutations([1, 2, 3])) {
          const { hear, shown, listing_id } = yield* talking
          for (const version of versions) {
            yield* hear(version, {
              price: 100 * version,
              number_of_children: version,
              expires_at: "2027-04-22T10:00:00+02:00"
            })
          }
          assert.deepStrictEqual(yield* shown, {
            id: "O-1",
            offer_type: "special_offer",
            status: "active",
            listing_id,
            check_in_date: "2027-05-04",
            check_out_date: "2027-05-07",
            nights: 3,
            number_of_guests: 5,
            price: 300,
            currency: "EUR",
            expire_time: "2027-04-22T10:00:00+02:00",
            create_time: "2027-04-20T10:00:00Z"
          })
        }
      })
    )

    it.effect("is heard once in each version, and one more of the same is no change", () =>
      Effect.gen(function* () {
        const { hear, operatorId } = yield* talking
        assert.deepStrictEqual(yield* hear(2), { outcome: "applied" })
        assert.deepStrictEqual(yield* hear(2), { outcome: "known" })
        assert.deepStrictEqual(yield* hear(1), { outcome: "late" })
        assert.deepStrictEqual(yield* hear(3), { outcome: "applied" })
        assert.deepStrictEqual(yield* hear(4, { status: "declined" }), { outcome: "applied" })
        assert.deepStrictEqual(yield* loadAuditLines(operatorId), [
          "ingest offer special_offer:O-1",
          "ingest offer special_offer:O-1 status"
        ])
      })
    )

    it.effect("said several times at once is one", () =>
      Effect.gen(function* () {
        const { hear, offers } = yield* talking
        const heard = yield* Effect.all([hear(1), hear(1), hear(2, { price: 400 }), hear(2, { price: 400 })], {
          concurrency: "unbounded"
        })
        assert.isEmpty(heard.filter(({ outcome }) => outcome === "refused"))
        assert.deepStrictEqual(
          (yield* offers).map(({ price }) => price),
          [400]
        )
      })
    )

    it.effect("is accepted also where it has expired here, and then its order is one as any other", () =>
      Effect.gen(function* () {
        const { hear, shown, api, as, ingest, speaker, listing_id, operatorId } = yield* talking
        yield* hear(1)
        yield* TestClock.adjust(DAY_MS)
        yield* yield* makeExpireOffers
        assert.deepInclude(yield* shown, { status: "expired" })
        assert.deepStrictEqual(yield* ingest(speaker, makeOrderEvent([makeChannelRoom(listing_id, { rate: 380 })])), {
          outcome: "applied"
        })
        yield* hear(2, { status: "accepted" })
        assert.deepInclude(yield* shown, { status: "accepted", price: 380 })
        const { reservations } = yield* api.search_reservations({ channel_id: "HM1" }).pipe(as)
        assert.deepStrictEqual(
          reservations.map(({ status, check_in_date }) => [status, check_in_date]),
          [["accepted", "2027-05-04"]]
        )
        assert.lengthOf(yield* loadNightHolders(operatorId), 3)
      })
    )

    it.effect("is good for longer where its channel says so later", () =>
      Effect.gen(function* () {
        const { hear, shown } = yield* talking
        yield* hear(1)
        yield* TestClock.adjust(DAY_MS)
        yield* yield* makeExpireOffers
        yield* hear(2, { expires_at: "2027-04-22T10:00:00Z" })
        assert.deepInclude(yield* shown, { status: "active", expire_time: "2027-04-22T10:00:00Z" })
        // What it says too late is over all the same.
        yield* hear(3, { expires_at: "2027-04-21T10:00:00Z" })
        assert.deepInclude(yield* shown, { status: "expired" })
      })
    )

    it.effect("is refused where it cannot be so, and nothing is changed", () =>
      Effect.gen(function* () {
        const { hear, ingest, speaker, operatorId, thread_id, listing_id } = yield* talking
        const theirs = yield* prepareOfferConversation()
        const second = yield* insertChannelAccount(operatorId)
        for (const [more, reason] of [
          [{ thread_id: "T-nowhere" }, /^thread_id: the account has no such thread$/],
          [{ thread_id: theirs.thread_id }, /^thread_id: /],
          [{ check_out_date: "2027-05-04" }, /^check_out_date: must be after check_in_date/],
          [{ price: 380.001 }, /^price: has more decimals than EUR has/],
          [{ price: -1 }, /^price: /],
          [{ offer_id: "" }, /^offer_id: must not be empty/]
        ] as const) {
          const heard = yield* hear(1, more)
          assert.match(heard.outcome === "refused" ? heard.reason : heard.outcome, reason)
        }
        for (const wrong of [
          { ...speaker, accountId: second },
          { ...speaker, channelType: "booking_site" }
        ]) {
          const heard = yield* ingest(wrong, makeOfferEvent({ thread_id, listing_id }, 1))
          assert.strictEqual(heard.outcome, "refused")
        }
        assert.isEmpty(yield* loadOfferRows(operatorId))
        assert.isEmpty(yield* loadOfferRows(theirs.operatorId))
      })
    )
  }
)
