import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AVAILABILITY_END_DAYS } from "../../../src/platform/limits.ts"
import { createOperator, insertProperty } from "../../support/harness.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const OneLine = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** What `latchkey property …` answers in JSON. */
const property = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { code, stdout, stderr } = yield* runBesideService(["property", ...args, "--json"])
  assert.strictEqual(stderr, "")
  return { code, answer: yield* Schema.decodeUnknownEffect(OneLine)(stdout) }
})

layer(layerRunningService, { excludeTestServices: true })("latchkey property", (it) => {
  it.effect("deactivates and activates one, and says how many days that changed", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const id = yield* insertProperty(operatorId, "Harbour 1")
      const sql = yield* SqlClient.SqlClient
      const all = AVAILABILITY_END_DAYS + 1
      const answered = (active: boolean, changed_days: number) => ({
        code: 0,
        answer: { property_id: id, active, changed_days }
      })
      assert.deepStrictEqual(yield* property("deactivate", `${id}`), answered(false, all))
      assert.deepStrictEqual(yield* property("deactivate", "--property", `${id}`), answered(false, 0))
      assert.deepStrictEqual(yield* property("activate", "--property", `${id}`), answered(true, all))
      assert.deepStrictEqual(yield* property("activate", `${id}`), answered(true, 0))
      const off = yield* runBesideService(["property", "deactivate", `${id}`])
      assert.match(off.stdout, new RegExp(`\\b${id}\\b.*\\binactive\\b.*\\b${all} days\\b`))
      yield* sql`
        INSERT INTO calendar_days (operator_id, property_id, day, closed)
        SELECT ${operatorId}::bigint, ${id}::bigint, day, true FROM generate_series(current_date + 3, current_date + 1200, '1 day') day`
      yield* sql`
        INSERT INTO calendar_days (operator_id, property_id, day, closed)
        SELECT ${operatorId}::bigint, ${id}::bigint, day, true FROM generate_series(current_date - 2, current_date + 1, '1 day') day`
      const on = yield* runBesideService(["property", "activate", `${id}`])
      assert.match(on.stdout, new RegExp(`\\b${id}\\b.*\\bactive\\b.*\\b1 day\\b`))
      const trail = yield* sql<{ application: string; operation: string }>`
        SELECT application, operation FROM trail WHERE operator_id = ${operatorId} AND record = ${`property:${id}`} ORDER BY id`
      assert.deepStrictEqual(
        trail,
        ["deactivate", "activate", "deactivate", "activate"].map((name) => ({
          application: "command line",
          operation: `property ${name}`
        }))
      )
    })
  )

  it.effect("says what it cannot do, and changes nothing", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const id = yield* insertProperty(operatorId, "Harbour 1")
      const sql = yield* SqlClient.SqlClient
      for (const name of ["deactivate", "activate"]) {
        for (const [args, message] of [
          [[], /^--property: /],
          [[`${id}`, "--property", `${id}`], /^--property: /],
          [["987654321"], /^id: there is no property 987654321\.$/],
          [["--property", "987654321"], /^--property: there is no property 987654321\.$/],
          [["0"], /\bproperty 0\b/],
          [["-1"], /-1/],
          [["9007199254740993"], /\b90071992547409\d\d\b/],
          [["1.5"], /1\.5/],
          [["harbour"], /harbour/]
        ] as const) {
          const { code, answer } = yield* property(name, ...args)
          assert.strictEqual(code, 1, args.join(" "))
          assert.match(String(answer["error"]), message)
        }
      }
      const [row] = yield* sql<{ untouched: boolean }>`
        SELECT deactivated_at IS NULL AS untouched FROM properties WHERE id = ${id}`
      assert.deepStrictEqual(row, { untouched: true })
    })
  )
})
