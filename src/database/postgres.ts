import { PgClient } from "@effect/sql-pg"
import type { Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { DATABASE_CONNECTIONS, STATEMENTS_A_CONNECTION } from "../limits.ts"
import { types } from "./types.ts"

/**
 * A PostgreSQL server (15 and later). Statements of different fibers share the pooled connections, a transaction has
 * one to itself. Sessions run in UTC whatever the server is set to, so that `::date` and `date_trunc` mean the same on
 * every machine; the zone of an operator is applied by name.
 */
export const layerPostgres = (options: {
  readonly url: Redacted.Redacted<string>
  /** Default: DATABASE_CONNECTIONS. */
  readonly maxConnections?: number
  /** `off`: a commit does not wait for the disk. When the server crashes, its last fraction of a second may be undone. */
  readonly synchronousCommit?: "on" | "off"
}): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> =>
  PgClient.layer({
    url: options.url,
    maxConnections: options.maxConnections ?? DATABASE_CONNECTIONS,
    multiplex: true,
    multiplexConcurrency: STATEMENTS_A_CONNECTION,
    applicationName: "latchkey",
    startupParameters: {
      timezone: "UTC",
      ...(options.synchronousCommit === undefined ? {} : { synchronous_commit: options.synchronousCommit })
    },
    types
  })
