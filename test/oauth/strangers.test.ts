import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { layerAssembly } from "../../src/assembly.ts"
import { strangerAt } from "../../src/contract/caller-address.ts"
import { Places } from "../../src/places/Places.ts"
import { Service } from "../../src/service.ts"
import { layerTest } from "../harness.ts"

/** Whose share each call was worked on in. */
class Shares extends Context.Service<Shares, Array<number>>()("latchkey/test/oauth/Shares") {
  static readonly layer = Layer.sync(Shares, (): Array<number> => [])
}

const layerWatched = Layer.effect(
  Places,
  Effect.map(Shares, (shares) =>
    Places.of({
      within: (whose, work) => {
        shares.push(whose)
        return work
      }
    })
  )
)

const layerService = Layer.fresh(layerAssembly).pipe(
  Layer.provide(layerWatched),
  Layer.provideMerge(Shares.layer),
  Layer.provide(layerTest)
)

layer(layerService)("a call without a token", (it) => {
  it.effect("waits behind those of its own network alone", () =>
    Effect.gen(function* () {
      const [service, shares] = [yield* Service, yield* Shares]
      for (const address of ["203.0.113.7", "203.0.113.8", undefined]) {
        const fields = { grant_type: "authorization_code", client_id: "service_mcp", code: "lkcode_none" }
        const { envelope } = yield* service.call("create_oauth_authorization", {
          door: "rest",
          headers: {},
          params: {},
          address,
          read: Effect.succeed({ encoding: "body", fields })
        })
        assert.strictEqual(envelope.error_code, 401, envelope.error_msg)
      }
      assert.deepStrictEqual(shares, [strangerAt("203.0.113.7"), strangerAt("203.0.113.8"), 0])
      assert.notStrictEqual(shares[0], shares[1])
    })
  )
})
