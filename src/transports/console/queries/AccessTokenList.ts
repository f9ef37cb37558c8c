import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { activeTokenCondition } from "../../../domain/access/operators/AccessTokens.ts"
import { visibleAccountOf } from "../../../domain/access/operators/account-viewer.ts"
import { TOKEN_SCOPES } from "../../../domain/access/operators/operator-schemas.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { ACCESS_TOKENS_SHOWN } from "../../../platform/limits.ts"
import { type CursorPage, type PageCursor, toCursorPage } from "./cursor-page.ts"

export const ListedAccessToken = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  scope: Schema.Literals(TOKEN_SCOPES),
  account_name: Schema.String,
  created_at: Schema.Date,
  /** Accurate to the minute. */
  last_used_at: Schema.NullOr(Schema.Date)
})
export type ListedAccessToken = typeof ListedAccessToken.Type

interface TokenListInput {
  readonly operatorId: number
  readonly accountId: number | undefined
  readonly cursorId: number | undefined
}

const readTokens = makeRowsReader(ListedAccessToken)

const EMPTY_PAGE: CursorPage<ListedAccessToken> = { rows: [], older: undefined, newer: undefined }

const list = (sql: SqlClient.SqlClient) => {
  const statement = ({ operatorId, accountId, cursorId }: TokenListInput, direction: PageCursor["direction"]) => sql`
      SELECT t.id, t.name, t.scope, a.name AS account_name, t.created_at, t.last_used_at
      FROM access_tokens t JOIN accounts a ON a.operator_id = t.operator_id AND a.id = t.account_id
      WHERE t.operator_id = ${operatorId} AND ${activeTokenCondition(sql)}
        ${accountId === undefined ? sql`` : sql`AND t.account_id = ${accountId}`}
        ${cursorId === undefined ? sql`` : direction === "older" ? sql`AND t.id < ${cursorId}` : sql`AND t.id > ${cursorId}`}
      ORDER BY t.id ${direction === "older" ? sql`DESC` : sql`ASC`}
      LIMIT ${sql.literal(String(ACCESS_TOKENS_SHOWN + 1))}`
  return Effect.fnUntraced(function* (cursor: PageCursor | undefined) {
    const caller = yield* CurrentCaller
    const owner = { operatorId: caller.operatorId, accountId: visibleAccountOf(caller) }
    const findPage = (from: PageCursor | undefined) =>
      Effect.map(readTokens(statement({ ...owner, cursorId: from?.id }, from?.direction ?? "older")), (rows) =>
        toCursorPage(rows, from)
      )
    return (yield* findPage(cursor)) ?? (yield* findPage(undefined)) ?? EMPTY_PAGE
  })
}

/** A main account sees the tokens of all accounts, a sub-account its own. */
export class AccessTokenList extends Context.Service<AccessTokenList>()(
  "latchkey/transports/console/queries/AccessTokenList",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      /** Returns the newest page if {@link toCursorPage} finds none for the cursor. */
      list: list(sql)
    }))
  }
) {
  static readonly layer = Layer.effect(AccessTokenList, AccessTokenList.make)
}
