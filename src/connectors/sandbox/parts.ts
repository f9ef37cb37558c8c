import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { onlyRowOf, rowsOf } from "../../platform/database/rows.ts"
import type { Account } from "./Books.ts"

// Lists of what the marketplace has, a page at a time.

type Sql = SqlClient.SqlClient

/** A page of a list: how many are before it, and the most it has. */
export interface Part {
  readonly offset: number
  readonly limit: number
}

const readTotal = onlyRowOf(Schema.Struct({ total: Schema.Int }))

interface Narrowed extends Part {
  readonly operatorId: number | undefined
  readonly accountId: number | undefined
}

/** Rows of one page and how many there are in all. */
export const pages = <A>(
  sql: Sql,
  row: Schema.ConstraintDecoder<A>,
  columns: Fragment,
  { from, orderBy }: { readonly from: Fragment; readonly orderBy: Fragment }
) => {
  const read = rowsOf(row)
  const where = ({ operatorId, accountId }: Pick<Givens<Narrowed>, "operatorId" | "accountId">) => sql`
    WHERE a.connector = 'sandbox' AND ${operatorId === undefined ? sql`true` : sql`a.operator_id = ${operatorId}`}
      AND ${accountId === undefined ? sql`true` : sql`a.id = ${accountId}`}`
  const page = inForms(
    sql,
    (asked: Givens<Narrowed>) => sql`
      SELECT ${columns} FROM ${from} ${where(asked)} ORDER BY ${orderBy} LIMIT ${asked.limit} OFFSET ${asked.offset}`
  )
  const total = inForms(
    sql,
    (asked: Givens<Pick<Narrowed, "operatorId" | "accountId">>) => sql`
      SELECT count(*) AS total FROM ${from} ${where(asked)}`
  )
  return Effect.fnUntraced(function* (
    { offset, limit }: Part,
    narrowed: Partial<Account> = {}
  ): Effect.fn.Return<{ readonly total: number; readonly rows: ReadonlyArray<A> }> {
    const [operatorId, accountId] = [narrowed.operator_id, narrowed.account_id]
    const rows = yield* read(page({ operatorId, accountId, limit, offset }))
    return { rows, ...(yield* readTotal(total({ operatorId, accountId }))) }
  })
}

/** Whose something is, in rows of a list: `a` is the account, `o` its operator. */
export const account = "a.operator_id, a.id AS account_id, a.channel_type, a.username, o.time_zone"
