import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { AnonymousLimiter, ConcurrencyLimiter } from "../../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { Gate } from "../../../../src/admission/gate/Gate.ts"
import { Tokens } from "../../../../src/admission/gate/Tokens.ts"
import { IdempotencyKeys } from "../../../../src/changes/IdempotencyKeys.ts"
import { anonymousPermitHolder } from "../../../../src/contract/caller-address.ts"
import { toReceivedInput } from "../../../../src/contract/input.ts"
import { ANONYMOUS_PERMITS } from "../../../../src/platform/limits.ts"
import { layerHandlers } from "../../../../src/service/handlers.ts"
import { Service } from "../../../../src/service/service.ts"
import { layerTest } from "../../../support/harness.ts"

/** The limiter and the permit holder of each call. */
class UsedPermits extends Context.Service<UsedPermits, Array<readonly [of: "all" | "anonymous", holder: number]>>()(
  "latchkey/test/oauth/UsedPermits"
) {
  static readonly layer = Layer.sync(UsedPermits, (): Array<readonly ["all" | "anonymous", number]> => [])
}

const makeRecordingLimiter = (of: "all" | "anonymous") =>
  Effect.map(UsedPermits, (usedPermits): ConcurrencyLimiter["Service"] => ({
    findRejection: () => undefined,
    withPermit: (holder, work) => {
      usedPermits.push([of, holder])
      return work
    }
  }))

const layerRecordingLimiters = Layer.mergeAll(
  Layer.effect(ConcurrencyLimiter, makeRecordingLimiter("all")),
  Layer.effect(AnonymousLimiter, makeRecordingLimiter("anonymous"))
)

const layerService = Layer.fresh(Service.layerNoDeps).pipe(
  Layer.provide(layerHandlers),
  Layer.provide([Gate.layer, IdempotencyKeys.layer, layerRecordingLimiters]),
  Layer.provide(Tokens.layer),
  Layer.provideMerge(UsedPermits.layer),
  Layer.provide(layerTest)
)

layer(layerService)("a call without a token", (it) => {
  it.effect("uses a permit of its network, which no operator has", () =>
    Effect.gen(function* () {
      const [service, usedPermits] = [yield* Service, yield* UsedPermits]
      for (const address of ["203.0.113.7", "203.0.113.8", undefined]) {
        const fields = { grant_type: "authorization_code", client_id: "service_mcp", code: "lkcode_none" }
        const { envelope } = yield* service.call("create_oauth_authorization", {
          transport: "rest",
          headers: {},
          params: {},
          address,
          receive: Effect.succeed(toReceivedInput({ encoding: "body", fields }))
        })
        assert.strictEqual(envelope.error_code, 401, envelope.error_msg)
      }
      const [one, other] = [anonymousPermitHolder("203.0.113.7"), anonymousPermitHolder("203.0.113.8")]
      assert.deepStrictEqual(usedPermits, [
        ["anonymous", one],
        ["anonymous", other],
        ["anonymous", 0]
      ])
      assert.notStrictEqual(one, other)
    })
  )
})

describe("the permits of anonymous callers", () => {
  it.effect(`are ${ANONYMOUS_PERMITS}, however many networks call`, () =>
    Effect.gen(function* () {
      const limiter = yield* AnonymousLimiter
      const end = yield* Deferred.make<void>()
      let begun = 0
      const work = Effect.andThen(
        Effect.sync(() => {
          begun += 1
        }),
        Deferred.await(end)
      )
      const all = yield* Effect.forEach(Array.from({ length: ANONYMOUS_PERMITS + 1 }), (_, network) =>
        Effect.forkChild(limiter.withPermit(anonymousPermitHolder(`203.0.113.${network}`), work), {
          startImmediately: true
        })
      )
      yield* Effect.yieldNow
      assert.strictEqual(begun, ANONYMOUS_PERMITS)
      yield* Deferred.succeed(end, undefined)
      yield* Effect.forEach(all, Fiber.join)
      assert.strictEqual(begun, ANONYMOUS_PERMITS + 1)
    }).pipe(Effect.provide(AnonymousLimiter.layer))
  )
})
