import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { DateRange } from "../../../contract/date-range.ts"
import type { Conflict } from "../../../contract/errors.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { type BasePriceChangeRow, makeChangeBasePrices } from "./base-price-changes.ts"
import { BasePriceDay } from "./contract.ts"
import { effectiveBasePricesSql } from "./effective-prices.ts"
import { type PriceTarget, targetSql } from "./price-target.ts"
import type { BasePriceDayChange } from "./rules.ts"

const BasePriceCalendar = Schema.Struct({ currency: Schema.String, days: Schema.Array(BasePriceDay) })
type BasePriceCalendar = typeof BasePriceCalendar.Type

const readCalendar = makeOptionalRowReader(BasePriceCalendar)

const makeReadDays =
  (sql: SqlClient.SqlClient): BasePriceStore["Service"]["readDays"] =>
  (target, { start, end }) =>
    readCalendar(sql`
      WITH target AS MATERIALIZED (${targetSql(sql, target)})
      SELECT target.currency, (
        SELECT jsonb_agg(to_jsonb(day) ORDER BY day.date)
        FROM (${effectiveBasePricesSql(sql, sql`target`, { start: sql`${start}::date`, end: sql`${end}::date` })}) day
      ) AS days
      FROM target`)

export class BasePriceStore extends Context.Service<
  BasePriceStore,
  {
    /** Returns undefined if the property or room type is unknown. */
    readonly readDays: (target: PriceTarget, range: DateRange) => Effect.Effect<BasePriceCalendar | undefined>
    /** Fails, and changes nothing, if the queue of a listing is full. */
    readonly change: (
      target: PriceTarget,
      changes: ReadonlyArray<BasePriceDayChange>,
      now: Date
    ) => Effect.Effect<BasePriceChangeRow, Conflict, CurrentActor>
  }
>()("latchkey/domain/calendars/base-prices/BasePriceStore") {
  static readonly layer = Layer.effect(
    BasePriceStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      BasePriceStore.of({ readDays: makeReadDays(sql), change: makeChangeBasePrices(sql) })
    )
  )
}
