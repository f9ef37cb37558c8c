import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { onRecordInForms, touchedBetween } from "../../../changes/on-record.ts"
import type { Acting } from "../../../contract/acting.ts"
import { NotFound } from "../../../contract/errors.ts"
import { addDays, dateInZone, wholeSecond } from "../../../contract/time.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { AVAILABILITY_END_DAYS } from "../../../platform/limits.ts"
import { inSpan } from "../../../platform/telemetry/spans.ts"
import { holdProperty, turnProperty } from "../../properties/properties/letting.ts"
import { isUnsellable, recordDays } from "./calendar-days.ts"

/** How a property stands, and how many of its days can be sold now that could not before, or the other way about. */
export interface Turned {
  readonly property_id: number
  readonly active: boolean
  readonly changed_days: number
}

/** Whether properties are let at all. */
export class Letting extends Context.Service<
  Letting,
  {
    /** Nothing of it can be sold from today on, and its stays stay. Turned off twice is turned off once. */
    readonly deactivate: (propertyId: number) => Effect.Effect<Turned, NotFound, Acting>
    /** What nothing else takes can be sold again. */
    readonly activate: (propertyId: number) => Effect.Effect<Turned, NotFound, Acting>
  }
>()("latchkey/resources/Letting") {
  static readonly layer = Layer.effect(
    Letting,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const turned = turning(sql)
      return Letting.of({
        deactivate: (id) => inSpan("Letting.deactivate")(turned(id, false)),
        activate: (id) => inSpan("Letting.activate")(turned(id, true))
      })
    })
  )
}

interface Turning {
  readonly operatorId: number
  readonly id: number
  readonly now: Date
  readonly today: string
  readonly last: string
}

const readTurned = onlyRowOf(Schema.Struct({ changed_days: Schema.Int }))

/** Turns a property that is held (`holdProperty`) off or on, and tells of the days that nothing else takes. */
const turn = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, (turning: Givens<Turning>, isLet: boolean) => ({
    change: sql`
      ${turnProperty(sql, turning, isLet)},
      seen AS (
        SELECT after.operator_id, after.id AS property_id, count(*) AS days,
          jsonb_agg(jsonb_build_object('date', date::date, 'available', ${isLet}::boolean) ORDER BY date) AS availabilities
        FROM after CROSS JOIN generate_series(${turning.today}::date, ${turning.last}::date, interval '1 day') date
        WHERE NOT EXISTS (
          SELECT FROM calendar_days d WHERE d.operator_id = after.operator_id AND d.property_id = after.id
            AND d.day = date::date AND ${isUnsellable(sql, sql`d`)})
        GROUP BY after.operator_id, after.id
      )`,
    events: [recordDays(sql, sql`seen`, turning.now)],
    touched: touchedBetween(sql, "property"),
    outcome: sql`SELECT coalesce((SELECT days FROM seen), 0) AS changed_days`
  }))
  return (values: Turning, isLet: boolean) => readTurned(statement(values, isLet))
}

/**
 * Two statements in a transaction: the second sees what was committed while the first waited for the property, so that each
 * day's last event says what it is, whoever changes days at the same time.
 */
const turning = (sql: SqlClient.SqlClient) => {
  const held = holdProperty(sql)
  const turned = turn(sql)
  return (id: number, isLet: boolean): Effect.Effect<Turned, NotFound, Acting> => {
    const change = Effect.gen(function* () {
      const whose = yield* held(id)
      if (whose === undefined) return undefined
      const now = yield* Clock.currentTimeMillis
      const today = dateInZone(now, whose.time_zone)
      const days = { today, last: addDays(today, AVAILABILITY_END_DAYS) }
      return yield* turned({ operatorId: whose.operator_id, id, now: wholeSecond(now), ...days }, isLet)
    })
    return Effect.flatMap(Effect.orDie(sql.withTransaction(change)), (made) =>
      made === undefined
        ? new NotFound({ message: `There is no property ${id}.` })
        : Effect.succeed({ property_id: id, active: isLet, ...made })
    )
  }
}
