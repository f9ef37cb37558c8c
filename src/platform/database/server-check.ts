import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

export const MIN_SERVER_VERSION = 15

export class UnsupportedServer extends Data.TaggedError("UnsupportedServer")<{ readonly why: string }> {
  override get message(): string {
    return `DATABASE_URL: ${this.why}`
  }
}

export interface ServerSettings {
  /** PostgreSQL's `server_version_num`, such as 150004 for 15.4. */
  readonly version: number
  readonly zone: string
  readonly jit: string
}

interface WriteState {
  readonly is_standby: boolean
  readonly is_read_only: boolean
}

export const explainReadOnly = (server: WriteState): string | undefined => {
  if (server.is_standby) return "the server is a hot standby: connect to its primary, or promote it with pg_promote"
  if (server.is_read_only)
    return "the server is read-only (default_transaction_read_only): use a role and a database that can write"
  return undefined
}

const VERSION_NUMBERS_PER_MAJOR = 10_000

export const explainUnsupported = (
  server: ServerSettings,
  isPooled: boolean,
  minVersion = MIN_SERVER_VERSION
): string | undefined => {
  if (server.version < minVersion * VERSION_NUMBERS_PER_MAJOR) {
    return `PostgreSQL ${Math.floor(server.version / VERSION_NUMBERS_PER_MAJOR)} is too old: upgrade the server to PostgreSQL ${minVersion} or newer`
  }
  // The session requested `jit` and `zone` at its start. Other values mean that a pooler ignored the request.
  if (!isPooled && server.jit !== "off")
    return `the connection pooler ignores the settings of sessions: set DATABASE_PREPARED=0`
  if (server.zone !== "UTC")
    return `sessions use the time zone ${server.zone} instead of UTC: let the connection pooler pass on timezone`
  return undefined
}

/** Logged if a pooler keeps the names of prepared statements. A pooler that tracks the statements renames them. */
const PREPARED_STATEMENTS_WARNING =
  "the connection pooler does not track prepared statements (PgBouncer before 1.21): set DATABASE_PREPARED=0, or without a pooler unset DATABASE_DIRECT_URL"

export const checkServer = Effect.fnUntraced(function* (
  pooler: { readonly supportsPreparedStatements: boolean } | undefined,
  {
    minVersion = MIN_SERVER_VERSION,
    requiresWrites = false
  }: { readonly minVersion?: number; readonly requiresWrites?: boolean } = {}
) {
  const sql = yield* SqlClient
  // `own_names` is true if this statement is prepared under the client's name and so finds itself.
  const [server] = yield* sql<ServerSettings & WriteState & { readonly own_names: boolean }>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('TimeZone') AS zone,
      current_setting('jit') AS jit, pg_is_in_recovery() AS is_standby,
      current_setting('default_transaction_read_only')::boolean AS is_read_only,
      EXISTS (SELECT FROM pg_prepared_statements WHERE name LIKE 'effect\\_%') AS own_names`
  if (server === undefined) return yield* Effect.die(new Error("a SELECT without FROM has one row"))
  const reason =
    explainUnsupported(server, pooler !== undefined, minVersion) ??
    (requiresWrites ? explainReadOnly(server) : undefined)
  if (reason !== undefined) return yield* new UnsupportedServer({ why: reason })
  if (pooler?.supportsPreparedStatements === true && server.own_names)
    yield* Effect.logWarning(PREPARED_STATEMENTS_WARNING)
  if (server.jit !== "off") {
    yield* Effect.logInfo(
      "PostgreSQL compiles long statements before it runs them: set jit = off in the connection pooler (connect_query)"
    )
  }
})
