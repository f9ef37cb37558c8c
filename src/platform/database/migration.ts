import type { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { IndexNotBuilt } from "./concurrent-index.ts"

/**
 * One step of the schema. `up` issues its statements one by one (a prepared statement takes one command) and runs
 * inside a transaction of its own: it either happened whole or not at all. Once released it never changes again;
 * a correction is the next migration. It keeps others from one table at most, because a server is migrated while processes
 * of the release before use it, who have one table while they wait for another.
 */
export interface Migration {
  /** Position in the order, 1 upwards, unique. */
  readonly id: number
  readonly name: string
  readonly up: Effect.Effect<void, SqlError | IndexNotBuilt, SqlClient>
  /**
   * Each statement of `up` is a transaction, for many rows that nobody should wait for all of. It must be one that can be
   * begun again where a process died in it, and be in several processes at once.
   */
  readonly nonTransactional?: true
}
