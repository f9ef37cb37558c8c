import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { PAGE_MAX } from "../../platform/limits.ts"
import { type AuditRange, type AuditRangeFilter, auditEntriesSql, toAuditRange } from "./audit-range.ts"
import { AuditLogEntry } from "./contract.ts"

const AuditLogRow = Schema.Struct({ ...AuditLogEntry.fields, at: Schema.Date })
export type AuditLogRow = typeof AuditLogRow.Type

/** One row beyond the page shows whether earlier entries exist. */
const ROWS_READ_MAX = PAGE_MAX + 1

interface SearchParameters extends AuditRange {
  readonly limit: number
}

const readRows = makeRowsReader(AuditLogRow)

export class AuditLogStore extends Context.Service<
  AuditLogStore,
  {
    readonly search: (filter: AuditRangeFilter, limit: number) => Effect.Effect<ReadonlyArray<AuditLogRow>>
  }
>()("latchkey/domain/audit-log/AuditLogStore") {
  static readonly layer = Layer.effect(
    AuditLogStore,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const statement = ({ limit, ...range }: SearchParameters) => sql`
          SELECT t.id, t.at, t.account_id, a.name AS account_name, t.application, t.operation, t.request_id, t.record, t.fields
          FROM (${auditEntriesSql(sql, range, ROWS_READ_MAX)}) t
          LEFT JOIN accounts a ON a.operator_id = ${range.operatorId} AND a.id = t.account_id
          ORDER BY t.at DESC, t.id DESC LIMIT ${limit}::int`
      return AuditLogStore.of({
        search: (filter, limit) => readRows(statement({ ...toAuditRange(filter), limit }))
      })
    })
  )
}
