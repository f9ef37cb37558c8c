import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { isChange } from "../src/contract/operation.ts"
import type { ApiOperation } from "../src/service/Api.ts"
import { layerTest } from "./support/harness.ts"
import { callAsOwner, everyOperation, loadTableContents } from "./support/operation-samples.ts"
import { makeSampleWorld, REFERENCE_FIELDS } from "./support/sample-world.ts"
import {
  formatPath,
  listMutableFields,
  listMutableParts,
  listSizedParts,
  makeInputCheck,
  makeSizedFields,
  type SizedPart
} from "./support/sized-fields.ts"

// Nothing a caller sends is unbounded: every text has a length, every list and record a size, every number an end.
// test/refusals.test.ts tries without a database that a schema reads the largest value and refuses a larger one. Here the handlers get
// the largest values: only they and their statements judge whether a column has room for them.

describe("every operation", () => {
  for (const operation of everyOperation) {
    it(`${operation._tag} says how large its fields may be`, () => {
      const parts = listMutableParts(operation)
      const unboundedParts = parts
        .filter(({ maximum }) => maximum === "none")
        .map(({ kind, path }) => `${kind} ${formatPath(path)}`)
      assert.deepStrictEqual(unboundedParts, [])
      const names = new Set(parts.map(({ path: [field] }) => field))
      for (const [field, schema] of listMutableFields(operation)) {
        assert.isTrue(names.has(field) || Schema.is(schema)(true), `${field} was not looked at`)
      }
    })
  }
})

const makeSharedWorld = Effect.gen(function* () {
  const world = yield* makeSampleWorld
  return { world, contents: yield* loadTableContents(world) }
})

/** The world of the operations that change nothing in it. */
class SharedWorld extends Context.Service<SharedWorld, Effect.Success<typeof makeSharedWorld>>()(
  "latchkey/test/SharedWorld"
) {
  static readonly layer = Layer.effect(SharedWorld, makeSharedWorld)
}

/** Whether the largest values change nothing: a read changes nothing, and the largest ids and codes name no record. */
const changesNothing = (operation: ApiOperation, parts: ReadonlyArray<SizedPart>): boolean =>
  !isChange(operation) || parts.every(({ kind, path: [field] }) => kind !== "list" && REFERENCE_FIELDS.has(field))

layer(SharedWorld.layer.pipe(Layer.provideMerge(layerTest)))("every operation on the database", (it) => {
  for (const operation of everyOperation) {
    const parts = listSizedParts(operation)
    if (parts.length === 0) continue
    it.effect(`${operation._tag} answers the largest value of each field without a defect`, () =>
      Effect.gen(function* () {
        const world = changesNothing(operation, parts) ? (yield* SharedWorld).world : yield* makeSampleWorld
        const findInputError = makeInputCheck(operation)
        for (const part of parts) {
          const makeFields = makeSizedFields(operation, world, part, findInputError)
          // The schema refuses the value for another reason, so no handler gets it.
          if (findInputError(makeFields(part.maximum)) !== undefined) continue
          // The tightest window lets 60 calls a minute through.
          yield* TestClock.adjust("1 second")
          const { error_code, error_msg } = yield* callAsOwner(world, operation, makeFields(part.maximum))
          assert.notStrictEqual(error_code, 500, formatPath(part.path))
          const refusal = findInputError(makeFields(part.maximum + 1))
          assert.notStrictEqual(error_msg, refusal, `${formatPath(part.path)} of ${part.maximum}`)
        }
      })
    )
  }
  it.effect("leaves the world that operations share as it was", () =>
    Effect.gen(function* () {
      const { world, contents } = yield* SharedWorld
      assert.deepStrictEqual(yield* loadTableContents(world), contents)
    })
  )
})
