import { PgClient } from "@effect/sql-pg"
import { Duration, type Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { PLACES } from "../limits.ts"
import { types } from "./types.ts"

/** Connections of one process to a PostgreSQL server: one for each place, and some for looking up tokens and links. */
export const DATABASE_CONNECTIONS = PLACES + 2

/**
 * A PostgreSQL server (15 and later). Sessions run in UTC whatever the server is set to, so that `::date` and
 * `date_trunc` mean the same on every machine; the zone of an operator is applied by name.
 *
 * A statement has its connection to itself: a connection answers one statement after the other, so behind a long one of
 * somebody else a short one would wait as long. Whoever is interrupted has its statement cancelled. Work that is
 * nobody's in particular may share (`statementsAConnection`), which saves round trips.
 */
export const layerPostgres = (options: {
  readonly url: Redacted.Redacted<string>
  /** Default: DATABASE_CONNECTIONS. */
  readonly maxConnections?: number
  /** Connections that are kept open while nothing is to be done. Default: none. */
  readonly minConnections?: number
  /** Statements that may share a connection; one that is interrupted runs on. Default: 1. */
  readonly statementsAConnection?: number
  /** The server stops a statement that takes longer. Default: it may take as long as it takes. */
  readonly statementLimit?: Duration.Input
  /** `off`: a commit does not wait for the disk. When the server crashes, its last fraction of a second may be undone. */
  readonly synchronousCommit?: "on" | "off"
}): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> =>
  PgClient.layer({
    url: options.url,
    maxConnections: options.maxConnections ?? DATABASE_CONNECTIONS,
    minConnections: options.minConnections ?? 0,
    multiplex: options.statementsAConnection !== undefined,
    multiplexConcurrency: options.statementsAConnection,
    applicationName: "latchkey",
    startupParameters: {
      timezone: "UTC",
      // Compiling pays where millions of rows are read; of a short statement that the planner thinks dear it takes seconds.
      jit: "off",
      ...(options.statementLimit === undefined
        ? {}
        : { statement_timeout: `${Duration.toMillis(options.statementLimit)}ms` }),
      ...(options.synchronousCommit === undefined ? {} : { synchronous_commit: options.synchronousCommit })
    },
    types
  })
