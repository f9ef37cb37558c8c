import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { OperationName } from "../../src/service/Api.ts"
import { connectClient } from "../support/domain/webhooks/subscriptions/connected-client.ts"
import {
  callForResponse,
  createAccessToken,
  createOperator,
  insertAccount,
  insertProperty,
  layerTest
} from "../support/harness.ts"
import {
  awaitBlockedTaskInserts,
  canOverlap,
  lockProperty,
  withServerNote
} from "../support/overlapping-transactions.ts"
import { countStatements } from "../support/statement-count.ts"

const ANOTHER = /^422 Idempotency-Key: /

const ready = Effect.gen(function* () {
  const operator = yield* createOperator({
    rateLimits: { user: { "1m": 10_000 }, endpoint: { "POST /tasks": { "1m": 10_000 } } }
  })
  const { operatorId, token } = operator
  const sql = yield* SqlClient.SqlClient
  const count = (table: "tasks" | "property_groups" | "trail" | "idempotency_keys") =>
    Effect.map(
      sql<{ rows: number }>`SELECT count(*) AS rows FROM ${sql(table)} WHERE operator_id = ${operatorId}`,
      (rows) => rows[0]?.rows
    )
  const keyed = (key: string, operation: OperationName, fields: object) =>
    callForResponse(token, operation, fields, key)
  return { ...operator, count, keyed }
})

const codeOf = ({ envelope }: Effect.Success<ReturnType<typeof callForResponse>>) =>
  `${envelope.error_code} ${envelope.error_msg}`.trim()

