import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import type { ApiOperation } from "../../src/service/Api.ts"
import { call } from "./harness.ts"
import { COMPANION_FIELDS, isRequired, makeSampleFields, payloadFieldsOf } from "./operation-samples.ts"
import type { SampleWorld } from "./sample-world.ts"

/** Values of search fields that no sample of the contract tests has. */
const MORE: Readonly<Record<string, unknown>> = {
  keyword: "towels",
  status: "accepted",
  channel_type: "airbnb",
  is_active: 1,
  order_by: "created_at",
  channel_id: "QX7",
  limit: 5,
  offset: 5,
  start_check_in_date: "2027-05-01",
  end_check_in_date: "2027-05-31",
  start_check_out_date: "2027-05-01",
  end_check_out_date: "2027-05-31"
}

/** A status of each searched record other than a reservation. */
const STATUS_OF: { readonly [Name in ApiOperation["_tag"]]?: string } = {
  search_tasks: "pending",
  search_transactions: "paid"
}

const ARRIVAL_TRIGGER = { event: "check_in", when: "before", hours: 24 }

/** Calls of operations whose fields depend on each other: here, the fields of a rule depend on its action. */
const DEPENDENT_FIELDS: { readonly [Name in ApiOperation["_tag"]]?: ReadonlyArray<Record<string, unknown>> } = {
  try_automation_rule: [
    { action: "send_message", trigger: ARRIVAL_TRIGGER, text: "See you tomorrow.", nights: { min: 2 } },
    { action: "send_message", trigger: ARRIVAL_TRIGGER, text: "See you tomorrow.", channel_types: ["airbnb"] },
    { action: "task", trigger: ARRIVAL_TRIGGER, task: { type: "cleaning", staff: "property" } },
    { action: "review", trigger: { event: "check_out", when: "after", hours: 24 }, text: "Thank you.", score: 5 }
  ]
}

/** Calls that between them use every field of the operation, each with what it needs beside it. */
export const makeSampleCalls = (
  operation: ApiOperation,
  world: SampleWorld
): ReadonlyArray<Record<string, unknown>> => {
  const plain = makeSampleFields(operation, world, COMPANION_FIELDS)
  const dependent = DEPENDENT_FIELDS[operation._tag]
  if (dependent !== undefined) return [plain, ...dependent.map((fields) => ({ ...plain, ...fields }))]
  const optional = payloadFieldsOf(operation).flatMap(([name, field]) => (isRequired(field) ? [] : [name]))
  const status = STATUS_OF[operation._tag]
  return [
    plain,
    ...optional.map((name) => {
      const pair = [name, name.replace(/^start_/, "end_"), name.replace(/^end_/, "start_")]
      const extra = Object.fromEntries(pair.flatMap((each) => (each in MORE ? [[each, MORE[each]]] : [])))
      return {
        ...makeSampleFields(operation, world, [...COMPANION_FIELDS, name]),
        ...extra,
        ...("status" in extra && status !== undefined ? { status } : {})
      }
    })
  ]
}

export type StatementValues = ReadonlyArray<unknown>

/** Returns the statements with parameters that the sample calls of an operation send, and the values of each. Undoes the calls. */
export const captureStatements = Effect.fnUntraced(function* (operation: ApiOperation, world: SampleWorld) {
  const sql = yield* SqlClient.SqlClient
  const statements = new Map<string, Array<StatementValues>>()
  for (const fields of makeSampleCalls(operation, world)) {
    yield* TestClock.adjust("1 second")
    const sent = call(world.token, operation._tag, fields).pipe(
      Effect.provideService(Statement.CurrentTransformer, (statement) => {
        const [text, values] = statement.compile()
        if (values.length > 0) statements.set(text, [...(statements.get(text) ?? []), values])
        return Effect.succeed(statement)
      })
    )
    yield* Effect.ignore(sql.withTransaction(Effect.andThen(sent, Effect.fail("undo"))))
  }
  return statements
})
