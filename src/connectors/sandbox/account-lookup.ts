import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NotFound, ValidationFailed } from "../../contract/errors.ts"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { SandboxAccount } from "./rows.ts"

// Guests do not know the account, so it is found by the id of a record.

interface AccountFilter {
  readonly channel_type?: string
  readonly operator_id?: number
}

const readAccounts = makeRowsReader(SandboxAccount)

const accountColumns = "a.operator_id, a.id AS account_id, a.channel_type, a.username, o.time_zone"

const makeFindAccountByRecordId = (sql: SqlClient.SqlClient, kind: "listing" | "order" | "thread" | "offer") => {
  const table = sql.literal(`sandbox_${kind}s`)
  const key = sql.literal(`${kind}_id`)
  return Effect.fnUntraced(function* (recordId: string, { channel_type, operator_id }: AccountFilter) {
    const [only, another] = yield* readAccounts(
      sql`
        SELECT ${sql.literal(accountColumns)} FROM ${table} there
        JOIN channel_accounts a
          ON a.operator_id = there.operator_id AND a.id = there.account_id AND a.connector = 'sandbox'
        JOIN operators o ON o.id = a.operator_id
        WHERE there.${key} = ${recordId}
          AND ${channel_type === undefined ? sql`true` : sql`a.channel_type = ${channel_type}`}
          AND ${operator_id === undefined ? sql`true` : sql`a.operator_id = ${operator_id}`}
        LIMIT 2`
    )
    if (only === undefined) return yield* new NotFound({ message: `${kind}_id: no such ${kind}: ${recordId}.` })
    if (another === undefined) return only
    return yield* new ValidationFailed({
      message: `${kind}_id: several accounts have ${recordId}; send channel_type and operator_id too.`
    })
  })
}

export const makeAccountLookup = Effect.map(SqlClient.SqlClient, (sql) => ({
  byListing: makeFindAccountByRecordId(sql, "listing"),
  byOrder: makeFindAccountByRecordId(sql, "order"),
  byThread: makeFindAccountByRecordId(sql, "thread"),
  byOffer: makeFindAccountByRecordId(sql, "offer"),
  byAccountId: (accountId: number) =>
    Effect.map(
      readAccounts(sql`
        SELECT ${sql.literal(accountColumns)} FROM channel_accounts a JOIN operators o ON o.id = a.operator_id
        WHERE a.id = ${accountId} AND a.connector = 'sandbox'`),
      ([account]) => account
    ),
  byOperatorAccount: (operatorId: number, accountId: number) =>
    Effect.map(
      readAccounts(sql`
        SELECT ${sql.literal(accountColumns)} FROM channel_accounts a JOIN operators o ON o.id = a.operator_id
        WHERE a.operator_id = ${operatorId} AND a.id = ${accountId} AND a.connector = 'sandbox'`),
      ([account]) => account
    )
}))
