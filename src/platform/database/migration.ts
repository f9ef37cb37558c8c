import type { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { IndexNotBuilt } from "./concurrent-index.ts"

/**
 * `up` runs in one transaction, one statement per query. Never change a released migration.
 *
 * A migration may block at most one table, because processes of the previous release still run and could deadlock.
 */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly up: Effect.Effect<void, SqlError | IndexNotBuilt, SqlClient>
  /** Each statement of `up` is its own transaction. `up` must be restartable and safe in several processes at once. */
  readonly nonTransactional?: true
}
