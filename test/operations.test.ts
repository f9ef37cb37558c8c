import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Predicate, Schema } from "effect"
import { TestClock } from "effect/testing"
import { makeInputCorrector } from "../src/contract/input-correction.ts"
import {
  type Exposure,
  exposureOf,
  isAllowedForReadOnlyToken,
  isChange,
  needsNoSubscription,
  routeOf,
  summaryOf,
  toolMetadataOf
} from "../src/contract/operation.ts"
import { type ApiOperation, consoleOperations, operations } from "../src/service/Api.ts"
import { Service } from "../src/service/service.ts"
import { sampled, seedOfRun, valuesOf } from "./attacks/inputs.ts"
import { WRONG_TYPES } from "./attacks/odd-values.ts"
import { callAsPerson } from "./support/console-caller.ts"
import { fieldOfError } from "./support/error-messages.ts"
import { call, callForResponse, createOperator, layerTest } from "./support/harness.ts"
import { isFamily, TABLE_OWNERS } from "./support/module-map.ts"
import {
  anonymousOperations,
  COMPANION_FIELDS,
  callAsOwner,
  everyOperation,
  isRequired,
  loadTableContents,
  makeSampleFields,
  OPERATIONS_UNDER_LOCK,
  payloadFieldsOf,
  tokenOperations
} from "./support/operation-samples.ts"
import {
  isSearchKey,
  makeSampleWorld,
  NON_REFERENCE_FIELDS,
  REFERENCE_FIELDS,
  requireSampleValue
} from "./support/sample-world.ts"
import { countStatements } from "./support/statement-count.ts"

// What must hold for every operation, from its contract alone: a new one is covered the moment it exists.

const BEYOND_32_BITS = 3_000_000_000

/** The lock, a read, a write, and what frames the transaction. */
const STATEMENTS_UNDER_LOCK = 5
const statementsOf = (operation: ApiOperation): number => {
  if (OPERATIONS_UNDER_LOCK.has(operation._tag)) return STATEMENTS_UNDER_LOCK
  return isChange(operation) ? 2 : 1
}

/** Inputs grown from its schema that each field is given, beside those of another type. */
const GROWN = 6
const seed = seedOfRun()
console.log(`the contract walk's inputs: ATTACK_SEED=${seed}`)

/** What the calls that must change nothing share: two operators with records, and four whose accounts may not call. */
class Cast extends Context.Service<Cast, Effect.Success<typeof makeCast>>()("latchkey/test/Cast") {
  static readonly layer = Layer.effect(
    Cast,
    Effect.suspend(() => makeCast)
  )
}

const makeCast = Effect.gen(function* () {
  return {
    mine: yield* makeSampleWorld,
    theirs: yield* makeSampleWorld,
    refused: [
      ["420 Subscription expired", yield* createOperator({ subscriptionUntil: new Date("1969-01-01") })],
      ["420 Basic edition does not support this feature", yield* createOperator({ edition: "basic" })],
      ["420 Account banned", yield* createOperator({ status: "banned" })],
      ["401 Invalid access token", yield* createOperator({ status: "closed" })]
    ] as const
  }
}).pipe(Effect.scoped)

