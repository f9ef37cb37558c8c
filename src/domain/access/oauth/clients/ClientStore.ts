import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeOptionalRowReader, makeRowsReader } from "../../../../platform/database/rows.ts"
import { REGISTERED_REDIRECTS_MAX, USED_REDIRECTS_MAX } from "../../../../platform/limits.ts"

type Sql = SqlClient.SqlClient

const Partner = Schema.Struct({
  name: Schema.String,
  redirectUris: Schema.Array(Schema.String),
  secretDigest: Schema.Uint8Array
})

const readPartner = makeOptionalRowReader(Partner)
const readUris = makeRowsReader(Schema.Struct({ uri: Schema.String }))
const readNoColumns = makeRowsReader(Schema.Struct({}))

const makeFindPartner = (sql: Sql) => (id: string) =>
  readPartner(sql`
      SELECT name, redirect_uris AS "redirectUris", secret_digest AS "secretDigest" FROM oauth_clients
      WHERE id = ${id} AND disabled_at IS NULL AND secret_digest IS NOT NULL`)

const makeFindRegisteredUris = (sql: Sql) => (uri: string) =>
  Effect.map(readUris(sql`SELECT uri FROM oauth_redirects WHERE uri = ${uri}`), (rows) => rows.map((row) => row.uri))

const makeRegisterRedirectUris = (sql: Sql) => (uris: ReadonlyArray<string>, now: Date) =>
  Effect.asVoid(
    readNoColumns(sql`
      WITH given AS (
        SELECT DISTINCT uri FROM unnest(${uris}::text[]) AS uri
      ), full_by AS (
        SELECT (SELECT count(*) FROM oauth_redirects) + count(*) - ${REGISTERED_REDIRECTS_MAX}::bigint AS too_many
        FROM given WHERE NOT EXISTS (SELECT FROM oauth_redirects kept WHERE kept.uri = given.uri)
      ), gone AS (
        DELETE FROM oauth_redirects WHERE uri IN (
          SELECT uri FROM oauth_redirects
          WHERE used_at IS NULL AND uri NOT IN (SELECT uri FROM given)
          ORDER BY registered_at, uri LIMIT (SELECT greatest(0, too_many) FROM full_by)
          FOR UPDATE SKIP LOCKED
        )
      )
      INSERT INTO oauth_redirects (uri, registered_at) SELECT uri, ${now}::timestamptz FROM given ORDER BY uri
      ON CONFLICT (uri) DO UPDATE SET registered_at = excluded.registered_at`)
  )

/**
 * At most USED_REDIRECTS_MAX addresses are protected from deletion. Beyond that, the address with the oldest consent
 * loses its protection.
 */
const makeRecordRedirectUriUse = (sql: Sql) => (uri: string, now: Date) =>
  Effect.asVoid(
    readNoColumns(sql`
      WITH given AS MATERIALIZED (
        SELECT uri, used_at FROM oauth_redirects WHERE uri = ${uri} FOR UPDATE
      ), too_many AS (
        SELECT CASE WHEN bool_or(used_at IS NULL)
          THEN greatest(0, 1 - ${USED_REDIRECTS_MAX}::bigint + (SELECT count(*) FROM oauth_redirects WHERE used_at IS NOT NULL))
          ELSE 0 END AS number
        FROM given
      ), gives_up AS MATERIALIZED (
        SELECT uri FROM oauth_redirects WHERE used_at IS NOT NULL
        ORDER BY used_at, uri LIMIT (SELECT number FROM too_many) FOR UPDATE SKIP LOCKED
      )
      UPDATE oauth_redirects kept SET used_at = changed.used_at
      FROM (
        SELECT uri, ${now}::timestamptz AS used_at FROM given UNION ALL SELECT uri, NULL FROM gives_up
      ) changed
      WHERE kept.uri = changed.uri`)
  )

const makeClientStore = Effect.map(SqlClient.SqlClient, (sql) => ({
  findPartner: makeFindPartner(sql),
  findRegisteredUris: makeFindRegisteredUris(sql),
  registerRedirectUris: makeRegisterRedirectUris(sql),
  recordRedirectUriUse: makeRecordRedirectUriUse(sql)
}))

export class ClientStore extends Context.Service<
  ClientStore,
  {
    readonly findPartner: (id: string) => Effect.Effect<typeof Partner.Type | undefined>
    readonly findRegisteredUris: (uri: string) => Effect.Effect<ReadonlyArray<string>>
    /** Beyond the limit, deletes the oldest addresses to which no host has consented. */
    readonly registerRedirectUris: (uris: ReadonlyArray<string>, now: Date) => Effect.Effect<void>
    readonly recordRedirectUriUse: (uri: string, now: Date) => Effect.Effect<void>
  }
>()("latchkey/domain/access/oauth/clients/ClientStore") {
  static readonly layer = Layer.effect(ClientStore, makeClientStore)
}
