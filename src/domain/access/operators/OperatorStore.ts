import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { Caller } from "../../../contract/caller.ts"
import { Conflict } from "../../../contract/errors.ts"
import { changeUnderLock } from "../../../platform/database/locked-change.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { ACCOUNTS_MAX } from "../../../platform/limits.ts"
import { EDITIONS, OPERATOR_STATUSES, type OperatorChange } from "./operator-schemas.ts"

export const CreatedOperator = Schema.Struct({ operator_id: Schema.Int, account_id: Schema.Int })

export const OperatorRow = Schema.Struct({
  operator_id: Schema.Int,
  name: Schema.String,
  time_zone: Schema.String,
  currency: Schema.String,
  edition: Schema.Literals(EDITIONS),
  status: Schema.Literals(OPERATOR_STATUSES),
  subscription_until: Schema.NullOr(Schema.Date),
  room_limit: Schema.Int,
  room_type_limit: Schema.Int
})

const { accountId, accountName, timeZone, currency, edition } = Caller.fields
const MainAccountRow = Schema.Struct({ accountId, accountName, timeZone, currency, edition })
export type MainAccount = typeof MainAccountRow.Type

const TimeZoneRow = Schema.Struct({ time_zone: Schema.String })
export const CreatedAccount = Schema.Struct({ account_id: Schema.NullOr(Schema.Int) })
export const TokenId = Schema.Struct({ token_id: Schema.Int })
const AccountOwner = Schema.Struct({ operator_id: Schema.Int })

const decodeCreatedOperator = Schema.decodeUnknownEffect(Schema.Tuple([CreatedOperator]))
const decodeCreatedAccounts = Schema.decodeUnknownEffect(Schema.Array(CreatedAccount))
const readTimeZone = makeOptionalRowReader(TimeZoneRow)
const readMainAccount = makeOptionalRowReader(MainAccountRow)
const readOperator = makeOptionalRowReader(OperatorRow)
const readTokenId = makeOptionalRowReader(TokenId)
const readAccountOwner = makeOptionalRowReader(AccountOwner)

export const emailConflictError = new Conflict({ message: "email: is already used by another account." })

const toEmailConflict = (error: SqlError): Effect.Effect<never, Conflict> =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === "accounts_email"
    ? Effect.fail(emailConflictError)
    : Effect.die(error)

interface NewOperatorRow {
  readonly name: string
  readonly timeZone: string
  readonly currency: string
  readonly edition: (typeof EDITIONS)[number]
  readonly subscriptionUntil: Date | null
  readonly email: string
  readonly passwordHash: string
}

interface NewAccountRow {
  readonly operatorId: number
  readonly name: string
  readonly email: string
  readonly passwordHash: string
}

type Sql = SqlClient.SqlClient

/**
 * Returns the CTE `account`, which is empty if `condition` on `accounts a` is false. The same statement must end the
 * sessions of the account.
 */
export const updatePasswordSql = (
  sql: Sql,
  { accountId, passwordHash }: { readonly accountId: number; readonly passwordHash: string },
  condition: Fragment
) => sql`
  account AS (
    UPDATE accounts a SET password_hash = ${passwordHash} WHERE a.id = ${accountId} AND ${condition}
    RETURNING operator_id, id, password_hash
  )`

export const lockOperatorSql = (sql: Sql, id: number) => sql`SELECT * FROM operators WHERE id = ${id} FOR NO KEY UPDATE`
export const lockTokenSql = (sql: Sql, id: number) =>
  sql`SELECT * FROM access_tokens WHERE id = ${id} FOR NO KEY UPDATE`

const create = (sql: Sql) => (operator: NewOperatorRow, now: Date) =>
  recordChange(sql, {
    change: sql`
      operator AS (
        INSERT INTO operators (name, time_zone, currency, edition, subscription_until, created_at)
        VALUES (${operator.name}, ${operator.timeZone}, ${operator.currency}, ${operator.edition},
          ${operator.subscriptionUntil}, ${now})
        RETURNING id AS operator_id, id, name, created_at
      ), main AS (
        INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
        SELECT id, 'main', name, ${operator.email}, ${operator.passwordHash}, created_at FROM operator
        RETURNING operator_id, id
      )`,
    events: [],
    changedRecords: sql`${createdOrDeletedRecordsSql(sql, "operator", "operator")} UNION ALL ${createdOrDeletedRecordsSql(sql, "account", "main")}`,
    outcome: sql`SELECT operator_id, id AS account_id FROM main`
  }).pipe(
    Effect.catchTag("SqlError", toEmailConflict),
    Effect.flatMap((rows) => Effect.orDie(decodeCreatedOperator(rows))),
    Effect.map(([created]) => created)
  )

const findTimeZone = (sql: Sql) => (operatorId: number) =>
  readTimeZone(sql`SELECT time_zone FROM operators WHERE id = ${operatorId}`)

const findMainAccount = (sql: Sql) => (operatorId: number) =>
  readMainAccount(sql`
    SELECT a.id AS "accountId", a.name AS "accountName", o.time_zone AS "timeZone", o.currency, o.edition
    FROM operators o JOIN accounts a ON a.operator_id = o.id AND a.role = 'main'
    WHERE o.id = ${operatorId}`)

