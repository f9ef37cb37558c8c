import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NotFound, ValidationFailed } from "../../contract/errors.ts"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { rowsOf } from "../../platform/database/rows.ts"
import { SandboxAccount } from "./rows.ts"

// Whose a listing, an order, a thread or an offer is: a guest knows its name alone.

/** What tells a thing from others of its name. */
interface Whose {
  readonly channel_type?: string
  readonly operator_id?: number
}

interface NamedThere {
  readonly name: string
  readonly channelType: string | undefined
  readonly operatorId: number | undefined
}

const readAccounts = rowsOf(SandboxAccount)

const columns = "a.operator_id, a.id AS account_id, a.channel_type, a.username, o.time_zone"

const finding = (sql: SqlClient.SqlClient, what: "listing" | "order" | "thread" | "offer") => {
  const table = sql.literal(`sandbox_${what}s`)
  const key = sql.literal(`${what}_id`)
  const statement = inForms(
    sql,
    ({ name, channelType, operatorId }: Givens<NamedThere>) => sql`
      SELECT ${sql.literal(columns)} FROM ${table} there
      JOIN channel_accounts a
        ON a.operator_id = there.operator_id AND a.id = there.account_id AND a.connector = 'sandbox'
      JOIN operators o ON o.id = a.operator_id
      WHERE there.${key} = ${name}
        AND ${channelType === undefined ? sql`true` : sql`a.channel_type = ${channelType}`}
        AND ${operatorId === undefined ? sql`true` : sql`a.operator_id = ${operatorId}`}
      LIMIT 2`
  )
  return Effect.fnUntraced(function* (name: string, { channel_type, operator_id }: Whose) {
    const [only, another] = yield* readAccounts(statement({ name, channelType: channel_type, operatorId: operator_id }))
    if (only === undefined) return yield* new NotFound({ message: `${what}_id: no such ${what}: ${name}.` })
    if (another === undefined) return only
    return yield* new ValidationFailed({
      message: `${what}_id: several accounts have ${name}; send channel_type and operator_id too.`
    })
  })
}

/** The account of a listing, an order, a thread, an offer, and one by its id; only those of the sandbox. */
export const makeFinding = Effect.map(SqlClient.SqlClient, (sql) => {
  const byId = inForms(
    sql,
    ({ operatorId, accountId }: Givens<{ readonly operatorId: number; readonly accountId: number }>) => sql`
      SELECT ${sql.literal(columns)} FROM channel_accounts a JOIN operators o ON o.id = a.operator_id
      WHERE a.operator_id = ${operatorId} AND a.id = ${accountId} AND a.connector = 'sandbox'`
  )
  const alone = inForms(
    sql,
    ({ accountId }: Givens<{ readonly accountId: number }>) => sql`
      SELECT ${sql.literal(columns)} FROM channel_accounts a JOIN operators o ON o.id = a.operator_id
      WHERE a.id = ${accountId} AND a.connector = 'sandbox'`
  )
  return {
    listing: finding(sql, "listing"),
    order: finding(sql, "order"),
    thread: finding(sql, "thread"),
    offer: finding(sql, "offer"),
    accountOf: (accountId: number) => Effect.map(readAccounts(alone({ accountId })), ([account]) => account),
    /** Undefined: there is none, or the sandbox is not what it is reached by. */
    account: (operatorId: number, accountId: number) =>
      Effect.map(readAccounts(byId({ operatorId, accountId })), ([account]) => account)
  }
})