layer(Cast.layer.pipe(Layer.provideMerge(layerTest)))("every operation", (it) => {
  for (const operation of tokenOperations) {
    const name = operation._tag

    it.effect(`${name} needs a token`, () =>
      Effect.gen(function* () {
        for (const token of [undefined, "", "lk_unknown", "x".repeat(5000)]) {
          const envelope = yield* call(token, operation._tag, {})
          assert.deepInclude(envelope, { error_code: 401, error_msg: "Invalid access token", data: {} })
        }
      })
    )

    it.effect(`${name} refuses lapsed, banned, basic and closed accounts`, () =>
      Effect.gen(function* () {
        const { refused } = yield* Cast
        for (const [expected, { token }] of refused) {
          const { error_code, error_msg } = yield* call(token, operation._tag, {})
          assert.strictEqual(`${error_code} ${error_msg}`, expected)
        }
      })
    )

    if (!isAllowedForReadOnlyToken(operation)) {
      it.effect(`${name} refuses a read-only token`, () =>
        Effect.gen(function* () {
          const { mine } = yield* Cast
          const envelope = yield* call(mine.readOnlyToken, operation._tag, {})
          assert.deepInclude(envelope, { error_code: 401, error_msg: "Not authorized for this action" })
        })
      )
    }

    it.effect(`${name} answers its own operator in ${statementsOf(operation)} statements at most`, () =>
      Effect.gen(function* () {
        // A change gets a world of its own: the others count on their records.
        const world = isChange(operation) ? yield* makeSampleWorld : (yield* Cast).mine
        const fields = makeSampleFields(operation, world, COMPANION_FIELDS)
        // The Gate's look-up is kept for seconds: it belongs to the first call of a token, not to each.
        yield* (yield* Service).findCaller({ "service-access-token": world.token })
        const [envelope, statements] = yield* countStatements(call(world.token, operation._tag, fields))
        assert.strictEqual(envelope.error_code, 0, envelope.error_msg)
        assert.isAtMost(statements, statementsOf(operation))
      })
    )

    if (!isChange(operation)) {
      it.effect(`${name} shows an operator the same when another has records too`, () =>
        Effect.gen(function* () {
          const { mine } = yield* Cast
          // Without a filter, but for what the list needs to show anything at the walk's hour.
          const needed = Object.keys(mine.fieldsByOperation[operation._tag] ?? {})
          const asked = call(mine.token, operation._tag, makeSampleFields(operation, mine, needed))
          const alone = yield* asked
          assert.strictEqual(alone.error_code, 0, alone.error_msg)
          assert.notDeepInclude(listsIn(alone.data), [], "the world has nothing that it lists")
          yield* makeSampleWorld
          assert.deepStrictEqual((yield* asked).data, alone.data)
        })
      )
    }
  }

  for (const operation of anonymousOperations) {
    const name = operation._tag

    it.effect(`${name} needs no token, and looks at none, whoever it is of`, () =>
      Effect.gen(function* () {
        const { mine, refused } = yield* Cast
        const fields = makeSampleFields(operation, mine)
        const alone = yield* call(undefined, name, fields)
        assert.notInclude([420, 500], alone.error_code)
        assert.notStrictEqual(alone.error_msg, "Invalid access token")
        const others = [mine.token, mine.readOnlyToken, "lk_unknown", ...refused.map(([, { token }]) => token)]
        const before = yield* loadTableContents(mine)
        for (const token of others) {
          const { error_code, error_msg, data } = yield* call(token, name, fields)
          assert.deepStrictEqual(
            { error_code, error_msg, data },
            {
              error_code: alone.error_code,
              error_msg: alone.error_msg,
              data: alone.data
            }
          )
        }
        assert.deepStrictEqual(yield* loadTableContents(mine), before)
      })
    )

    it.effect(`${name} ignores a key, as there is nobody whose it would be`, () =>
      Effect.gen(function* () {
        const { mine } = yield* Cast
        const before = yield* loadTableContents(mine)
        const fields = makeSampleFields(operation, mine)
        const { envelope, headers } = yield* callForResponse(mine.token, name, fields, "walk")
        assert.notInclude([420, 500], envelope.error_code)
        const other = yield* callForResponse(mine.token, name, { ...fields, unknown: true }, "walk")
        assert.strictEqual(other.envelope.error_code, envelope.error_code)
        for (const header of [headers, other.headers]) assert.notProperty(header, "idempotent-replayed")
        const unreadable = yield* callForResponse(mine.token, name, fields, "")
        assert.strictEqual(unreadable.envelope.error_msg, envelope.error_msg)
        assert.deepStrictEqual(yield* loadTableContents(mine), before)
      })
    )

    it.effect(`${name} finds out who calls in one statement, and does nothing else for a stranger`, () =>
      Effect.gen(function* () {
        const { mine } = yield* Cast
        const stranger = makeSampleFields(operation, mine, COMPANION_FIELDS)
        const [, statements] = yield* countStatements(call(undefined, name, stranger))
        assert.isAtMost(statements, 1)
      })
    )
  }

  for (const operation of everyOperation) {
    const name = operation._tag
    const { method, path, params } = routeOf(operation)

    for (const [field] of payloadFieldsOf(operation).filter(([each]) => REFERENCE_FIELDS.has(each))) {
      it.effect(`${name} never shows or touches another operator's ${field}`, () =>
        Effect.gen(function* () {
          const { mine, theirs } = yield* Cast
          const before = yield* loadTableContents(theirs)
          const own = makeSampleFields(operation, mine, [...COMPANION_FIELDS, field])
          const foreign = { ...own, [field]: requireSampleValue(theirs, operation, field) }
          const envelope = yield* callAsOwner(mine, operation, foreign)
          // A search by a record's own id or code finds nothing, like any search that finds nothing.
          if (isAllowedForReadOnlyToken(operation) && isSearchKey(operation, field)) {
            assert.strictEqual(envelope.error_code, 0)
            assert.deepStrictEqual(listsIn(envelope.data), [[]])
          } else {
            // A field that never changes refuses any other value, whoever's it is.
            const refused = envelope.error_msg.startsWith(`${field}: cannot be changed`) ? [422] : [403, 404]
            assert.include(refused, envelope.error_code, envelope.error_msg)
            assert.deepStrictEqual(envelope.data, {})
          }
          assert.deepStrictEqual(yield* loadTableContents(theirs), before)
        })
      )
    }

    for (const [field] of payloadFieldsOf(operation).filter(([each]) => each.endsWith("_ids"))) {
      it.effect(`${name} finds no record among its ${field} by an id of another size`, () =>
        Effect.gen(function* () {
          const { mine } = yield* Cast
          const own = makeSampleFields(operation, mine, [...COMPANION_FIELDS, field])
          const before = yield* loadTableContents(mine)
          const ids = Array.isArray(own[field]) ? [...own[field], BEYOND_32_BITS] : `${own[field]},${BEYOND_32_BITS}`
          const envelope = yield* callAsOwner(mine, operation, { ...own, [field]: ids })
          assert.strictEqual(envelope.error_code, 404, envelope.error_msg)
          assert.match(envelope.error_msg, new RegExp(`^${field}\\b`))
          assert.deepStrictEqual(yield* loadTableContents(mine), before)
        })
      )
    }

    it.effect(`${name} answers malformed fields without changing anything`, () =>
      Effect.gen(function* () {
        const { mine: world } = yield* Cast
        const own = makeSampleFields(operation, world, COMPANION_FIELDS)
        const before = yield* loadTableContents(world)
        for (const [field, schema] of payloadFieldsOf(operation)) {
          for (const wrong of [...WRONG_TYPES, ...sampled(valuesOf(schema), GROWN, seed)]) {
            if (isTaken(operation, field, wrong)) continue
            // The tightest window lets 30 calls a minute through.
            yield* TestClock.adjust("3 seconds")
            const envelope = yield* callAsOwner(world, operation, { ...own, [field]: wrong })
            assert.include([400, 422], envelope.error_code, `${field}: ${JSON.stringify(wrong)}`)
            assert.match(envelope.error_msg, new RegExp(`^${field}\\b`))
            // Words of the library's own.
            assert.notMatch(envelope.error_msg, /a value with|must be (valid|of another type)/)
          }
          if (isRequired(schema)) {
            const { [field]: _, ...rest } = own
            const envelope = yield* callAsOwner(world, operation, rest)
            assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [400, field])
          }
        }
        assert.deepStrictEqual(yield* loadTableContents(world), before)
      })
    )

    it(`${name} says what it is`, () => {
      assert.isAbove(reasonOf(exposureOf(operation)).length, 10)
      assert.isAbove(summaryOf(operation).length, 5)
      assert.match(path, /^\/[a-z_/{}]+$/)
      for (const param of params) assert.property(operation.payloadSchema.fields, param)
      // A field this walk does not know of would be tried with no other operator's record.
      for (const [field] of payloadFieldsOf(operation)) {
        if (/(^|_)(id|ids|code|codes)$/.test(field))
          assert.isTrue(REFERENCE_FIELDS.has(field) || NON_REFERENCE_FIELDS.has(field), field)
      }
      const card = toolMetadataOf(operation)
      if (card !== undefined) {
        assert.match(name, /^[a-z]+(_[a-z]+)+$/)
        assert.isAbove(card.intentExamples.length, 0)
        assert.match(card.since, /^3\.\d+\.\d+$/)
      }
      assert.strictEqual(isAllowedForReadOnlyToken(operation), method === "GET")
    })
  }

  for (const operation of consoleOperations) {
    const name = operation._tag

    it.effect(`${name} is not there for a token`, () =>
      Effect.gen(function* () {
        const { mine } = yield* Cast
        const before = yield* loadTableContents(mine)
        for (const token of [mine.token, mine.readOnlyToken, undefined]) {
          const { error_code, error_msg } = yield* call(token, name, makeSampleFields(operation, mine))
          assert.deepStrictEqual([error_code, error_msg], [404, "No such operation."])
        }
        assert.deepStrictEqual(yield* loadTableContents(mine), before)
      })
    )

    it.effect(
      `${name} works for a person who is signed in, ${needsNoSubscription(operation) ? "whatever" : "if"} the account may`,
      () =>
        Effect.gen(function* () {
          for (const state of [{ status: "banned" }, { subscriptionUntil: DateTime.makeUnsafe(0) }, {}] as const) {
            const world = yield* makeSampleWorld
            const isRefused = Object.keys(state).length > 0 && !needsNoSubscription(operation)
            yield* TestClock.adjust("1 second")
            const { error_code, error_msg } = yield* callAsPerson(
              world,
              name,
              makeSampleFields(operation, world),
              state
            )
            assert.strictEqual(error_code, isRefused ? 420 : 0, error_msg)
          }
        })
    )
  }

  // What nobody has cannot be shown to a stranger: without such a record the walk proves nothing about the table.
  it.effect("works in a world with a record of every kind", () =>
    Effect.gen(function* () {
      const { mine } = yield* Cast
      const empty = (yield* loadTableContents(mine))
        .filter(({ table, rows }) => isFamily(TABLE_OWNERS[table] ?? "") && rows.length === 0)
        .map(({ table }) => table)
      assert.deepStrictEqual(empty, [], "add a record of each of these tables in test/support/sample-world.ts")
    })
  )

  it("is the only one on its route", () => {
    const routes = operations.map((operation) => `${routeOf(operation).method} ${routeOf(operation).path}`)
    assert.strictEqual(new Set(routes).size, routes.length)
  })
})

const reasonOf = (exposure: Exposure): string => {
  if ("consoleOnly" in exposure) return exposure.consoleOnly
  return "notATool" in exposure ? exposure.notATool : exposure.description
}

/** Whether a value is one the field takes, or stands for one: `null` for "not given", a whole number as text. */
const isTaken = (operation: ApiOperation, field: string, value: unknown): boolean => {
  const { method } = routeOf(operation)
  const schema = payloadFieldsOf(operation).find(([name]) => name === field)?.[1] ?? Schema.Never
  const meant = makeInputCorrector(
    operation.payloadSchema.ast,
    method === "GET" || method === "POST"
  )({ [field]: value })
  if (!Predicate.hasProperty(meant, field)) return true
  return Schema.is(schema)(meant[field]) || Schema.is(Schema.toEncoded(schema))(meant[field])
}

const listsIn = (data: unknown): ReadonlyArray<unknown> =>
  Predicate.isObject(data) ? Object.values(data).filter((value) => Array.isArray(value)) : []
