import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Gate } from "../../src/admission/gate/Gate.ts"
import { Tokens } from "../../src/admission/gate/Tokens.ts"
import { IdempotencyKeys } from "../../src/changes/IdempotencyKeys.ts"
import { TagStore } from "../../src/domain/properties/tags/store.ts"
import { layerServiceAssemblyNoDeps } from "../../src/service/service-assembly.ts"
import { layerStores } from "../../src/service/stores.ts"
import { call, createOperator, layerTest } from "../support/harness.ts"

const FAKE_TAG = { id: 7, name: "From a fake", color: "#f0f9ff", property_ids: [], room_type_ids: [] } as const

/** A method that is not given dies when it is called. */
const layerFakeTags = Layer.mock(TagStore)({ search: () => Effect.succeed({ rows: [FAKE_TAG], total: 1 }) })

const layerServiceWithFakeTags = layerServiceAssemblyNoDeps.pipe(
  Layer.provide(layerFakeTags),
  Layer.provide(layerStores),
  Layer.provide([Gate.layer, IdempotencyKeys.layer]),
  Layer.provide(Tokens.layer)
)

layer(Layer.provideMerge(Layer.fresh(layerServiceWithFakeTags), layerTest))("a service with a fake store", (it) => {
  it.effect("answers from the fake, and from the database where no store was swapped", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const tags = yield* call(token, "query_tags")
      assert.deepStrictEqual([tags.error_code, tags.data], [0, { tags: [FAKE_TAG], total: 1 }])
      const groups = yield* call(token, "search_property_groups")
      assert.deepStrictEqual([groups.error_code, groups.data], [0, { groups: [], total: 0 }])
    })
  )

  it.effect("never reaches the real store behind a fake", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const { error_code } = yield* call(token, "create_property_tag", { name: "Real" })
      assert.strictEqual(error_code, 500)
    })
  )
})
