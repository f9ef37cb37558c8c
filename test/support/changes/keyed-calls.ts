import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { toReceivedInput } from "../../../src/contract/input.ts"
import type { OperationName } from "../../../src/service/Api.ts"
import { Service } from "../../../src/service/service.ts"
import { reportDefects } from "../harness.ts"

/** A call with a key; the answer, envelope, headers and all. */
export const callWithKey = Effect.fnUntraced(function* (
  token: string,
  operation: OperationName,
  fields: object,
  key: string | undefined
) {
  const service = yield* Service
  return yield* service.call(operation, {
    transport: "rest",
    headers: { authorization: `Bearer ${token}` },
    params: {},
    idempotencyKey: key === undefined ? undefined : { field: "Idempotency-Key", value: key },
    receive: Effect.succeed(toReceivedInput({ encoding: "json", fields }))
  })
}, reportDefects)

/** What an answer comes to: its code, what it says, and whether it is an earlier call's. */
export const summarizeResponse = ({ envelope, headers }: Effect.Success<ReturnType<typeof callWithKey>>) => ({
  code: envelope.error_code,
  data: JSON.stringify(envelope.data),
  replayed: headers["idempotent-replayed"] === "true",
  retryAfter: headers["retry-after"]
})

/** The trail of an operator, oldest first: `operation record field field`; rows of one change in the order of their records. */
export const loadAuditLines = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ operation: string; record: string; fields: ReadonlyArray<string> }>`
    SELECT operation, record, fields FROM trail WHERE operator_id = ${operatorId} ORDER BY id`
  return rows.map(({ operation, record, fields }) => [operation, record, ...fields].join(" "))
})

/** How many keys an operator has, and how many of them are under way. */
export const countIdempotencyKeys = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ under_way: boolean }>`
    SELECT outcome IS NULL AS under_way FROM idempotency_keys WHERE operator_id = ${operatorId}`
  return { kept: rows.filter((row) => !row.under_way).length, underWay: rows.filter((row) => row.under_way).length }
})
