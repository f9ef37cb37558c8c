import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  decodeLimitOverrides,
  decodeTokenLimits,
  LimitOverrides,
  TokenLimits
} from "../../../admission/windows/limit-overrides.ts"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { BadRequest, NotFound } from "../../../contract/errors.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { lockOperatorSql, lockTokenSql } from "./OperatorStore.ts"

const OperatorLimitsRow = Schema.Struct({ operator_id: Schema.Int, limits: Schema.NullOr(LimitOverrides) })
const TokenLimitsRow = Schema.Struct({ token_id: Schema.Int, limits: Schema.NullOr(TokenLimits) })

const readOperatorLimits = makeOptionalRowReader(OperatorLimitsRow)
const readTokenLimits = makeOptionalRowReader(TokenLimitsRow)

const toLimitsError = (error: Schema.SchemaError) =>
  new BadRequest({ message: `limits: ${String(error.message).replace(/\s*\n\s*/g, " ")}` })

const toJson = (limits: object | null): string | null => (limits === null ? null : JSON.stringify(limits))

const requireRow = <A>(row: A | undefined, recordType: string, id: number): Effect.Effect<A, NotFound> =>
  row === undefined ? new NotFound({ message: `There is no ${recordType} ${id}.` }) : Effect.succeed(row)

const touchedLimitsSql = (sql: SqlClient.SqlClient, record: "operator" | "token") => sql`
  SELECT after.operator_id, ${sql.literal(`'${record}:'`)} || after.id AS record, '{limits}'::text[] AS fields
  FROM before JOIN after ON after.id = before.id WHERE after.rate_limits IS DISTINCT FROM before.rate_limits`

const makeGetOperatorLimits = (sql: SqlClient.SqlClient) =>
  Effect.fn("RateLimits.ofOperator")(function* (operatorId: number) {
    const row = yield* readOperatorLimits(
      sql`SELECT id AS operator_id, rate_limits AS limits FROM operators WHERE id = ${operatorId}`
    )
    return yield* requireRow(row, "operator", operatorId)
  })

const makeSetOperatorLimits = (sql: SqlClient.SqlClient) =>
  Effect.fn("RateLimits.setOperator")(function* (operatorId: number, limits: unknown) {
    const overrides = limits === null ? null : yield* Effect.mapError(decodeLimitOverrides(limits), toLimitsError)
    const row = yield* readOperatorLimits(
      recordChange(sql, {
        change: sql`
          before AS (${lockOperatorSql(sql, operatorId)}),
          after AS (
            UPDATE operators o SET rate_limits = ${toJson(overrides)}::jsonb FROM before WHERE o.id = before.id
            RETURNING o.id AS operator_id, o.id, o.rate_limits
          )`,
        events: [],
        changedRecords: touchedLimitsSql(sql, "operator"),
        outcome: sql`SELECT operator_id, rate_limits AS limits FROM after`
      })
    )
    return yield* requireRow(row, "operator", operatorId)
  })

const makeSetTokenLimits = (sql: SqlClient.SqlClient) =>
  Effect.fn("RateLimits.setToken")(function* (tokenId: number, limits: unknown) {
    const tokenLimits = limits === null ? null : yield* Effect.mapError(decodeTokenLimits(limits), toLimitsError)
    const row = yield* readTokenLimits(
      recordChange(sql, {
        change: sql`
          before AS (${lockTokenSql(sql, tokenId)}),
          after AS (
            UPDATE access_tokens t SET rate_limits = ${toJson(tokenLimits)}::jsonb
            FROM before WHERE t.operator_id = before.operator_id AND t.id = before.id
            RETURNING t.operator_id, t.id, t.rate_limits
          )`,
        events: [],
        changedRecords: touchedLimitsSql(sql, "token"),
        outcome: sql`SELECT id AS token_id, rate_limits AS limits FROM after`
      })
    )
    return yield* requireRow(row, "token", tokenId)
  })

export class RateLimitOverrides extends Context.Service<
  RateLimitOverrides,
  {
    readonly getOperatorLimits: (operatorId: number) => Effect.Effect<typeof OperatorLimitsRow.Type, NotFound>
    /**
     * Null restores the defaults. A change applies when the gate next reads the operator's tokens from the database.
     */
    readonly setOperatorLimits: (
      operatorId: number,
      limits: unknown
    ) => Effect.Effect<typeof OperatorLimitsRow.Type, BadRequest | NotFound, CurrentActor>
    /** Null removes the overrides. They can only tighten the operator's limits. */
    readonly setTokenLimits: (
      tokenId: number,
      limits: unknown
    ) => Effect.Effect<typeof TokenLimitsRow.Type, BadRequest | NotFound, CurrentActor>
  }
>()("latchkey/domain/access/operators/RateLimitOverrides") {
  static readonly layer = Layer.effect(
    RateLimitOverrides,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      getOperatorLimits: makeGetOperatorLimits(sql),
      setOperatorLimits: makeSetOperatorLimits(sql),
      setTokenLimits: makeSetTokenLimits(sql)
    }))
  )
}
