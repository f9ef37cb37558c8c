import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, type Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { CONCURRENCY_PERMITS, SHARED_READ_CONNECTIONS } from "../limits.ts"
import { makeTimeoutClient } from "./client-timeout.ts"
import { columnTypes } from "./column-types.ts"
import { makeTlsOptions } from "./connection-encryption.ts"
import { withStatementCache } from "./statement-cache.ts"

/** Connections of one process for requests: one for each permit, and some that short reads share. */
export const DATABASE_CONNECTIONS = CONCURRENCY_PERMITS + SHARED_READ_CONNECTIONS

/** Seconds of silence after which a connection asks whether its server is still there; ten questions later it is given up. */
const KEEP_ALIVE_SECONDS = 10

/**
 * What stands between the service and the server and gives out its sessions transaction by transaction (PgBouncer with
 * `pool_mode=transaction`). It passes on the time zone and the name of the application, and refuses what else a connection asks for.
 */
interface Pooler {
  /** Whether it knows prepared statements in that mode: PgBouncer 1.21 and later do. */
  readonly supportsPreparedStatements: boolean
}

export interface PostgresOptions {
  readonly url: Redacted.Redacted<string>
  /** Default: DATABASE_CONNECTIONS. */
  readonly maxConnections?: number
  /** Connections that are kept open while nothing is to be done. Default: none. */
  readonly minConnections?: number
  /** Statements that may share a connection; one that is interrupted runs on. Default: 1, and always so behind a pooler. */
  readonly statementsPerConnection?: number
  /** The server stops a statement that takes longer. Default: it may take as long as it takes. */
  readonly statementTimeout?: Duration.Input
  /** Whether the server refuses to write, and to lock rows. Ignored behind a pooler. */
  readonly isReadOnly?: boolean
  /** `off`: a commit does not wait for the disk. When the server crashes, its last fraction of a second may be undone. */
  readonly synchronousCommit?: "on" | "off"
  /** Default: none, and a session keeps what it was told. Behind one the limit of a statement is kept here, and commits wait. */
  readonly pooler?: Pooler | undefined
}

/**
 * A PostgreSQL server (15 and later). Sessions run in UTC whatever the server is set to, so that `::date` and
 * `date_trunc` mean the same on every machine; the zone of an operator is applied by name.
 *
 * By default a statement has its connection to itself, because a connection answers one statement after the other, and an interrupted
 * statement is cancelled. With `statementsPerConnection` statements are sent together and share a connection, and none is cancelled.
 */
export const layerPostgres = (options: PostgresOptions): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> =>
  PgClient.layerFrom(Effect.map(makePostgresClient(options), withStatementCache))

const makePostgresClient = Effect.fnUntraced(function* (options: PostgresOptions) {
  const { pooler, statementTimeout } = options
  // Never through a pooler: where a client dies that still has answers to come, PgBouncer hands the session on after the first of
  // them, and the next client takes the rest for its own, be they another operator's.
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
  // Whoever lets statements share a connection does not have them cancelled.
  if (pooler === undefined || statementTimeout === undefined || statementsPerConnection !== undefined) return client
  return yield* makeTimeoutClient(client, statementTimeout)
})

/** What a session of one's own is told once. */
const toSessionSettings = ({ statementTimeout, synchronousCommit, isReadOnly }: PostgresOptions) => ({
  // Compiling pays where millions of rows are read; of a short statement that the planner thinks dear it takes seconds.
  jit: "off",
  ...(statementTimeout === undefined ? {} : { statement_timeout: `${Duration.toMillis(statementTimeout)}ms` }),
  ...(isReadOnly === true ? { default_transaction_read_only: "on" } : {}),
  ...(synchronousCommit === undefined ? {} : { synchronous_commit: synchronousCommit })
})
