import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MemoryDatabase } from "../src/changes/memory/MemoryDatabase.ts"
import { isAllowedForReadOnlyToken } from "../src/contract/operation.ts"
import { consoleOperations } from "../src/service/Api.ts"
import { fieldOfError } from "./support/error-messages.ts"
import { call } from "./support/harness.ts"
import { toImaginaryWorld } from "./support/imaginary-world.ts"
import { listMalformedFields } from "./support/malformed-fields.ts"
import {
  COMPANION_FIELDS,
  callAsOwner,
  everyOperation,
  isRequired,
  makeSampleFields,
  payloadFieldsOf,
  tokenOperations
} from "./support/operation-samples.ts"
import { REFUSED_ACCOUNTS, UNKNOWN_TOKENS } from "./support/refused-accounts.ts"
import { createMemoryOperator } from "./support/service/memory-operators.ts"
import { layerServiceWithoutStores } from "./support/service/memory-service.ts"
import { formatPath, listSizedParts, makeInputCheck, makeSizedFields } from "./support/sized-fields.ts"

// The gate and the schemas refuse these calls before any handler runs. So these tests need no database, and a call that reaches a store
// gets 500. A limit that only a handler checks fails here too: its schema must say it.

const createCallers = Effect.gen(function* () {
  return {
    world: toImaginaryWorld(yield* createMemoryOperator()),
    refusedAccounts: yield* Effect.forEach(REFUSED_ACCOUNTS, ({ answer, options }) =>
      Effect.map(createMemoryOperator(options), ({ token }) => ({ answer, token }))
    )
  }
})

/** The operator whose calls are refused for what they send, and operators whose accounts may not call. */
class Callers extends Context.Service<Callers, Effect.Success<typeof createCallers>>()("latchkey/test/Callers") {
  static readonly layer = Layer.effect(Callers, createCallers)
}

/** Asserts that the calls record no event, audit entry or idempotency key. */
const assertNothingRecorded = Effect.fnUntraced(function* <A, E, R>(calls: Effect.Effect<A, E, R>) {
  const before = yield* readRecords
  yield* calls
  assert.deepStrictEqual(yield* readRecords, before)
})

const readRecords = Effect.map(MemoryDatabase, ({ events, auditEntries, idempotencyKeys }) => ({
  events: [...events],
  auditEntries: [...auditEntries],
  idempotencyKeys: [...idempotencyKeys]
}))

/** Gives each call a minute of its own, so that no limit of a route refuses it. */
const waitForNextMinute = TestClock.adjust("1 minute")

layer(Callers.layer.pipe(Layer.provideMerge(layerServiceWithoutStores)))("every operation", (it) => {
  for (const operation of tokenOperations) {
    const name = operation._tag

    it.effect(`${name} needs a token`, () =>
      assertNothingRecorded(
        Effect.gen(function* () {
          for (const token of UNKNOWN_TOKENS) {
            const envelope = yield* call(token, name)
            assert.deepInclude(envelope, { error_code: 401, error_msg: "Invalid access token", data: {} })
          }
        })
      )
    )

    it.effect(`${name} refuses lapsed, banned, basic and closed accounts`, () =>
      assertNothingRecorded(
        Effect.gen(function* () {
          const { refusedAccounts } = yield* Callers
          for (const { answer, token } of refusedAccounts) {
            const { error_code, error_msg } = yield* call(token, name)
            assert.strictEqual(`${error_code} ${error_msg}`, answer)
          }
        })
      )
    )

    if (!isAllowedForReadOnlyToken(operation)) {
      it.effect(`${name} refuses a read-only token`, () =>
        assertNothingRecorded(
          Effect.gen(function* () {
            const { world } = yield* Callers
            const envelope = yield* call(world.readOnlyToken, name)
            assert.deepInclude(envelope, { error_code: 401, error_msg: "Not authorized for this action" })
          })
        )
      )
    }
  }

  for (const operation of consoleOperations) {
    const name = operation._tag

    it.effect(`${name} is not there for a token`, () =>
      assertNothingRecorded(
        Effect.gen(function* () {
          const { world } = yield* Callers
          for (const token of [world.token, world.readOnlyToken, undefined]) {
            const { error_code, error_msg } = yield* call(token, name, makeSampleFields(operation, world))
            assert.deepStrictEqual([error_code, error_msg], [404, "No such operation."])
          }
        })
      )
    )
  }

  for (const operation of everyOperation) {
    const name = operation._tag

    it.effect(`${name} refuses malformed fields and names each`, () =>
      assertNothingRecorded(
        Effect.gen(function* () {
          const { world } = yield* Callers
          const own = makeSampleFields(operation, world, COMPANION_FIELDS)
          for (const { field, value } of listMalformedFields(operation)) {
            yield* waitForNextMinute
            const { error_code, error_msg } = yield* callAsOwner(world, operation, { ...own, [field]: value })
            assert.include([400, 422], error_code, `${field}: ${JSON.stringify(value)}`)
            assert.match(error_msg, new RegExp(`^${field}\\b`))
            // Words of the library's own.
            assert.notMatch(error_msg, /a value with|must be (valid|of another type)/)
          }
        })
      )
    )

    const requiredFields = payloadFieldsOf(operation).filter(([, schema]) => isRequired(schema))
    if (requiredFields.length > 0) {
      it.effect(`${name} refuses a call without one of its required fields`, () =>
        assertNothingRecorded(
          Effect.gen(function* () {
            const { world } = yield* Callers
            const own = makeSampleFields(operation, world, COMPANION_FIELDS)
            for (const [field] of requiredFields) {
              const { [field]: _, ...rest } = own
              yield* waitForNextMinute
              const envelope = yield* callAsOwner(world, operation, rest)
              assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [400, field])
            }
          })
        )
      )
    }

    const parts = listSizedParts(operation)
    if (parts.length === 0) continue
    it.effect(`${name} reads each field as large as it may be and refuses a larger one`, () =>
      assertNothingRecorded(
        Effect.gen(function* () {
          const { world } = yield* Callers
          const findInputError = makeInputCheck(operation)
          for (const part of parts) {
            const makeFields = makeSizedFields(operation, world, part, findInputError)
            yield* waitForNextMinute
            const { error_code, error_msg } = yield* callAsOwner(world, operation, makeFields(part.maximum + 1))
            assert.include([400, 422], error_code, `${formatPath(part.path)}: ${error_msg}`)
            assert.match(error_msg, new RegExp(`^${part.path[0]}\\b`))
            // At its largest it is refused for another reason at most.
            assert.notStrictEqual(findInputError(makeFields(part.maximum)), error_msg, formatPath(part.path))
          }
        })
      )
    )
  }
})
