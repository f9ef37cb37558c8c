import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { ChannelUnavailable } from "../../../src/domain/channels/port/errors.ts"
import {
  callWithKey,
  countIdempotencyKeys,
  loadAuditLines,
  summarizeResponse
} from "../../support/changes/keyed-calls.ts"
import { loadShownSettings, preparePriceListings } from "../../support/domain/prices/price-listings.ts"
import { layerTest } from "../../support/harness.ts"

const PRICE = { base_price: 99 }
const DONE = { code: 0, data: "{}", replayed: false, retryAfter: undefined }
const AGAIN = { ...DONE, replayed: true }

/** Whether the call under the operator's key is gone, so that the next may take over. */
const isLeft = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ until: Date }>`
    SELECT under_way_until AS until FROM idempotency_keys WHERE operator_id = ${operatorId}`
  const now = yield* Clock.currentTimeMillis
  return rows.every(({ until }) => until.getTime() <= now)
})

layer(layerTest)("settings sent with a key", (it) => {
  for (const channelType of ["airbnb", "vrbo"] as const) {
    const sending = Effect.gen(function* () {
      const ground = yield* preparePriceListings
      const { token, channel, operatorId, [channelType]: listing } = ground
      const { listing_id } = listing
      const fields = { listing_id, settings: PRICE }
      return {
        listing,
        operatorId,
        send: Effect.map(
          callWithKey(token, `update_${channelType}_price_and_rules`, fields, "rules"),
          summarizeResponse
        ),
        answers: (answer: Parameters<typeof channel.setResponse>[1]) => channel.setResponse(listing_id, answer),
        heard: Effect.map(
          channel.requests,
          (heard) => heard.filter((each) => each === `write_rules ${listing_id}`).length
        )
      }
    })

    it.effect(`of ${channelType} are set once: a repeat does not undo what was set since`, () =>
      Effect.gen(function* () {
        const { send, heard, listing, operatorId } = yield* sending
        assert.deepStrictEqual(yield* send, DONE)
        yield* listing.updateSettings({ base_price: 120 })
        assert.deepStrictEqual([yield* send, yield* heard], [AGAIN, 2])
        assert.deepInclude(yield* loadShownSettings(listing.getSettings), { base_price: 120 })
        assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 1, underWay: 0 })
        assert.lengthOf(yield* loadAuditLines(operatorId), 2)
      })
    )

    it.effect(`of ${channelType} are sent again where the channel failed, whatever it did with the first`, () =>
      Effect.gen(function* () {
        const { send, heard, answers, operatorId } = yield* sending
        for (const code of [502, 503, 504] as const) {
          yield* answers(Effect.fail(new ChannelUnavailable({ code })))
          assert.deepInclude(yield* send, { code })
          assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 0, underWay: 0 })
        }
        yield* answers(Effect.void)
        assert.deepStrictEqual([yield* send, yield* send, yield* heard], [DONE, AGAIN, 4])
      })
    )

    it.effect(`of ${channelType} are recorded by a repeat where the first caller hung up`, () =>
      Effect.gen(function* () {
        const { send, heard, answers, listing, operatorId } = yield* sending
        const [asked, agreed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const ended = yield* Deferred.make<void>()
        const slowly = Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(agreed))
        yield* answers(Effect.ensuring(slowly, Deferred.succeed(ended, undefined)))
        const first = yield* Effect.forkChild(send)
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(first)
        assert.deepStrictEqual(yield* loadAuditLines(operatorId), [])
        yield* answers(Effect.void)
        yield* Deferred.succeed(agreed, undefined)
        yield* Deferred.await(ended)
        // The first call leaves its key by a statement of its own.
        while (!(yield* isLeft(operatorId))) yield* Effect.yieldNow
        assert.deepStrictEqual([yield* send, yield* send, yield* heard], [DONE, AGAIN, 2])
        assert.deepInclude(yield* loadShownSettings(listing.getSettings), PRICE)
        assert.lengthOf(yield* loadAuditLines(operatorId), 1)
      })
    )
  }
})
