import { Context } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Returns a statement, for a CTE, that adds the jobs which follow from events. It is part of the statement that dispatches the events, so
 * each event is handled exactly once. `dispatched` names the CTE of the events, with `operator_id`, `event` and `payload`. The statement
 * returns one row per job that is due now.
 */
export type InternalSubscriber = (sql: SqlClient, dispatched: Fragment, now: Date) => Fragment

/** The subscribers inside the service. The layers of the process provide them. */
export const InternalSubscribers = Context.Reference<ReadonlyArray<InternalSubscriber>>(
  "latchkey/jobs/events/InternalSubscribers",
  {
    defaultValue: () => []
  }
)
