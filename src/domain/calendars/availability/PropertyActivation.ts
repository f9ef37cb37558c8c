import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { changedRecordsSql, prepareRecordedChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { NotFound } from "../../../contract/errors.ts"
import { addDays, dateInZone, truncateToSecond } from "../../../contract/time.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { AVAILABILITY_END_DAYS } from "../../../platform/limits.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { makeLockProperty, setPropertyActiveSql } from "../../properties/properties/activation.ts"
import { isUnavailableCondition, recordAvailabilityEventSql } from "./calendar-days.ts"

/** How a property stands, and how many of its days can be sold now that could not before, or the other way about. */
export interface PropertyActivationResult {
  readonly property_id: number
  readonly active: boolean
  readonly changed_days: number
}

/** Whether properties are let at all. */
export class PropertyActivation extends Context.Service<
  PropertyActivation,
  {
    /** Nothing of it can be sold from today on, and its stays stay. Turned off twice is turned off once. */
    readonly deactivate: (propertyId: number) => Effect.Effect<PropertyActivationResult, NotFound, CurrentActor>
    /** What nothing else takes can be sold again. */
    readonly activate: (propertyId: number) => Effect.Effect<PropertyActivationResult, NotFound, CurrentActor>
  }
>()("latchkey/domain/calendars/availability/PropertyActivation") {
  static readonly layer = Layer.effect(
    PropertyActivation,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const setPropertyActive = makeSetPropertyActive(sql)
      return PropertyActivation.of({
        deactivate: (id) => withChildSpan("Letting.deactivate")(setPropertyActive(id, false)),
        activate: (id) => withChildSpan("Letting.activate")(setPropertyActive(id, true))
      })
    })
  )
}

interface SetActiveParameters {
  readonly operatorId: number
  readonly id: number
  readonly now: Date
  readonly today: string
  readonly last: string
}

const readChangedDays = makeSingleRowReader(Schema.Struct({ changed_days: Schema.Int }))

/** Turns a property that is locked (`lockProperty`) off or on, and tells of the days that nothing else takes. */
const makeSetLockedPropertyActive = (sql: SqlClient.SqlClient) => {
  const statement = prepareRecordedChange(sql, (property: Givens<SetActiveParameters>, isActive: boolean) => ({
    change: sql`
      ${setPropertyActiveSql(sql, property, isActive)},
      seen AS (
        SELECT after.operator_id, after.id AS property_id, count(*) AS days,
          jsonb_agg(jsonb_build_object('date', date::date, 'available', ${isActive}::boolean) ORDER BY date) AS availabilities
        FROM after CROSS JOIN generate_series(${property.today}::date, ${property.last}::date, interval '1 day') date
        WHERE NOT EXISTS (
          SELECT FROM calendar_days d WHERE d.operator_id = after.operator_id AND d.property_id = after.id
            AND d.day = date::date AND ${isUnavailableCondition(sql, sql`d`)})
        GROUP BY after.operator_id, after.id
      )`,
    events: [recordAvailabilityEventSql(sql, sql`seen`, property.now)],
    changedRecords: changedRecordsSql(sql, "property"),
    outcome: sql`SELECT coalesce((SELECT days FROM seen), 0) AS changed_days`
  }))
  return (values: SetActiveParameters, isActive: boolean) => readChangedDays(statement(values, isActive))
}

/**
 * Two statements in a transaction: the second sees what was committed while the first waited for the property, so that each
 * day's last event says what it is, whoever changes days at the same time.
 */
const makeSetPropertyActive = (sql: SqlClient.SqlClient) => {
  const lockPropertyRow = makeLockProperty(sql)
  const setLockedPropertyActive = makeSetLockedPropertyActive(sql)
  return (id: number, isActive: boolean): Effect.Effect<PropertyActivationResult, NotFound, CurrentActor> => {
    const change = Effect.gen(function* () {
      const owner = yield* lockPropertyRow(id)
      if (owner === undefined) return undefined
      const now = yield* Clock.currentTimeMillis
      const today = dateInZone(now, owner.time_zone)
      const days = { today, last: addDays(today, AVAILABILITY_END_DAYS) }
      return yield* setLockedPropertyActive(
        { operatorId: owner.operator_id, id, now: truncateToSecond(now), ...days },
        isActive
      )
    })
    return Effect.flatMap(Effect.orDie(sql.withTransaction(change)), (result) =>
      result === undefined
        ? new NotFound({ message: `There is no property ${id}.` })
        : Effect.succeed({ property_id: id, active: isActive, ...result })
    )
  }
}
