import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { outcomeUnknownError } from "../../../../src/changes/external-action.ts"
import { CLAIM_MS } from "../../../../src/changes/IdempotencyKeys.ts"
import { Ingest } from "../../../../src/connectors/ingest/Ingest.ts"
import { ChannelUnavailable } from "../../../../src/domain/channels/port/errors.ts"
import {
  callWithKey,
  countIdempotencyKeys,
  loadAuditLines,
  summarizeResponse
} from "../../../support/changes/keyed-calls.ts"
import { layerWithoutRateWindows } from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  DAY_MS,
  makeOfferEvent,
  prepareOfferConversation
} from "../../../support/domain/guests/special-offers/offer-conversation.ts"
import { insertOrder } from "../../../support/harness.ts"

const DONE = { code: 0, data: "{}", replayed: false, retryAfter: undefined }
const AGAIN = { ...DONE, replayed: true }

const sending = Effect.gen(function* () {
  const at = yield* prepareOfferConversation()
  const { ingest } = yield* Ingest
  const under = (key: string | undefined) =>
    Effect.map(callWithKey(at.token, "send_special_offer", at.offerFields, key), summarizeResponse)
  return {
    ...at,
    under,
    sendKeyed: under("offer"),
    answers: (answer: Parameters<typeof at.channel.setResponse>[1]) => at.channel.setResponse(at.thread_id, answer),
    references: Effect.map(at.sentOffers, (all) => all.map(({ reference }) => reference)),
    hear: (offer_id: string, version = 1) =>
      ingest(
        { operatorId: at.operatorId, accountId: at.accountId, channelType: "airbnb" },
        makeOfferEvent(at, version, { offer_id })
      )
  }
})

/** The call is killed where it would write the offer down: the channel has made it, and nobody here knows. */
const killedAtItsRecord = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.provideService(Effect.exit(call), Statement.CurrentTransformer, (statement) => {
    const [text] = statement.compile()
    return text.includes("INSERT INTO special_offers") ? Effect.interrupt : Effect.succeed(statement)
  })

