import { Context } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Value } from "../../platform/database/forms.ts"

/**
 * A statement, for a CTE, that writes down what is to be done because of events: part of the statement that hands them out, so
 * that each is followed exactly once. `dispatched` names a CTE of them with `operator_id`, `event` and `payload`. It answers a row
 * for whatever there is to do now.
 */
export type InternalSubscriber = (sql: SqlClient, dispatched: Fragment, now: Value<Date>) => Fragment

/** Who follows events inside the service. Whoever puts the process together says so. */
export const InternalSubscribers = Context.Reference<ReadonlyArray<InternalSubscriber>>(
  "latchkey/jobs/events/InternalSubscribers",
  {
    defaultValue: () => []
  }
)
