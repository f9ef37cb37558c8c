import { Context, DateTime, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Keys } from "../../../changes/Keys.ts"
import { onRecord } from "../../../changes/on-record.ts"
import { runOnce } from "../../../changes/run-once.ts"
import type { Acting } from "../../../contract/acting.ts"
import type { Caller } from "../../../contract/caller.ts"
import type { ApiError } from "../../../contract/errors.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { rowOf, rowsOf } from "../../../platform/database/rows.ts"
import { ACCESS_TOKENS_SHOWN } from "../../../platform/limits.ts"
import { type MadeToken, Operators } from "./Operators.ts"
import { type NewToken, SCOPES } from "./rules.ts"
import { ownTokens } from "./store.ts"
import { type Edge, type PageOf, pageOf } from "./token-list.ts"

/** Whose tokens: a main account sees those of all accounts of its operator, another one its own. */
export type Viewer = Pick<Caller, "operatorId" | "accountId" | "role">

const AccessToken = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  scope: Schema.Literals(SCOPES),
  account_name: Schema.String,
  created_at: Schema.Date,
  /** Right to the minute; null: never. */
  last_used_at: Schema.NullOr(Schema.Date)
})
export type AccessToken = typeof AccessToken.Type

interface Looking {
  readonly operatorId: number
  /** Undefined: those of all accounts. */
  readonly accountId: number | undefined
  /** Undefined: from the newest on. */
  readonly edge: number | undefined
}

const accountOf = ({ role, accountId }: Viewer): number | undefined => (role === "main" ? undefined : accountId)

const readTokens = rowsOf(AccessToken)
const readDeleted = rowOf(Schema.Struct({ id: Schema.Int }))

type Sql = SqlClient.SqlClient

const list = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, accountId, edge }: Givens<Looking>, way: Edge["way"]) => sql`
      SELECT t.id, t.name, t.scope, a.name AS account_name, t.created_at, t.last_used_at
      FROM access_tokens t JOIN accounts a ON a.operator_id = t.operator_id AND a.id = t.account_id
      WHERE t.operator_id = ${operatorId} AND ${ownTokens(sql)}
        ${accountId === undefined ? sql`` : sql`AND t.account_id = ${accountId}`}
        ${edge === undefined ? sql`` : way === "older" ? sql`AND t.id < ${edge}` : sql`AND t.id > ${edge}`}
      ORDER BY t.id ${way === "older" ? sql`DESC` : sql`ASC`}
      LIMIT ${sql.literal(String(ACCESS_TOKENS_SHOWN + 1))}`
  )
  return Effect.fn("AccessTokens.list")(function* (viewer: Viewer, edge: Edge | undefined) {
    const whose = { operatorId: viewer.operatorId, accountId: accountOf(viewer) }
    const found = (from: Edge | undefined) =>
      Effect.map(readTokens(statement({ ...whose, edge: from?.id }, from?.way ?? "older")), (rows) =>
        pageOf(rows, from)
      )
    return (yield* found(edge)) ?? (yield* found(undefined)) ?? EMPTY
  })
}

const EMPTY: PageOf<AccessToken> = { rows: [], older: undefined, newer: undefined }

const remove = (sql: Sql) =>
  Effect.fn("AccessTokens.remove")(function* (viewer: Viewer, id: number) {
    const now = yield* DateTime.nowAsDate
    const account = accountOf(viewer)
    const removed = yield* readDeleted(
      onRecord(sql, {
        change: sql`
          revoked AS (
            UPDATE access_tokens t SET revoked_at = ${now}::timestamptz
            WHERE t.operator_id = ${viewer.operatorId} AND t.id = ${id} AND ${ownTokens(sql)}
              ${account === undefined ? sql`` : sql`AND t.account_id = ${account}`}
            RETURNING t.operator_id, t.id
          )`,
        events: [],
        touched: sql`SELECT operator_id, 'token:' || id AS record, '{revoked_at}'::text[] AS fields FROM revoked`,
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
    readonly list: (viewer: Viewer, edge: Edge | undefined) => Effect.Effect<PageOf<AccessToken>>
    /**
     * Makes a token for the caller's account, once per idempotency key. Returns none if an earlier call with the key made it, because
     * a token cannot be shown again.
     */
    readonly make: (
      caller: Caller,
      token: Omit<NewToken, "account_id">,
      key: string | undefined
    ) => Effect.Effect<Option.Option<MadeToken>, ApiError, Acting>
    /** Ends one for good. False: the viewer has no such token that works. */
    readonly remove: (viewer: Viewer, id: number) => Effect.Effect<boolean, never, Acting>
  }
>()("latchkey/operators/AccessTokens") {
  static readonly layer = Layer.effect(
    AccessTokens,
    Effect.gen(function* () {
      const [sql, operators, keys] = [yield* SqlClient.SqlClient, yield* Operators, yield* Keys]
      const once = runOnce(keys)
      return {
        list: list(sql),
        make: (caller, token, key) =>
          once(caller, { ...token }, key, operators.createToken({ ...token, account_id: caller.accountId })),
        remove: remove(sql)
      }
    })
  ).pipe(Layer.provide([Operators.layer, Keys.layer]))
}
