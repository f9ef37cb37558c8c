import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, type Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { CONCURRENCY_PERMITS, SHARED_READ_CONNECTIONS } from "../limits.ts"
import { makeTimeoutClient } from "./client-timeout.ts"
import { columnTypes } from "./column-types.ts"
import { makeTlsOptions } from "./connection-encryption.ts"
import { withStatementCache } from "./statement-cache.ts"

export const DATABASE_CONNECTIONS = CONCURRENCY_PERMITS + SHARED_READ_CONNECTIONS

/** Idle seconds before the first keep-alive probe. */
const KEEP_ALIVE_SECONDS = 10

/**
 * A pooler in transaction mode, such as PgBouncer. It passes on time zone and application name, and rejects other
 * startup parameters.
 */
interface Pooler {
  /** PgBouncer supports them since 1.21. */
  readonly supportsPreparedStatements: boolean
}

export interface PostgresOptions {
  readonly url: Redacted.Redacted<string>
  readonly maxConnections?: number
  readonly minConnections?: number
  /**
   * Most statements that share a connection. Shared statements are never canceled. Default: 1, and always 1 with a
   * pooler.
   */
  readonly statementsPerConnection?: number
  readonly statementTimeout?: Duration.Input
  /** Ignored with a pooler. */
  readonly isReadOnly?: boolean
  /** `off`: a server crash can lose the last commits. */
  readonly synchronousCommit?: "on" | "off"
  /**
   * With a pooler, session settings are not used: this process enforces the statement timeout, and `synchronous_commit`
   * stays on.
   */
  readonly pooler?: Pooler | undefined
}

/**
 * Provides a PostgreSQL server (15 or later). Sessions use UTC, so that `::date` and `date_trunc` mean the same
 * everywhere.
 */
export const layerPostgres = (options: PostgresOptions): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> =>
  PgClient.layerFrom(Effect.map(makePostgresClient(options), withStatementCache))

const makePostgresClient = Effect.fnUntraced(function* (options: PostgresOptions) {
  const { pooler, statementTimeout } = options
  // Statements never share a connection through a pooler. If a client dies with responses outstanding, PgBouncer passes
  // the session on, and the next client would read another operator's rows.
  const statementsPerConnection = pooler === undefined ? options.statementsPerConnection : undefined
  const client = yield* PgClient.make({
    url: options.url,
    ssl: yield* makeTlsOptions(options.url),
    maxConnections: options.maxConnections ?? DATABASE_CONNECTIONS,
    minConnections: options.minConnections ?? 0,
    multiplex: statementsPerConnection !== undefined,
    multiplexConcurrency: statementsPerConnection,
    keepAlive: Duration.seconds(KEEP_ALIVE_SECONDS),
    applicationName: "latchkey",
    prepare: pooler?.supportsPreparedStatements ?? true,
    startupParameters: { timezone: "UTC", ...(pooler === undefined ? toSessionSettings(options) : {}) },
    types: columnTypes
  })
  if (pooler === undefined || statementTimeout === undefined || statementsPerConnection !== undefined) return client
  return yield* makeTimeoutClient(client, statementTimeout)
})

const toSessionSettings = ({ statementTimeout, synchronousCommit, isReadOnly }: PostgresOptions) => ({
  // JIT compilation takes seconds for short statements with a high cost estimate.
  jit: "off",
  ...(statementTimeout === undefined ? {} : { statement_timeout: `${Duration.toMillis(statementTimeout)}ms` }),
  ...(isReadOnly === true ? { default_transaction_read_only: "on" } : {}),
  ...(synchronousCommit === undefined ? {} : { synchronous_commit: synchronousCommit })
})
