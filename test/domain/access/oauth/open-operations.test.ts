import { assert, it } from "@effect/vitest"
import { Context, Effect, Schema } from "effect"
import {
  defineFamily,
  exposureOf,
  NeedsTokenAnnotation,
  needsToken,
  routeOf,
  toolMetadata
} from "../../../../src/contract/operation.ts"
import { anonymousHandler, handleOperations, voidChangeHandler } from "../../../../src/domain/operation-handlers.ts"
import { operations } from "../../../../src/service/Api.ts"

// What may be called by nobody is a short list, and nothing comes onto it by mistake.

const operation = defineFamily({ category: "meta", since: "3.4.0", openWorld: false })

const declared = {
  route: "POST /notes",
  summary: "Write a note",
  payload: { note: Schema.String },
  success: Schema.Struct({}),
  exposure: toolMetadata("Writes a note.", [], true)
} as const

const guarded = operation("write_note", declared)
const unguarded = operation("write_note", { ...declared, needsNoToken: true })

it("is where tokens come from and where they end, and nothing else", () => {
  assert.sameMembers(
    operations.filter((each) => !needsToken(each)).map((each) => `${each._tag} ${routeOf(each).path}`),
    [
      "create_oauth_authorization /oauth/authorizations",
      "revoke_oauth_authorization /oauth/revoke",
      "create_oauth_registration /oauth/registrations"
    ]
  )
})

it("is no tool", () => {
  for (const each of operations.filter((one) => !needsToken(one))) assert.property(exposureOf(each), "notATool")
})

it("is declared so: unless it is said a token is needed", () => {
  assert.isTrue(needsToken(guarded))
  assert.isFalse(needsToken(unguarded))
  for (const each of operations) assert.isBoolean(Context.getUnsafe(each.annotations, NeedsTokenAnnotation))
})

it("is handled so: a declaration and its handler that differ are a mistake the first start meets", () => {
  const forNobody = anonymousHandler(() => Effect.succeed({}))
  const forCaller = voidChangeHandler(() => Effect.void)
  assert.throws(() => handleOperations({ write_note: guarded }, { write_note: forNobody }), /write_note: .*open/)
  assert.throws(() => handleOperations({ write_note: unguarded }, { write_note: forCaller }), /write_note: .*open/)
  assert.deepStrictEqual(handleOperations({ write_note: guarded }, { write_note: forCaller }).names, ["write_note"])
  assert.deepStrictEqual(handleOperations({ write_note: unguarded }, { write_note: forNobody }).names, ["write_note"])
})
