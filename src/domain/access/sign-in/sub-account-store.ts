import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { Caller } from "../../../contract/caller.ts"
import { changeUnderLock } from "../../../platform/database/locked-change.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import {
  disableAccountSql,
  enableAccountSql,
  type OperatorAccountKey,
  subAccountCondition
} from "../operators/account-sql.ts"

export const OperatorAccount = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  email: Schema.String,
  role: Caller.fields.role,
  created_at: Schema.Date,
  disabled_at: Schema.NullOr(Schema.Date),
  /** Null if the audit log has no sign-in of the account. */
  signed_in_at: Schema.NullOr(Schema.Date)
})
export type OperatorAccount = typeof OperatorAccount.Type

const AccountId = Schema.Struct({ account_id: Schema.Int })
export const DisabledAccount = Schema.Struct({ ...AccountId.fields, sessions_ended: Schema.Int })
export type DisabledAccount = typeof DisabledAccount.Type

const readAccounts = makeRowsReader(OperatorAccount)
const readAccountId = makeOptionalRowReader(AccountId)
const readDisabledAccount = makeOptionalRowReader(DisabledAccount)
const readOwner = makeOptionalRowReader(
  Schema.Struct({ operatorId: Caller.fields.operatorId, role: Caller.fields.role })
)

const listAccounts = (sql: SqlClient) => (operatorId: number) =>
  readAccounts(sql`
      SELECT a.id, a.name, a.email, a.role, a.created_at, a.disabled_at, signed_in.at AS signed_in_at
      FROM accounts a LEFT JOIN LATERAL (
        SELECT t.at FROM trail t
        WHERE t.operator_id = a.operator_id AND t.record = 'account:' || a.id AND t.fields = '{session}'
        ORDER BY t.at DESC, t.id DESC LIMIT 1
      ) signed_in ON true
      WHERE a.operator_id = ${operatorId}
      ORDER BY a.role, a.id`)

const fromSubAccountSql = (sql: SqlClient, account: OperatorAccountKey): Fragment => sql`
  FROM accounts a WHERE ${subAccountCondition(sql, account)}`

const touchedAccountSql = (sql: SqlClient): Fragment =>
  sql`SELECT operator_id, 'account:' || id AS record, '{disabled_at}'::text[] AS fields FROM account`

interface DisableInput extends OperatorAccountKey {
  readonly now: Date
}

/** The lock waits for concurrent sign-ins, so that the change also ends their sessions. */
const disable = (sql: SqlClient) => {
  const lockFirst = changeUnderLock(sql)
  return ({ now, ...account }: DisableInput) =>
    lockFirst(
      sql`SELECT FROM accounts WHERE operator_id = ${account.operatorId} AND id = ${account.accountId} FOR NO KEY UPDATE`,
      readDisabledAccount(
        recordChange(sql, {
          change: sql`
            ${disableAccountSql(sql, account, now)},
            ended AS (
              DELETE FROM console_sessions s USING account
              WHERE s.operator_id = account.operator_id AND s.account_id = account.id
              RETURNING 1
            )`,
          events: [],
          changedRecords: touchedAccountSql(sql),
          outcome: sql`SELECT a.id AS account_id, (SELECT count(*) FROM ended) AS sessions_ended ${fromSubAccountSql(sql, account)}`
        })
      )
    )
}

const enable = (sql: SqlClient) => (account: OperatorAccountKey) =>
  readAccountId(
    recordChange(sql, {
      change: enableAccountSql(sql, account),
      events: [],
      changedRecords: touchedAccountSql(sql),
      outcome: sql`SELECT a.id AS account_id ${fromSubAccountSql(sql, account)}`
    })
  )

const findOwner = (sql: SqlClient) => (id: number) =>
  readOwner(sql`SELECT operator_id AS "operatorId", role FROM accounts WHERE id = ${id}`)

export const makeSubAccountStore = (sql: SqlClient) => ({
  list: listAccounts(sql),
  disable: disable(sql),
  enable: enable(sql),
  findOwner: findOwner(sql)
})
