import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { Conflict } from "../contract/errors.ts"
import { rowOf } from "../database/rows.ts"
import { EDITIONS, type OperatorChange, type SCOPES, STATUSES } from "./rules.ts"

const Created = Schema.Struct({ operator_id: Schema.Int, account_id: Schema.Int })

const Operator = Schema.Struct({
  operator_id: Schema.Int,
  name: Schema.String,
  time_zone: Schema.String,
  currency: Schema.String,
  edition: Schema.Literals(EDITIONS),
  status: Schema.Literals(STATUSES),
  subscription_until: Schema.NullOr(Schema.Date),
  room_limit: Schema.Int,
  room_type_limit: Schema.Int
})

const Zone = Schema.Struct({ time_zone: Schema.String })
const AccountId = Schema.Struct({ account_id: Schema.Int })
const TokenId = Schema.Struct({ token_id: Schema.Int })

const decodeCreated = Schema.decodeUnknownEffect(Schema.Tuple([Created]))
const decodeAccounts = Schema.decodeUnknownEffect(Schema.Array(AccountId))
const readZone = rowOf(Zone)
const readOperator = rowOf(Operator)
const readToken = rowOf(TokenId)

/** The unique index on e-mail addresses speaks; everything else that goes wrong in the database is a defect. */
const emailTaken = (error: SqlError): Effect.Effect<never, Conflict> =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === "accounts_email"
    ? Effect.fail(new Conflict({ message: "email: another account has it already." }))
    : Effect.die(error)

export interface OperatorRow {
  readonly name: string
  readonly timeZone: string
  readonly currency: string
  readonly edition: (typeof EDITIONS)[number]
  readonly subscriptionUntil: Date | null
  readonly email: string
  readonly passwordHash: string
}

export interface TokenRow {
  readonly accountId: number
  readonly name: string
  readonly scope: (typeof SCOPES)[number]
  readonly digest: Uint8Array
}

export interface AccountRow {
  readonly operatorId: number
  readonly name: string
  readonly email: string
  readonly passwordHash: string
}

type Sql = SqlClient.SqlClient

/** The main account carries the operator's name: it is the merchant account. */
const create = (sql: Sql) => (operator: OperatorRow, now: Date) =>
  sql`
    WITH operator AS (
      INSERT INTO operators (name, time_zone, currency, edition, subscription_until, created_at)
      VALUES (${operator.name}, ${operator.timeZone}, ${operator.currency}, ${operator.edition},
        ${operator.subscriptionUntil}, ${now})
      RETURNING id, name, created_at
    )
    INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
    SELECT id, 'main', name, ${operator.email}, ${operator.passwordHash}, created_at FROM operator
    RETURNING operator_id, id AS account_id`.pipe(
    Effect.catchTag("SqlError", emailTaken),
    Effect.flatMap((rows) => Effect.orDie(decodeCreated(rows))),
    Effect.map(([created]) => created)
  )

const timeZone = (sql: Sql) => (operatorId: number) =>
  readZone(sql`SELECT time_zone FROM operators WHERE id = ${operatorId}`)

const update = (sql: Sql) => (operatorId: number, change: OperatorChange, subscriptionUntil: Date | undefined) =>
  readOperator(sql`
    WITH operator AS (
      UPDATE operators SET
        name = coalesce(${change.name ?? null}::text, name),
        time_zone = coalesce(${change.time_zone ?? null}::text, time_zone),
        currency = coalesce(${change.currency ?? null}::text, currency),
        edition = coalesce(${change.edition ?? null}::text, edition),
        status = coalesce(${change.status ?? null}::text, status),
        subscription_until = coalesce(${subscriptionUntil ?? null}::timestamptz, subscription_until),
        room_limit = coalesce(${change.room_limit ?? null}::integer, room_limit),
        room_type_limit = coalesce(${change.room_type_limit ?? null}::integer, room_type_limit)
      WHERE id = ${operatorId}
      RETURNING *
    ), main AS (
      UPDATE accounts SET name = operator.name FROM operator
      WHERE accounts.operator_id = operator.id AND accounts.role = 'main' AND accounts.name <> operator.name
    )
    SELECT id AS operator_id, name, time_zone, currency, edition, status, subscription_until, room_limit,
      room_type_limit
    FROM operator`)

/** Undefined: there is no such operator. */
const createAccount = (sql: Sql) => (account: AccountRow, now: Date) =>
  sql`
    INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
    SELECT id, 'sub', ${account.name}, ${account.email}, ${account.passwordHash}, ${now}::timestamptz
    FROM operators WHERE id = ${account.operatorId}
    RETURNING id AS account_id`.pipe(
    Effect.catchTag("SqlError", emailTaken),
    Effect.flatMap((rows) => Effect.orDie(decodeAccounts(rows))),
    Effect.map((rows) => rows[0])
  )

/** Undefined: there is no such account. */
const createToken = (sql: Sql) => (token: TokenRow, now: Date) =>
  readToken(sql`
    INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
    SELECT operator_id, id, ${token.name}, ${token.scope}, ${token.digest}, ${now}::timestamptz
    FROM accounts WHERE id = ${token.accountId}
    RETURNING id AS token_id`)

/** Keeps the moment of the first revocation. Undefined: there is no such token. */
const revokeToken = (sql: Sql) => (tokenId: number, now: Date) =>
  readToken(sql`
    UPDATE access_tokens SET revoked_at = coalesce(revoked_at, ${now}::timestamptz)
    WHERE id = ${tokenId} RETURNING id AS token_id`)

/** The SQL of operators, accounts and tokens. Each change is one statement: all of it happens or none. */
export class OperatorStore extends Context.Service<OperatorStore>()("latchkey/operators/OperatorStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    create: create(sql),
    timeZone: timeZone(sql),
    update: update(sql),
    createAccount: createAccount(sql),
    createToken: createToken(sql),
    revokeToken: revokeToken(sql)
  }))
}) {
  static readonly layer = Layer.effect(OperatorStore, OperatorStore.make)
}
