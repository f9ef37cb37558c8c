import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Predicate } from "effect"
import { TestClock } from "effect/testing"
import {
  type Exposure,
  exposureOf,
  isAllowedForReadOnlyToken,
  isChange,
  routeOf,
  summaryOf,
  toolMetadataOf,
  worksWhenSuspended
} from "../src/contract/operation.ts"
import { type ApiOperation, consoleOperations, operations } from "../src/service/Api.ts"
import { Service } from "../src/service/service.ts"
import { callAsPerson } from "./support/console-caller.ts"
import { call, callForResponse, createOperator, layerTest } from "./support/harness.ts"
import { isFamily, TABLE_OWNERS } from "./support/module-map.ts"
import {
  anonymousOperations,
  COMPANION_FIELDS,
  callAsOwner,
  everyOperation,
  loadTableContents,
  makeSampleFields,
  OPERATIONS_UNDER_LOCK,
  payloadFieldsOf,
  tokenOperations
} from "./support/operation-samples.ts"
import { REFUSED_ACCOUNTS, UNKNOWN_TOKENS } from "./support/refused-accounts.ts"
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
    refusedAccounts: yield* Effect.forEach(REFUSED_ACCOUNTS, ({ answer, options }) =>
      Effect.map(createOperator(options), ({ token }) => ({ answer, token }))
    )
  }
}).pipe(Effect.scoped)

layer(Cast.layer.pipe(Layer.provideMerge(layerTest)))("every operation", (it) => {
  for (const operation of tokenOperations) {
    const name = operation._tag

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
          // No filter but the fields without which the list is empty at the hour of the contract tests.
          const needed = Object.keys(mine.fieldsByOperation[operation._tag] ?? {})
          const asked = call(mine.token, operation._tag, makeSampleFields(operation, mine, needed))
          const alone = yield* asked
          assert.strictEqual(alone.error_code, 0, alone.error_msg)
          // The trial of a rule that answers questions has no stays.
          if (name !== "try_automation_rule") {
            assert.notDeepInclude(listsIn(alone.data), [], "the world has nothing that it lists")
          }
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
        const { mine, refusedAccounts } = yield* Cast
        const fields = makeSampleFields(operation, mine)
        const alone = yield* call(undefined, name, fields)
        assert.notInclude([420, 500], alone.error_code)
        assert.notStrictEqual(alone.error_msg, "Invalid access token")
        const others = [mine.token, mine.readOnlyToken, "lk_unknown", ...refusedAccounts.map(({ token }) => token)]
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
        const { envelope, headers } = yield* callForResponse(mine.token, name, fields, "change")
        assert.notInclude([420, 500], envelope.error_code)
        const other = yield* callForResponse(mine.token, name, { ...fields, unknown: true }, "change")
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

    it(`${name} says what it is`, () => {
      assert.isAbove(reasonOf(exposureOf(operation)).length, 10)
      assert.isAbove(summaryOf(operation).length, 5)
      assert.match(path, /^\/[a-z_/{}]+$/)
      for (const param of params) assert.property(operation.payloadSchema.fields, param)
      // A reference field that is not listed would never be tried with another operator's record.
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

    it.effect(
      `${name} works for a person who is signed in, ${worksWhenSuspended(operation) ? "whatever" : "if"} the account may`,
      () =>
        Effect.gen(function* () {
          for (const state of [{ status: "banned" }, { subscriptionUntil: DateTime.makeUnsafe(0) }, {}] as const) {
            const world = yield* makeSampleWorld
            const isRefused = Object.keys(state).length > 0 && !worksWhenSuspended(operation)
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

  // test/refusals.test.ts tries every operation with these accounts in memory.
  it.effect("goes by what the database says of a token and its account", () =>
    Effect.gen(function* () {
      const { mine, refusedAccounts } = yield* Cast
      const refusedTokens = [
        ...UNKNOWN_TOKENS.map((token) => ({ answer: "401 Invalid access token", token })),
        ...refusedAccounts,
        { answer: "401 Not authorized for this action", token: mine.readOnlyToken }
      ]
      for (const { answer, token } of refusedTokens) {
        const { error_code, error_msg } = yield* call(token, "create_task")
        assert.strictEqual(`${error_code} ${error_msg}`, answer)
      }
    })
  )

  // Without a record of every kind, the contract tests cannot prove that other operators never see it.
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

const listsIn = (data: unknown): ReadonlyArray<unknown> =>
  Predicate.isObject(data) ? Object.values(data).filter((value) => Array.isArray(value)) : []
