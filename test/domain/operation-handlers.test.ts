import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { CurrentActor, systemActor } from "../../src/contract/actor.ts"
import { type Caller, CurrentCaller } from "../../src/contract/caller.ts"
import { NotFound } from "../../src/contract/errors.ts"
import { Id } from "../../src/contract/fields.ts"
import { defineFamily, toolMetadata } from "../../src/contract/operation.ts"
import {
  callReader,
  changeHandler,
  type HandlesOperation,
  handleOperations,
  layerOperations,
  voidChangeHandler
} from "../../src/domain/operation-handlers.ts"
import { TagStore } from "../../src/domain/properties/tags/store.ts"

// What the compiler refuses here would be an answer 500 later: `npm run check` reads this file too.

const operation = defineFamily({ category: "meta", since: "3.4.0", openWorld: false })
const exposure = toolMetadata("Doubles a number.", [], false)
const double = operation("double", {
  route: "GET /double/{id}",
  summary: "Double",
  payload: { id: Id },
  success: Schema.Struct({ doubled: Schema.Int }),
  exposure
})
const forget = operation("forget", {
  route: "DELETE /double/{id}",
  summary: "Forget",
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure
})
const Doubles = { double, forget }

const caller: Caller = {
  operatorId: 1,
  accountId: 1,
  accountName: "Owner",
  role: "main",
  tokenId: 1,
  tokenName: "test",
  application: null,
  grantId: null,
  scope: "writable",
  timeZone: "UTC",
  currency: "EUR",
  edition: "pro"
}

const doubled = ({ id }: { readonly id: number }) => Effect.succeed({ doubled: 2 * id })
const gone = () => Effect.fail(new NotFound({ message: "id: no such number." }))

it.effect("an operation is read, run and answered by its own schemas", () =>
  Effect.gen(function* () {
    const layer = layerOperations(
      Effect.succeed(handleOperations(Doubles, { double: doubled, forget: voidChangeHandler(gone) }))
    )
    const answerTo = yield* Effect.provide(callReader("double"), layer)
    const asked = yield* answerTo({ encoding: "text", fields: {} }, { id: "21" })
    const answer = asked.run.pipe(
      Effect.provideService(CurrentCaller, caller),
      Effect.provideService(CurrentActor, systemActor("test", "double"))
    )
    assert.deepStrictEqual(yield* answer, { doubled: 42 })
    const unread = yield* Effect.flip(answerTo({ encoding: "json", fields: {} }, {}))
    assert.match(unread.message, /^id: .*required/)
  })
)

it("a handler that asks for more than the caller does not compile", () => {
  const asksForAStore = Effect.fnUntraced(function* (payload: { readonly id: number }) {
    yield* TagStore
    return yield* doubled(payload)
  })
  // @ts-expect-error a handler takes what it needs when its layer is made
  handleOperations({ double }, { double: asksForAStore })
  // @ts-expect-error NotFound is no declared error of this operation
  handleOperations({ double }, { double: gone })
  // @ts-expect-error the result is not the operation's
  handleOperations({ double }, { double: () => Effect.succeed({ doubled: "many" }) })
  // @ts-expect-error what changes says who acts, so it is a change
  handleOperations({ double }, { double: (payload) => Effect.andThen(CurrentActor, doubled(payload)) })
  // @ts-expect-error an operation of the family has no handler
  handleOperations(Doubles, { double: doubled })
  // @ts-expect-error filed under another name than its own
  handleOperations({ half: double }, { half: doubled })
})

it("a change that is given as a read is a mistake that no test survives", () => {
  assert.throws(() => handleOperations({ forget }, { forget: gone }), /forget: .*change/)
  assert.throws(() =>
    handleOperations({ double }, { double: changeHandler(doubled, Schema.Struct({}), () => ({ doubled: 1 })) })
  )
})

it("a layer of one operation is none of another", () => {
  const layer = layerOperations(Effect.succeed(handleOperations({ double }, { double: doubled })))
  const own: Layer.Layer<HandlesOperation<"double">> = layer
  // @ts-expect-error nobody handles `forget`
  const all: Layer.Layer<HandlesOperation<"double"> | HandlesOperation<"forget">> = layer
  assert.strictEqual<unknown>(own, all)
})
