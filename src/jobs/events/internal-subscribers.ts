import { Context } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Returns a CTE that adds jobs which follow from events, with one row per job that is due now. It is part of the
 * statement that dispatches the events, so each event is handled exactly once.
 */
export type InternalSubscriber = (sql: SqlClient, dispatched: Fragment, now: Date) => Fragment

export const InternalSubscribers = Context.Reference<ReadonlyArray<InternalSubscriber>>(
  "latchkey/jobs/events/InternalSubscribers",
  {
    defaultValue: () => []
  }
)
