import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../../../platform/database/rows.ts"
import { OAUTH_CLIENTS_MAX } from "../../../../platform/limits.ts"

type Sql = SqlClient.SqlClient

const PartnerRow = Schema.Struct({
  client_id: Schema.String,
  name: Schema.String,
  redirect_uris: Schema.Array(Schema.String),
  created_at: Schema.Date,
  disabled: Schema.Boolean,
  connections: Schema.Int
})
export type PartnerRow = typeof PartnerRow.Type

const readCreationResult = makeSingleRowReader(Schema.Struct({ made: Schema.Boolean }))
const readId = makeOptionalRowReader(Schema.Struct({ id: Schema.String }))
const readPartners = makeRowsReader(PartnerRow)

interface NewPartnerRow {
  readonly id: string
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
  readonly digest: Uint8Array
  readonly now: Date
}

/** The lock keeps concurrent calls from exceeding the limit. */
const create = (sql: Sql, { id, name, redirectUris, digest, now }: NewPartnerRow) =>
  sql
    .withTransaction(
      Effect.andThen(
        sql`LOCK TABLE oauth_clients IN SHARE ROW EXCLUSIVE MODE`,
        readCreationResult(sql`
          WITH made AS (
            INSERT INTO oauth_clients (id, name, redirect_uris, secret_digest, created_at)
            SELECT ${id}, ${name}, ${redirectUris}::text[], ${digest}::bytea, ${now}::timestamptz
            WHERE (SELECT count(*) FROM oauth_clients WHERE secret_digest IS NOT NULL) < ${OAUTH_CLIENTS_MAX}::bigint
            RETURNING id
          )
          SELECT EXISTS (SELECT FROM made) AS made`)
      )
    )
    .pipe(
      Effect.orDie,
      Effect.map(({ made }) => made)
    )

/** One row more than OAUTH_CLIENTS_MAX, which does not count the public client. */
const list = (sql: Sql) =>
  readPartners(sql`
    SELECT id AS client_id, name, redirect_uris, created_at, disabled_at IS NOT NULL AS disabled, (
      SELECT count(*) FROM oauth_grants WHERE client_id = oauth_clients.id AND ended_at IS NULL
    ) AS connections
    FROM oauth_clients ORDER BY created_at, id LIMIT ${OAUTH_CLIENTS_MAX + 1}`)

const disable = (sql: Sql, id: string, now: Date) =>
  Effect.map(
    readId(sql`
      UPDATE oauth_clients SET disabled_at = coalesce(disabled_at, ${now}::timestamptz)
      WHERE id = ${id} AND secret_digest IS NOT NULL RETURNING id`),
    (row) => row !== undefined
  )

const rotateSecret = (sql: Sql, id: string, digest: Uint8Array, now: Date) =>
  Effect.map(
    readId(sql`
      UPDATE oauth_clients SET secret_digest = ${digest}::bytea, rotated_at = ${now}::timestamptz
      WHERE id = ${id} AND secret_digest IS NOT NULL AND disabled_at IS NULL RETURNING id`),
    (row) => row !== undefined
  )

const makePartnerStore = Effect.map(SqlClient.SqlClient, (sql) => ({
  create: (partner: NewPartnerRow) => create(sql, partner),
  list: list(sql),
  disable: (id: string, now: Date) => disable(sql, id, now),
  rotateSecret: (id: string, digest: Uint8Array, now: Date) => rotateSecret(sql, id, digest, now)
}))

export class PartnerStore extends Context.Service<
  PartnerStore,
  {
    /** Returns false if the installation has the maximum number of partners. */
    readonly create: (partner: NewPartnerRow) => Effect.Effect<boolean>
    readonly list: Effect.Effect<ReadonlyArray<PartnerRow>>
    /** Returns false if there is no such partner. Idempotent. */
    readonly disable: (id: string, now: Date) => Effect.Effect<boolean>
    /** Returns false if there is no such partner, or it is disabled. */
    readonly rotateSecret: (id: string, digest: Uint8Array, now: Date) => Effect.Effect<boolean>
  }
>()("latchkey/domain/access/oauth/clients/PartnerStore") {
  static readonly layer = Layer.effect(PartnerStore, makePartnerStore)
}