layer(layerTest)("a change under a key", (it) => {
  it.effect("is made once, however often it is asked for", () =>
    Effect.gen(function* () {
      const { count, keyed } = yield* ready
      const first = yield* keyed("a", "create_task", { type: "cleaning", note: "key" })
      assert.strictEqual(codeOf(first), "0")
      assert.notProperty(first.headers, "idempotent-replayed")
      for (const same of ["a", '"a"']) {
        const again = yield* keyed(same, "create_task", { note: "key", type: "cleaning" })
        assert.strictEqual(JSON.stringify(again.envelope.data), JSON.stringify(first.envelope.data))
        assert.strictEqual(again.headers["idempotent-replayed"], "true")
        assert.notStrictEqual(again.envelope.request_id, first.envelope.request_id)
      }
      assert.strictEqual(yield* count("tasks"), 1)
      assert.strictEqual(yield* count("trail"), 1)
    })
  )

  it.effect("costs no statement beside the change, and one to find a repeat", () =>
    Effect.gen(function* () {
      const { keyed, token } = yield* ready
      yield* callForResponse(token, "search_tasks")
      const statements = (key: string | undefined, operation: OperationName, fields: object) =>
        Effect.map(countStatements(callForResponse(token, operation, fields, key)), ([answer, counted]) => {
          assert.strictEqual(answer.envelope.error_code, 0, answer.envelope.error_msg)
          return counted
        })
      assert.strictEqual(yield* statements(undefined, "create_task", { type: "other" }), 2)
      assert.strictEqual(yield* statements("b", "create_task", { type: "other" }), 2)
      assert.strictEqual(yield* statements("b", "create_task", { type: "other" }), 3)
      assert.strictEqual(yield* statements("c", "create_property_group", { name: "One" }), 1)
      // One more looks up which record has the name, for a 409.
      assert.strictEqual(yield* statements("c", "create_property_group", { name: "One" }), 3)
      assert.strictEqual(codeOf(yield* keyed("d", "create_property_group", { name: "One" })).slice(0, 3), "409")
    })
  )

  it.effect("is refused for another input or another operation, and nothing is done", () =>
    Effect.gen(function* () {
      const { count, keyed, operatorId } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* keyed("a", "create_task", { type: "cleaning" })
      assert.match(codeOf(yield* keyed("a", "create_task", { type: "other" })), ANOTHER)
      assert.match(codeOf(yield* keyed("a", "create_property_group", { name: "A" })), ANOTHER)
      // Refused by a rule as well: that the key was used for something else comes first.
      assert.match(codeOf(yield* keyed("a", "delete_task", { id: 9_999_999 })), ANOTHER)
      assert.strictEqual(yield* count("tasks"), 1)
      assert.strictEqual(yield* count("property_groups"), 0)
      const rows = yield* sql`SELECT operation, record FROM trail WHERE operator_id = ${operatorId}`
      assert.lengthOf(rows, 1)
    })
  )

  it.effect("gives its result to no other connection, also not to its host's", () =>
    Effect.gen(function* () {
      const operator = yield* ready
      const [one, other] = [yield* connectClient(operator), yield* connectClient(operator)]
      const propertyId = yield* insertProperty(operator.operatorId, "Harbour")
      const callers = [operator, one, other]
      for (const [at, { token }] of callers.entries()) {
        const create = (caller: { readonly token: string }) =>
          callForResponse(caller.token, "create_property_feed", { property_id: propertyId }, `key-${at}`)
        const first = yield* create({ token })
        assert.strictEqual(codeOf(first), "0")
        for (const caller of callers) {
          const again = yield* create(caller)
          if (caller.token === token) assert.deepStrictEqual(again.envelope.data, first.envelope.data)
          else assert.match(codeOf(again), ANOTHER)
        }
      }
    })
  )

  it.effect("replays a key that an earlier release stored without its connection", () =>
    Effect.gen(function* () {
      const operator = yield* ready
      const sql = yield* SqlClient.SqlClient
      const { token } = yield* connectClient(operator)
      const create = callForResponse(token, "create_task", { type: "cleaning" }, "a")
      const first = yield* create
      yield* sql`UPDATE idempotency_keys SET grant_id = NULL WHERE operator_id = ${operator.operatorId}`
      assert.deepStrictEqual((yield* create).envelope.data, first.envelope.data)
      assert.strictEqual(yield* operator.count("tasks"), 1)
    })
  )

  it.effect("that was refused keeps no key", () =>
    Effect.gen(function* () {
      const { count, keyed } = yield* ready
      assert.strictEqual(codeOf(yield* keyed("a", "create_task", { type: "cleaning", staff_id: 1 })).slice(0, 3), "404")
      assert.strictEqual(codeOf(yield* keyed("a", "create_task", { type: "sleeping" })).slice(0, 3), "422")
      assert.strictEqual(yield* count("idempotency_keys"), 0)
      assert.strictEqual(codeOf(yield* keyed("a", "create_task", { type: "cleaning" })), "0")
    })
  )

  it.effect("that had nothing to change keeps its key all the same", () =>
    Effect.gen(function* () {
      const { keyed, operatorId } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const { envelope } = yield* keyed("a", "create_task", { type: "cleaning", note: "one" })
      assert.deepInclude(envelope, { error_code: 0 })
      const [{ id } = { id: 0 }] = yield* sql<{ id: number }>`SELECT id FROM tasks WHERE operator_id = ${operatorId}`
      assert.strictEqual(codeOf(yield* keyed("b", "update_task", { id })), "0")
      assert.match(codeOf(yield* keyed("b", "update_task", { id, note: "two" })), ANOTHER)
    })
  )

  it.effect("is answered again when its record has changed or is gone since", () =>
    Effect.gen(function* () {
      const { count, keyed, operatorId, token } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* keyed("a", "create_task", { type: "cleaning" })
      const [{ id } = { id: 0 }] = yield* sql<{ id: number }>`SELECT id FROM tasks WHERE operator_id = ${operatorId}`
      const note = yield* keyed("b", "update_task", { id, note: "mine" })
      yield* callForResponse(token, "update_task", { id, note: "theirs" })
      const again = yield* keyed("b", "update_task", { id, note: "mine" })
      assert.deepStrictEqual([again.envelope.data, again.headers["idempotent-replayed"]], [note.envelope.data, "true"])
      assert.deepStrictEqual(yield* sql`SELECT note FROM tasks WHERE operator_id = ${operatorId}`, [{ note: "theirs" }])
      yield* keyed("c", "delete_task", { id })
      for (const [key, operation, fields] of [
        ["c", "delete_task", { id }],
        ["b", "update_task", { id, note: "mine" }],
        ["a", "create_task", { type: "cleaning" }]
      ] as const) {
        const answer = yield* keyed(key, operation, fields)
        assert.strictEqual(codeOf(answer), "0", operation)
        assert.strictEqual(answer.headers["idempotent-replayed"], "true", operation)
      }
      assert.strictEqual(yield* count("tasks"), 0)
    })
  )

  it.effect("belongs to the operator: its accounts share it, others do not", () =>
    Effect.gen(function* () {
      const { keyed, operatorId } = yield* ready
      const accountId = yield* insertAccount(operatorId, "sub", "Sub")
      const sub = yield* createAccessToken({ operatorId, accountId }, "writable")
      const other = yield* createOperator()
      const first = yield* keyed("a", "create_task", { type: "other" })
      const again = yield* callForResponse(sub, "create_task", { type: "other" }, "a")
      assert.deepStrictEqual(again.envelope.data, first.envelope.data)
      const theirs = yield* callForResponse(other.token, "create_task", { type: "cleaning" }, "a")
      assert.strictEqual(codeOf(theirs), "0")
      assert.notProperty(theirs.headers, "idempotent-replayed")
    })
  )

  it.effect("is nothing to a read, whatever it looks like", () =>
    Effect.gen(function* () {
      const { count, keyed } = yield* ready
      for (const key of ["a", "", "a, b", "k".repeat(300)]) {
        assert.strictEqual(codeOf(yield* keyed(key, "search_tasks", {})), "0")
      }
      assert.strictEqual(yield* count("idempotency_keys"), 0)
    })
  )

  it.effect("asked for two hundred times at once is made once", () =>
    Effect.gen(function* () {
      const { count, keyed } = yield* ready
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }),
        () => keyed("crowd", "create_task", { type: "maintenance" }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(answers.map(({ envelope }) => JSON.stringify(envelope.data))).size, 1)
      assert.deepStrictEqual(new Set(answers.map(codeOf)), new Set(["0"]))
      assert.lengthOf(
        answers.filter(({ headers }) => headers["idempotent-replayed"] === undefined),
        1
      )
      assert.strictEqual(yield* count("tasks"), 1)
      assert.strictEqual(yield* count("trail"), 1)
    })
  )

  it.effect("whose caller hangs up was made or was not, and a repeat knows", () =>
    Effect.gen(function* () {
      const { count, keyed } = yield* ready
      for (let steps = 0; steps < 40; steps++) {
        const fiber = yield* Effect.forkChild(keyed(`hang-${steps}`, "create_task", { type: "cleaning" }))
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(codeOf(yield* keyed(`hang-${steps}`, "create_task", { type: "cleaning" })), "0")
        assert.strictEqual(yield* count("tasks"), steps + 1)
      }
    })
  )
})

describe.skipIf(!canOverlap)(withServerNote("two calls with one key that truly overlap"), () => {
  layer(layerTest)((it) => {
    it.effect("the second waits for the first and is answered as it is", () =>
      Effect.gen(function* () {
        const _sql = yield* SqlClient.SqlClient
        const { count, keyed, operatorId } = yield* ready
        const property_id = yield* insertProperty(operatorId, "Loft")
        const letGo = yield* lockProperty(operatorId, property_id)
        const call = keyed("a", "create_task", { type: "cleaning", property_id })
        const fibers = [yield* Effect.forkChild(call), yield* Effect.forkChild(call)]
        yield* awaitBlockedTaskInserts(2)
        yield* letGo
        const answers = yield* Effect.forEach(fibers, Fiber.join)
        assert.deepStrictEqual(answers[0]?.envelope.data, answers[1]?.envelope.data)
        assert.sameMembers(
          answers.map(({ headers }) => headers["idempotent-replayed"] ?? "first"),
          ["first", "true"]
        )
        assert.strictEqual(yield* count("tasks"), 1)
      })
    )
  })
})
