import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Ingest } from "../../../../src/connectors/ingest/Ingest.ts"
import { ChannelRefused, ChannelUnavailable } from "../../../../src/domain/channels/port/errors.ts"
import { layerWithoutRateWindows } from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  DAY_MS,
  loadOfferRows,
  makeOfferEvent,
  OFFER_DATES,
  prepareOfferConversation
} from "../../../support/domain/guests/special-offers/offer-conversation.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { countStatements } from "../../../support/statement-count.ts"

const INQUIRY = { checkInDate: OFFER_DATES.check_in_date, checkOutDate: OFFER_DATES.check_out_date }

/** A guest who was made an offer. */
const offered = Effect.gen(function* () {
  const at = yield* prepareOfferConversation({ inquiry: INQUIRY })
  yield* at.sendOffer()
  const [offer] = yield* at.offers
  const special_offer_id = offer?.id ?? ""
  const { ingest } = yield* Ingest
  const speaker = { operatorId: at.operatorId, accountId: at.accountId, channelType: at.channelType }
  return {
    ...at,
    special_offer_id,
    withdraw: at.callInConversation("withdraw_special_offer", { special_offer_id }),
    status: Effect.map(at.offers, ([shown]) => shown?.status),
    withdrawnThere: Effect.map(at.channel.guests.withdrawnOfferIds, (all) =>
      all.filter((id) => id === special_offer_id)
    ),
    hear: (version: number, status: "active" | "accepted" | "declined" | "expired" | "withdrawn") =>
      ingest(speaker, makeOfferEvent(at, version, { offer_id: special_offer_id, status }))
  }
})

const layerTold = Layer.provideMerge(Ingest.layer, layerWithoutRateWindows)

layer(layerTold, { excludeTestServices: false })("an offer that is withdrawn", (it) => {
  it.effect("is so at its channel and here, once", () =>
    Effect.gen(function* () {
      const { withdraw, status, withdrawnThere } = yield* offered
      const [answer, statements] = yield* countStatements(withdraw)
      assert.deepInclude(answer, { error_code: 0, data: {} })
      assert.isAtMost(statements, 3, "the token and two")
      assert.strictEqual(yield* status, "withdrawn")
      const conflict = yield* withdraw
      assert.deepStrictEqual([conflict.error_code, fieldOfError(conflict)], [409, "special_offer_id"])
      assert.include(conflict.error_msg, "withdrawn")
      assert.lengthOf(yield* withdrawnThere, 1)
    })
  )

  it.effect("may be a pre-approval", () =>
    Effect.gen(function* () {
      const { callInConversation: ask, offers } = yield* offered
      yield* ask("send_preapproval")
      const approved = Effect.map(offers, (all) => all.find(({ offer_type }) => offer_type === "preapproval"))
      const special_offer_id = (yield* approved)?.id
      assert.strictEqual((yield* ask("withdraw_special_offer", { special_offer_id })).error_code, 0)
      assert.deepInclude(yield* approved, { status: "withdrawn" })
    })
  )

  it.effect("was active by the clock: a millisecond later it has expired", () =>
    Effect.gen(function* () {
      const { withdraw, status, withdrawnThere } = yield* offered
      yield* TestClock.adjust(DAY_MS)
      const conflict = yield* withdraw
      assert.deepStrictEqual([conflict.error_code, fieldOfError(conflict)], [409, "special_offer_id"])
      assert.include(conflict.error_msg, "expired")
      assert.isEmpty(yield* withdrawnThere)
      assert.strictEqual(yield* status, "expired")
      const again = yield* offered
      yield* TestClock.adjust(DAY_MS - 1)
      assert.strictEqual((yield* again.withdraw).error_code, 0)
    })
  )

  it.effect("is one of the conversation: else it is 404, and a stranger's is 403", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* offered, yield* offered]
      const asking = (fields: object) => mine.callInConversation("withdraw_special_offer", fields)
      const nothing = "special_offer_id: the conversation has no such offer."
      for (const special_offer_id of ["O-nothing", theirs.special_offer_id]) {
        assert.deepInclude(yield* asking({ special_offer_id }), { error_code: 404, error_msg: nothing })
      }
      const { conversation_id, special_offer_id } = theirs
      assert.strictEqual((yield* asking({ conversation_id, special_offer_id })).error_code, 403)
      assert.strictEqual(yield* theirs.status, "active")
    })
  )

  for (const status of ["accepted", "declined", "expired", "withdrawn"] as const) {
    it.effect(`and is ${status} already is 409, and its channel is not told`, () =>
      Effect.gen(function* () {
        const { withdraw, hear, withdrawnThere } = yield* offered
        yield* hear(1, status)
        const conflict = yield* withdraw
        assert.deepStrictEqual([conflict.error_code, fieldOfError(conflict)], [409, "special_offer_id"])
        assert.include(conflict.error_msg, status)
        assert.isEmpty(yield* withdrawnThere)
      })
    )
  }

  it.effect("while the guest accepts it is refused by the channel, and becomes what that says", () =>
    Effect.gen(function* () {
      const { withdraw, channel, special_offer_id, status, hear, operatorId } = yield* offered
      yield* channel.setResponse(special_offer_id, Effect.fail(new ChannelRefused({ reason: "accepted" })))
      const before = yield* loadOfferRows(operatorId)
      const conflict = yield* withdraw
      assert.deepStrictEqual([conflict.error_code, fieldOfError(conflict)], [409, "special_offer_id"])
      assert.include(conflict.error_msg, "accepted")
      assert.deepStrictEqual(yield* loadOfferRows(operatorId), before)
      yield* hear(1, "accepted")
      assert.strictEqual(yield* status, "accepted")
    })
  )

  it.effect("stays so whatever was said of it before and comes later", () =>
    Effect.gen(function* () {
      const { withdraw, status, hear } = yield* offered
      yield* withdraw
      assert.deepStrictEqual(yield* hear(1, "active"), { outcome: "applied" })
      assert.strictEqual(yield* status, "withdrawn")
      yield* hear(2, "withdrawn")
      assert.strictEqual(yield* status, "withdrawn")
    })
  )

  it.effect("at a channel that is away is as it was, and can be tried again", () =>
    Effect.gen(function* () {
      const { withdraw, status, channel, special_offer_id, withdrawnThere } = yield* offered
      for (const code of [502, 503, 504] as const) {
        yield* channel.setResponse(special_offer_id, Effect.fail(new ChannelUnavailable({ code })))
        assert.strictEqual((yield* withdraw).error_code, code)
        assert.strictEqual(yield* status, "active")
      }
      yield* channel.setResponse(special_offer_id, Effect.void)
      assert.strictEqual((yield* withdraw).error_code, 0)
      assert.lengthOf(yield* withdrawnThere, 1)
    })
  )
})
