import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { makeRowsReader, makeSingleRowReader, type RowPage } from "../../platform/database/rows.ts"
import type { SandboxAccountKey } from "./SandboxRepository.ts"

type Sql = SqlClient.SqlClient

export interface PageRange {
  readonly offset: number
  readonly limit: number
}

const readTotal = makeSingleRowReader(Schema.Struct({ total: Schema.Int }))

interface PageQuery extends PageRange {
  readonly operatorId: number | undefined
  readonly accountId: number | undefined
}

export type PagedQuery<A> = (range: PageRange, accountFilter?: Partial<SandboxAccountKey>) => Effect.Effect<RowPage<A>>

export const makePagedList = <A>(
  sql: Sql,
  row: Schema.ConstraintDecoder<A>,
  columns: Fragment,
  { from, orderBy }: { readonly from: Fragment; readonly orderBy: Fragment }
): PagedQuery<A> => {
  const read = makeRowsReader(row)
  const where = ({ operatorId, accountId }: Pick<PageQuery, "operatorId" | "accountId">) => sql`
    WHERE a.connector = 'sandbox' AND ${operatorId === undefined ? sql`true` : sql`a.operator_id = ${operatorId}`}
      AND ${accountId === undefined ? sql`true` : sql`a.id = ${accountId}`}`
  return Effect.fnUntraced(function* (
    { offset, limit }: PageRange,
    accountFilter: Partial<SandboxAccountKey> = {}
  ): Effect.fn.Return<RowPage<A>> {
    const [operatorId, accountId] = [accountFilter.operator_id, accountFilter.account_id]
    const rows = yield* read(sql`
      SELECT ${columns} FROM ${from} ${where({ operatorId, accountId })} ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}`)
    return {
      rows,
      ...(yield* readTotal(sql`
        SELECT count(*) AS total FROM ${from} ${where({ operatorId, accountId })}`))
    }
  })
}

/** Aliases: `a` is the account, `o` its operator. */
export const accountColumns = "a.operator_id, a.id AS account_id, a.channel_type, a.username, o.time_zone"
