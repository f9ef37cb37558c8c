import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  decodeLimitOverrides,
  decodeTokenLimits,
  LimitOverrides,
  TokenLimits
} from "../../../admission/windows/limit-overrides.ts"
import { onRecord } from "../../../changes/on-record.ts"
import type { Acting } from "../../../contract/acting.ts"
import { BadRequest, NotFound } from "../../../contract/errors.ts"
import { rowOf } from "../../../platform/database/rows.ts"
import { operatorAsItIs, tokenAsItIs } from "./store.ts"

const OperatorRow = Schema.Struct({ operator_id: Schema.Int, limits: Schema.NullOr(LimitOverrides) })
const TokenRow = Schema.Struct({ token_id: Schema.Int, limits: Schema.NullOr(TokenLimits) })

const readOperator = rowOf(OperatorRow)
const readToken = rowOf(TokenRow)

const misread = (error: Schema.SchemaError) =>
  new BadRequest({ message: `limits: ${String(error.message).replace(/\s*\n\s*/g, " ")}` })

const json = (limits: object | null): string | null => (limits === null ? null : JSON.stringify(limits))

const found = <A>(row: A | undefined, what: string, id: number): Effect.Effect<A, NotFound> =>
  row === undefined ? new NotFound({ message: `There is no ${what} ${id}.` }) : Effect.succeed(row)

/** Whose limits are others now than before. */
const limitsTouched = (sql: SqlClient.SqlClient, record: "operator" | "token") => sql`
  SELECT after.operator_id, ${sql.literal(`'${record}:'`)} || after.id AS record, '{limits}'::text[] AS fields
  FROM before JOIN after ON after.id = before.id WHERE after.rate_limits IS DISTINCT FROM before.rate_limits`

const ofOperator = (sql: SqlClient.SqlClient) =>
  Effect.fn("RateLimits.ofOperator")(function* (operatorId: number) {
    const row = yield* readOperator(
      sql`SELECT id AS operator_id, rate_limits AS limits FROM operators WHERE id = ${operatorId}`
    )
    return yield* found(row, "operator", operatorId)
  })

const setOperator = (sql: SqlClient.SqlClient) =>
  Effect.fn("RateLimits.setOperator")(function* (operatorId: number, limits: unknown) {
    const overrides = limits === null ? null : yield* Effect.mapError(decodeLimitOverrides(limits), misread)
    const row = yield* readOperator(
      onRecord(sql, {
        change: sql`
          before AS (${operatorAsItIs(sql, operatorId)}),
          after AS (
            UPDATE operators o SET rate_limits = ${json(overrides)}::jsonb FROM before WHERE o.id = before.id
            RETURNING o.id AS operator_id, o.id, o.rate_limits
          )`,
        events: [],
        touched: limitsTouched(sql, "operator"),
        outcome: sql`SELECT operator_id, rate_limits AS limits FROM after`
      })
    )
    return yield* found(row, "operator", operatorId)
  })

const setToken = (sql: SqlClient.SqlClient) =>
  Effect.fn("RateLimits.setToken")(function* (tokenId: number, limits: unknown) {
    const own = limits === null ? null : yield* Effect.mapError(decodeTokenLimits(limits), misread)
    const row = yield* readToken(
      onRecord(sql, {
        change: sql`
          before AS (${tokenAsItIs(sql, tokenId)}),
          after AS (
            UPDATE access_tokens t SET rate_limits = ${json(own)}::jsonb
            FROM before WHERE t.operator_id = before.operator_id AND t.id = before.id
            RETURNING t.operator_id, t.id, t.rate_limits
          )`,
        events: [],
        touched: limitsTouched(sql, "token"),
        outcome: sql`SELECT id AS token_id, rate_limits AS limits FROM after`
      })
    )
    return yield* found(row, "token", tokenId)
  })

/** Limits other than the table's (specification, Limits): of one operator, and tighter ones of one token. */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    readonly ofOperator: (operatorId: number) => Effect.Effect<typeof OperatorRow.Type, NotFound>
    /** Replaces an operator's limits as a whole; null: the table's again. Calls see it once their token is looked up anew. */
    readonly setOperator: (
      operatorId: number,
      limits: unknown
    ) => Effect.Effect<typeof OperatorRow.Type, BadRequest | NotFound, Acting>
    /** Replaces a token's limits as a whole; null: none of its own. They tighten the account's and never loosen them. */
    readonly setToken: (
      tokenId: number,
      limits: unknown
    ) => Effect.Effect<typeof TokenRow.Type, BadRequest | NotFound, Acting>
  }
>()("latchkey/operators/RateLimits") {
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      ofOperator: ofOperator(sql),
      setOperator: setOperator(sql),
      setToken: setToken(sql)
    }))
  )
}
