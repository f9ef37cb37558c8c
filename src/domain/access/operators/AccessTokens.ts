import { Context, DateTime, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { runFormIdempotently } from "../../../changes/form-idempotency.ts"
import { IdempotencyKeys } from "../../../changes/IdempotencyKeys.ts"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Caller } from "../../../contract/caller.ts"
import type { ApiError } from "../../../contract/errors.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { ACCESS_TOKENS_SHOWN } from "../../../platform/limits.ts"
import { type CursorPage, type PageCursor, toCursorPage } from "./cursor-page.ts"
import { activeTokenCondition } from "./OperatorStore.ts"
import { type CreatedToken, Operators } from "./Operators.ts"
import { type NewToken, TOKEN_SCOPES } from "./operator-schemas.ts"

/** Whose tokens: a main account sees those of all accounts of its operator, another one its own. */
export type TokenViewer = Pick<Caller, "operatorId" | "accountId" | "role">

const AccessToken = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  scope: Schema.Literals(TOKEN_SCOPES),
  account_name: Schema.String,
  created_at: Schema.Date,
  /** Right to the minute; null: never. */
  last_used_at: Schema.NullOr(Schema.Date)
})
export type AccessToken = typeof AccessToken.Type

interface TokenListInput {
  readonly operatorId: number
  /** Undefined: those of all accounts. */
  readonly accountId: number | undefined
  /** Undefined: from the newest on. */
  readonly cursorId: number | undefined
}

const accountFilterOf = ({ role, accountId }: TokenViewer): number | undefined =>
  role === "main" ? undefined : accountId

const readTokens = makeRowsReader(AccessToken)
const readRevokedTokenId = makeOptionalRowReader(Schema.Struct({ id: Schema.Int }))

type Sql = SqlClient.SqlClient

const list = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, accountId, cursorId }: Givens<TokenListInput>, direction: PageCursor["direction"]) => sql`
      SELECT t.id, t.name, t.scope, a.name AS account_name, t.created_at, t.last_used_at
      FROM access_tokens t JOIN accounts a ON a.operator_id = t.operator_id AND a.id = t.account_id
      WHERE t.operator_id = ${operatorId} AND ${activeTokenCondition(sql)}
        ${accountId === undefined ? sql`` : sql`AND t.account_id = ${accountId}`}
        ${cursorId === undefined ? sql`` : direction === "older" ? sql`AND t.id < ${cursorId}` : sql`AND t.id > ${cursorId}`}
      ORDER BY t.id ${direction === "older" ? sql`DESC` : sql`ASC`}
      LIMIT ${sql.literal(String(ACCESS_TOKENS_SHOWN + 1))}`
  )
  return Effect.fn("AccessTokens.list")(function* (viewer: TokenViewer, cursor: PageCursor | undefined) {
    const owner = { operatorId: viewer.operatorId, accountId: accountFilterOf(viewer) }
    const findPage = (from: PageCursor | undefined) =>
      Effect.map(readTokens(statement({ ...owner, cursorId: from?.id }, from?.direction ?? "older")), (rows) =>
        toCursorPage(rows, from)
      )
    return (yield* findPage(cursor)) ?? (yield* findPage(undefined)) ?? EMPTY_PAGE
  })
}

const EMPTY_PAGE: CursorPage<AccessToken> = { rows: [], older: undefined, newer: undefined }

const remove = (sql: Sql) =>
  Effect.fn("AccessTokens.remove")(function* (viewer: TokenViewer, id: number) {
    const now = yield* DateTime.nowAsDate
    const account = accountFilterOf(viewer)
    const removed = yield* readRevokedTokenId(
      recordChange(sql, {
        change: sql`
          revoked AS (
            UPDATE access_tokens t SET revoked_at = ${now}::timestamptz
            WHERE t.operator_id = ${viewer.operatorId} AND t.id = ${id} AND ${activeTokenCondition(sql)}
              ${account === undefined ? sql`` : sql`AND t.account_id = ${account}`}
            RETURNING t.operator_id, t.id
          )`,
        events: [],
        changedRecords: sql`SELECT operator_id, 'token:' || id AS record, '{revoked_at}'::text[] AS fields FROM revoked`,
        outcome: sql`SELECT id FROM revoked`
      })
    )
    return removed !== undefined
  })

/** The access tokens that a host's people made, as they see and withdraw them themselves. */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** Those that work, the newest first; from an edge that is over on, the newest. */
    readonly list: (viewer: TokenViewer, cursor: PageCursor | undefined) => Effect.Effect<CursorPage<AccessToken>>
    /**
     * Makes a token for the caller's account, once per idempotency key. Returns none if an earlier call with the key made it, because
     * a token cannot be shown again.
     */
    readonly create: (
      caller: Caller,
      token: Omit<NewToken, "account_id">,
      key: string | undefined
    ) => Effect.Effect<Option.Option<CreatedToken>, ApiError, CurrentActor>
    /** Ends one for good. False: the viewer has no such token that works. */
    readonly remove: (viewer: TokenViewer, id: number) => Effect.Effect<boolean, never, CurrentActor>
  }
>()("latchkey/domain/access/operators/AccessTokens") {
  static readonly layer = Layer.effect(
    AccessTokens,
    Effect.gen(function* () {
      const [sql, operators, keys] = [yield* SqlClient.SqlClient, yield* Operators, yield* IdempotencyKeys]
      const runIdempotently = runFormIdempotently(keys)
      return {
        list: list(sql),
        create: (caller, token, key) =>
          runIdempotently(caller, { ...token }, key, operators.createToken({ ...token, account_id: caller.accountId })),
        remove: remove(sql)
      }
    })
  ).pipe(Layer.provide([Operators.layer, IdempotencyKeys.layer]))
}
