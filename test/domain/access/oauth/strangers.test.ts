import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { Places, StrangerPlaces } from "../../../../src/admission/concurrency/Places.ts"
import { Gate } from "../../../../src/admission/gate/Gate.ts"
import { Tokens } from "../../../../src/admission/gate/Tokens.ts"
import { IdempotencyKeys } from "../../../../src/changes/IdempotencyKeys.ts"
import { anonymousPermitHolder } from "../../../../src/contract/caller-address.ts"
import { toReceivedInput } from "../../../../src/contract/input.ts"
import { ANONYMOUS_PERMITS } from "../../../../src/platform/limits.ts"
import { layerHandlers } from "../../../../src/service/handlers.ts"
import { Service } from "../../../../src/service/service.ts"
import { layerTest } from "../../../support/harness.ts"

/** Whose share each call was worked on in, and of which places. */
class Shares extends Context.Service<Shares, Array<readonly [of: "all" | "strangers", whose: number]>>()(
  "latchkey/test/oauth/Shares"
) {
  static readonly layer = Layer.sync(Shares, (): Array<readonly ["all" | "strangers", number]> => [])
}

const watched = (of: "all" | "strangers") =>
  Effect.map(Shares, (shares): Places["Service"] => ({
    refusal: () => undefined,
    within: (whose, work) => {
      shares.push([of, whose])
      return work
    }
  }))

const layerWatched = Layer.mergeAll(
  Layer.effect(Places, watched("all")),
  Layer.effect(StrangerPlaces, watched("strangers"))
)

const layerService = Layer.fresh(Service.layerNoDeps).pipe(
  Layer.provide(layerHandlers),
  Layer.provide([Gate.layer, IdempotencyKeys.layer, layerWatched]),
  Layer.provide(Tokens.layer),
  Layer.provideMerge(Shares.layer),
  Layer.provide(layerTest)
)

layer(layerService)("a call without a token", (it) => {
  it.effect("waits behind those of its own network alone, in places that no operator has", () =>
    Effect.gen(function* () {
      const [service, shares] = [yield* Service, yield* Shares]
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
      assert.deepStrictEqual(shares, [
        ["strangers", one],
        ["strangers", other],
        ["strangers", 0]
      ])
      assert.notStrictEqual(one, other)
    })
  )
})

describe("the places of strangers", () => {
  it.effect(`are ${ANONYMOUS_PERMITS}, from however many networks they call`, () =>
    Effect.gen(function* () {
      const places = yield* StrangerPlaces
      const end = yield* Deferred.make<void>()
      let begun = 0
      const work = Effect.andThen(
        Effect.sync(() => {
          begun += 1
        }),
        Deferred.await(end)
      )
      const all = yield* Effect.forEach(Array.from({ length: ANONYMOUS_PERMITS + 1 }), (_, network) =>
        Effect.forkChild(places.within(anonymousPermitHolder(`203.0.113.${network}`), work), { startImmediately: true })
      )
      yield* Effect.yieldNow
      assert.strictEqual(begun, ANONYMOUS_PERMITS)
      yield* Deferred.succeed(end, undefined)
      yield* Effect.forEach(all, Fiber.join)
      assert.strictEqual(begun, ANONYMOUS_PERMITS + 1)
    }).pipe(Effect.provide(StrangerPlaces.layer))
  )
})
