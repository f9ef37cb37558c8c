import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What the trail says of an operator, the first change first: `who: operation record (fields)`, the account by its id. */
export const loadAuditLinesWithActor = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    account_id: number | null
    application: string
    operation: string
    record: string
    fields: ReadonlyArray<string>
  }>`SELECT account_id, application, operation, record, fields FROM trail WHERE operator_id = ${operatorId} ORDER BY id`
  return rows.map(({ account_id, application, operation, record, fields }) => {
    const actor = account_id === null ? application : `${account_id} ${application}`
    return `${actor}: ${operation} ${record}${fields.length === 0 ? "" : ` (${fields.join(", ")})`}`
  })
}, Effect.orDie)