layer(Layer.provideMerge(Ingest.layer, layerWithoutRateWindows), { excludeTestServices: false })(
  "an offer with a key",
  (it) => {
    it.effect("is made once; without one, and under another, there are more", () =>
      Effect.gen(function* () {
        const { under, sendKeyed, references, offers, operatorId } = yield* sending
        assert.deepStrictEqual([yield* sendKeyed, yield* sendKeyed], [DONE, AGAIN])
        assert.lengthOf(yield* references, 1)
        assert.lengthOf(yield* loadAuditLines(operatorId), 1)
        for (const key of ["other", undefined, undefined]) assert.deepStrictEqual(yield* under(key), DONE)
        assert.strictEqual(new Set(yield* references).size, 4)
        assert.lengthOf(yield* offers, 4)
      })
    )

    it.effect("that was killed between the channel and its record is found by a repeat", () =>
      Effect.gen(function* () {
        const { sendKeyed, references, offers, operatorId } = yield* sending
        assert.isTrue(Exit.hasInterrupts(yield* killedAtItsRecord(sendKeyed)))
        assert.isEmpty(yield* offers)
        yield* TestClock.adjust(CLAIM_MS)
        assert.deepStrictEqual([yield* sendKeyed, yield* sendKeyed], [DONE, AGAIN])
        const [first, second, ...more] = yield* references
        assert.isEmpty(more)
        assert.strictEqual(second, first)
        assert.lengthOf(yield* offers, 1)
        assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 1, underWay: 0 })
      })
    )

    it.effect("that was killed so comes by the channel's own word, with a repeat before it or after it", () =>
      Effect.gen(function* () {
        for (const repeats of ["before", "after", "never"]) {
          const { sendKeyed, references, offers, hear } = yield* sending
          yield* killedAtItsRecord(sendKeyed)
          const offer_id = `O-${(yield* references)[0]}`
          yield* TestClock.adjust(CLAIM_MS)
          if (repeats === "before") assert.deepStrictEqual(yield* sendKeyed, DONE)
          assert.deepStrictEqual(yield* hear(offer_id), { outcome: "applied" })
          if (repeats === "after") assert.deepStrictEqual(yield* sendKeyed, DONE)
          assert.deepStrictEqual(
            (yield* offers).map(({ id, status }) => [id, status]),
            [[offer_id, "active"]]
          )
        }
      })
    )

    it.effect("told of by its channel before it is written down is one offer, as the channel says", () =>
      Effect.gen(function* () {
        const { sendKeyed, offers, hear, operatorId, thread_id } = yield* sending
        const sql = yield* SqlClient.SqlClient
        const heard = Effect.provideService(sendKeyed, Statement.CurrentTransformer, (statement) =>
          Effect.gen(function* () {
            const [text, values] = statement.compile()
            if (!text.includes("INSERT INTO special_offers")) return statement
            const offer_id = /"offer_id":"([^"]+)"/.exec(values.join())?.[1] ?? ""
            yield* Effect.provideService(hear(offer_id), Statement.CurrentTransformer, undefined)
            return statement
          })
        )
        assert.deepStrictEqual(yield* heard, DONE)
        assert.lengthOf(yield* offers, 1)
        const rows = yield* sql`
        SELECT o.version FROM special_offers o JOIN conversations USING (operator_id)
        WHERE operator_id = ${operatorId} AND thread_id = ${thread_id}`
        assert.deepStrictEqual(rows, [{ version: 1 }])
        // Both are told: the channel that said it, and who asked for it.
        assert.deepStrictEqual(
          (yield* loadAuditLines(operatorId)).map((each) => each.split(" ").slice(0, 2).join(" ")),
          ["ingest offer", `send_special_offer special_offer:${(yield* offers)[0]?.id}`]
        )
      })
    )

    it.effect("that its channel did not answer is asked for again under the same reference", () =>
      Effect.gen(function* () {
        const { sendKeyed, answers, channel, offers, references, thread_id } = yield* sending
        for (const code of [502, 503, 504] as const) {
          yield* answers(Effect.fail(new ChannelUnavailable({ code })))
          assert.strictEqual((yield* sendKeyed).code, code)
        }
        yield* answers(Effect.void)
        assert.deepStrictEqual([yield* sendKeyed, yield* sendKeyed], [DONE, AGAIN])
        assert.lengthOf(
          (yield* channel.requests).filter((act) => act === `offer ${thread_id}`),
          4
        )
        assert.lengthOf(yield* references, 1)
        assert.lengthOf(yield* offers, 1)
      })
    )

    it.effect("that may have been made is not said to be refused when its nights have gone since", () =>
      Effect.gen(function* () {
        const {
          sendKeyed,
          operatorId,
          propertyId: property,
          token,
          offerFields: offered,
          sentOffers: offeredThere
        } = yield* sending
        yield* killedAtItsRecord(sendKeyed)
        yield* TestClock.adjust(CLAIM_MS)
        yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-05-05", checkOut: "2027-05-06" }])
        const { envelope } = yield* callWithKey(token, "send_special_offer", offered, "offer")
        assert.strictEqual(envelope.error_code, 409)
        assert.strictEqual(envelope.error_msg, outcomeUnknownError.message)
        assert.lengthOf(yield* offeredThere, 1)
      })
    )

    it.effect("that a caller hung up on is recorded by the repeat", () =>
      Effect.gen(function* () {
        const { sendKeyed, answers, offers, references } = yield* sending
        const [asked, agreed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        yield* answers(Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(agreed)))
        const first = yield* Effect.forkChild(sendKeyed)
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(first)
        assert.isEmpty(yield* offers)
        yield* Deferred.succeed(agreed, undefined)
        while ((yield* references).length === 0) yield* Effect.yieldNow
        yield* TestClock.adjust(CLAIM_MS)
        assert.deepStrictEqual(yield* sendKeyed, DONE)
        assert.lengthOf(yield* offers, 1)
        assert.strictEqual(new Set(yield* references).size, 1)
      })
    )

    it.effect("that is over is not passed off as a new one", () =>
      Effect.gen(function* () {
        const { under, sendKeyed, offers, operatorId } = yield* sending
        yield* sendKeyed
        // The key is forgotten here, and the channel still has what was made under it.
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM idempotency_keys WHERE operator_id = ${operatorId}`
        yield* TestClock.adjust(DAY_MS)
        assert.deepInclude(yield* sendKeyed, { code: 409, replayed: false })
        assert.deepStrictEqual(yield* under("another"), DONE)
        assert.deepStrictEqual(
          (yield* offers).map(({ status }) => status),
          ["active", "expired"]
        )
      })
    )
  }
)
