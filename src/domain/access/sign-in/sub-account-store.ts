import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { Caller } from "../../../contract/caller.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { lockedFirst } from "../../../platform/database/locked-first.ts"
import { rowOf, rowsOf } from "../../../platform/database/rows.ts"
import { disabling, enabling, isSubAccount, type OwnAccount } from "../operators/sub-account.ts"

/** An account of an operator. */
export const Account = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  email: Schema.String,
  role: Caller.fields.role,
  created_at: Schema.Date,
  /** Null: it is not. */
  disabled_at: Schema.NullOr(Schema.Date),
  /** When somebody last signed in at the console with it, by the trail; null: never, or longer ago than that is kept. */
  signed_in_at: Schema.NullOr(Schema.Date)
})
export type Account = typeof Account.Type

const Known = Schema.Struct({ account_id: Schema.Int })
const Disabled = Schema.Struct({ ...Known.fields, sessions_ended: Schema.Int })
export type Disabled = typeof Disabled.Type

const readAccounts = rowsOf(Account)
const readKnown = rowOf(Known)
const readDisabled = rowOf(Disabled)
const readWhose = rowOf(Schema.Struct({ operatorId: Caller.fields.operatorId, role: Caller.fields.role }))

const list = (sql: SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId }: Givens<Pick<OwnAccount, "operatorId">>) => sql`
      SELECT a.id, a.name, a.email, a.role, a.created_at, a.disabled_at, signed_in.at AS signed_in_at
      FROM accounts a LEFT JOIN LATERAL (
        SELECT t.at FROM trail t
        WHERE t.operator_id = a.operator_id AND t.record = 'account:' || a.id AND t.fields = '{session}'
        ORDER BY t.at DESC, t.id DESC LIMIT 1
      ) signed_in ON true
      WHERE a.operator_id = ${operatorId}
      ORDER BY a.role, a.id`
  )
  return (operatorId: number) => readAccounts(statement({ operatorId }))
}

/** The sub-account itself, for what comes of a change of it. */
const itself = (sql: SqlClient, account: Givens<OwnAccount>): Fragment => sql`
  FROM accounts a WHERE ${isSubAccount(sql, account)}`

const turned = (sql: SqlClient): Fragment =>
  sql`SELECT operator_id, 'account:' || id AS record, '{disabled_at}'::text[] AS fields FROM account`

interface Disabling extends OwnAccount {
  readonly now: Date
}

/** The account is locked first: what somebody signs in with meanwhile is seen, and ends. */
const disable = (sql: SqlClient) => {
  const statement = onRecordInForms(sql, ({ now, ...account }: Givens<Disabling>) => ({
    change: sql`
      ${disabling(sql, account, now)},
      ended AS (
        DELETE FROM console_sessions s USING account
        WHERE s.operator_id = account.operator_id AND s.account_id = account.id
        RETURNING 1
      )`,
    events: [],
    touched: turned(sql),
    outcome: sql`SELECT a.id AS account_id, (SELECT count(*) FROM ended) AS sessions_ended ${itself(sql, account)}`
  }))
  const first = lockedFirst(sql)
  return ({ operatorId, accountId, now }: Disabling) =>
    first(
      sql`SELECT FROM accounts WHERE operator_id = ${operatorId} AND id = ${accountId} FOR NO KEY UPDATE`,
      readDisabled(statement({ operatorId, accountId, now }))
    )
}

const enable = (sql: SqlClient) => {
  const statement = onRecordInForms(sql, (account: Givens<OwnAccount>) => ({
    change: enabling(sql, account),
    events: [],
    touched: turned(sql),
    outcome: sql`SELECT a.id AS account_id ${itself(sql, account)}`
  }))
  return ({ operatorId, accountId }: OwnAccount) => readKnown(statement({ operatorId, accountId }))
}

const known = (sql: SqlClient) => {
  const statement = inForms(
    sql,
    (account: Givens<OwnAccount>) => sql`SELECT a.id AS account_id ${itself(sql, account)}`
  )
  return ({ operatorId, accountId }: OwnAccount) => readKnown(statement({ operatorId, accountId }))
}

const whose = (sql: SqlClient) => (id: number) =>
  readWhose(sql`SELECT operator_id AS "operatorId", role FROM accounts WHERE id = ${id}`)

/** The SQL of an operator's accounts. */
export const makeSubAccountStore = (sql: SqlClient) => ({
  list: list(sql),
  disable: disable(sql),
  enable: enable(sql),
  known: known(sql),
  whose: whose(sql)
})