const update = (sql: Sql) => (operatorId: number, change: OperatorChange, subscriptionUntil: Date | undefined) =>
  readOperator(
    recordChange(sql, {
      change: updateOperatorSql(sql, operatorId, change, subscriptionUntil),
      events: [],
      changedRecords: sql`
        SELECT * FROM (
          SELECT operator.id AS operator_id, 'operator:' || operator.id AS record,
            changed_fields(to_jsonb(before), to_jsonb(operator)) AS fields
          FROM before JOIN operator ON operator.id = before.id
        ) compared WHERE fields <> '{}'
        UNION ALL SELECT operator_id, 'account:' || id, '{name}' FROM main`,
      outcome: sql`
        SELECT id AS operator_id, name, time_zone, currency, edition, status, subscription_until, room_limit,
          room_type_limit
        FROM operator`
    })
  )

const updateOperatorSql = (
  sql: Sql,
  operatorId: number,
  change: OperatorChange,
  subscriptionUntil: Date | undefined
) => sql`
    before AS (${lockOperatorSql(sql, operatorId)}),
    operator AS (
      UPDATE operators o SET
        name = coalesce(${change.name ?? null}::text, o.name),
        time_zone = coalesce(${change.time_zone ?? null}::text, o.time_zone),
        currency = coalesce(${change.currency ?? null}::text, o.currency),
        edition = coalesce(${change.edition ?? null}::text, o.edition),
        status = coalesce(${change.status ?? null}::text, o.status),
        subscription_until = coalesce(${subscriptionUntil ?? null}::timestamptz, o.subscription_until),
        room_limit = coalesce(${change.room_limit ?? null}::integer, o.room_limit),
        room_type_limit = coalesce(${change.room_type_limit ?? null}::integer, o.room_type_limit)
      FROM before WHERE o.id = before.id
      RETURNING o.*
    ), main AS (
      UPDATE accounts a SET name = operator.name FROM operator
      WHERE a.operator_id = operator.id AND a.role = 'main' AND a.name <> operator.name
      RETURNING a.operator_id, a.id
    )`

const createAccount = (sql: Sql) => (account: NewAccountRow, now: Date) =>
  changeUnderLock(sql)(
    sql`SELECT FROM operators WHERE id = ${account.operatorId} FOR NO KEY UPDATE`,
    recordChange(sql, {
      change: sql`
        operator AS (SELECT id FROM operators WHERE id = ${account.operatorId}),
        account AS (
          INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
          SELECT id, 'sub', ${account.name}, ${account.email}, ${account.passwordHash}, ${now}::timestamptz
          FROM operator WHERE (
            SELECT count(*) FROM accounts a WHERE a.operator_id = operator.id AND a.role = 'sub'
          ) < ${ACCOUNTS_MAX}::bigint
          RETURNING operator_id, id
        )`,
      events: [],
      changedRecords: createdOrDeletedRecordsSql(sql, "account", "account"),
      outcome: sql`SELECT (SELECT id FROM account) AS account_id FROM operator`
    }).pipe(
      Effect.catchTag("SqlError", toEmailConflict),
      Effect.flatMap((rows) => Effect.orDie(decodeCreatedAccounts(rows))),
      Effect.map((rows) => rows[0])
    )
  )

const findAccountOwner = (sql: Sql) => (accountId: number) =>
  readAccountOwner(sql`SELECT operator_id FROM accounts WHERE id = ${accountId}`)

const revokeToken = (sql: Sql) => (tokenId: number, now: Date) =>
  readTokenId(
    recordChange(sql, {
      change: sql`
        before AS (${lockTokenSql(sql, tokenId)}),
        revoked AS (
          UPDATE access_tokens t SET revoked_at = ${now}::timestamptz
          FROM before WHERE t.operator_id = before.operator_id AND t.id = before.id AND before.revoked_at IS NULL
          RETURNING t.operator_id, t.id
        )`,
      events: [],
      changedRecords: sql`SELECT operator_id, 'token:' || id AS record, '{revoked_at}'::text[] AS fields FROM revoked`,
      outcome: sql`SELECT id AS token_id FROM before`
    })
  )

export class OperatorStore extends Context.Service<
  OperatorStore,
  {
    readonly create: (
      operator: NewOperatorRow,
      now: Date
    ) => Effect.Effect<typeof CreatedOperator.Type, Conflict, CurrentActor>
    readonly findTimeZone: (operatorId: number) => Effect.Effect<typeof TimeZoneRow.Type | undefined>
    readonly findMainAccount: (operatorId: number) => Effect.Effect<MainAccount | undefined>
    readonly update: (
      operatorId: number,
      change: OperatorChange,
      subscriptionUntil: Date | undefined
    ) => Effect.Effect<typeof OperatorRow.Type | undefined, never, CurrentActor>
    /** Returns a null id if the operator has the maximum number of sub-accounts. */
    readonly createAccount: (
      account: NewAccountRow,
      now: Date
    ) => Effect.Effect<typeof CreatedAccount.Type | undefined, Conflict, CurrentActor>
    readonly findAccountOwner: (accountId: number) => Effect.Effect<typeof AccountOwner.Type | undefined>
    readonly revokeToken: (
      tokenId: number,
      now: Date
    ) => Effect.Effect<typeof TokenId.Type | undefined, never, CurrentActor>
  }
>()("latchkey/domain/access/operators/OperatorStore") {
  static readonly layer = Layer.effect(
    OperatorStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      create: create(sql),
      findTimeZone: findTimeZone(sql),
      findMainAccount: findMainAccount(sql),
      update: update(sql),
      createAccount: createAccount(sql),
      findAccountOwner: findAccountOwner(sql),
      revokeToken: revokeToken(sql)
    }))
  )
}
