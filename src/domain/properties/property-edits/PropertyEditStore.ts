import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { changedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { type Conflict, ValidationFailed } from "../../../contract/errors.ts"
import { nameConflict } from "../../../contract/names.ts"
import { addDays, dateInZone, truncateToSecond } from "../../../contract/time.ts"
import { makeOptionalRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { AVAILABILITY_END_DAYS, BASE_PRICE_LISTINGS_MAX } from "../../../platform/limits.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { markStaysOfPropertySql } from "../../automation/planning/property-marks.ts"
import { activationDaysSql, recordActivationEventSql } from "../../calendars/availability/activation-days.ts"
import { queuePricesInNewCurrencySql } from "../../calendars/base-prices/currency-changes.ts"
import { makeMappedQueueFullError } from "../../listings/MappingPricePushes.ts"
import { type FindIdByName, makeFindIdByName, type OperatorRowId, withOperatorLock } from "../../operator-rows.ts"
import { makeLockProperty } from "../properties/activation.ts"
import type { Property } from "../properties/contract.ts"
import { checkItemDecimals, PriceItems } from "../properties/price-items.ts"
import { type Activation, type PropertyFieldEdit, updatePropertySql } from "../properties/property-edit.ts"
import { makeSearchProperties } from "../properties/property-search.ts"

interface PropertyEdit extends PropertyFieldEdit {
  /** False blocks all days from today on, but keeps existing stays. True unblocks days that nothing else blocks. */
  readonly is_active?: boolean | undefined
}

export const EditedProperty = Schema.Struct({ id: Schema.Int, changed_days: Schema.Int })

export class PropertyEditStore extends Context.Service<
  PropertyEditStore,
  {
    readonly find: (operatorId: number, id: number) => Effect.Effect<Property | undefined>
    /**
     * Applies the whole edit or nothing, and queues the base prices for listings in a new currency. Returns undefined
     * for an unknown property. Fails with Conflict if the title is in use or the queue of a listing is full, and with
     * ValidationFailed if a fee or tax has more decimals than the currency.
     */
    readonly update: (
      operatorId: number,
      id: number,
      edit: PropertyEdit
    ) => Effect.Effect<typeof EditedProperty.Type | undefined, Conflict | ValidationFailed, CurrentActor>
    readonly findIdByName: FindIdByName
  }
>()("latchkey/domain/properties/property-edits/PropertyEditStore") {
  static readonly layer = Layer.effect(
    PropertyEditStore,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const updateFields = makeUpdateFields(sql)
      const updateWithActivation = makeUpdateWithActivation(sql)
      const searchProperties = makeSearchProperties(sql)
      const runLocked = withOperatorLock(sql)
      return PropertyEditStore.of({
        find: (operatorId, id) =>
          Effect.map(searchProperties(operatorId, { id }, { offset: 0, limit: 1 }), ({ rows }) => rows[0]),
        findIdByName: makeFindIdByName(sql, { table: "properties", column: "title" }),
        update: (operatorId, id, { is_active, ...fields }) => {
          const change =
            is_active === undefined
              ? updateFields(operatorId, id, fields)
              : updateWithActivation(operatorId, id, fields, is_active)
          return withChildSpan("PropertyEditStore.update")(
            // Base prices, mappings and ratios change under the same lock.
            hasPricingChange(fields)
              ? runLocked(operatorId, change.pipe(Effect.tap(checkPricing), Effect.tap(checkPushes)))
              : change
          )
        }
      })
    })
  )
}

interface UpdateParameters extends OperatorRowId, Required<PropertyFieldEdit> {
  readonly now: Date
  readonly today: string | undefined
  readonly last: string | undefined
}

const hasPricingChange = ({ currency, fees, taxes }: PropertyFieldEdit): boolean =>
  currency !== undefined || fees !== undefined || taxes !== undefined

/** Checks the edited row, because a concurrent edit may have changed the fields that this edit leaves. */
const checkPricing = (edited: EditedPropertyRow | undefined): Effect.Effect<void, ValidationFailed> =>
  edited === undefined ? Effect.void : Effect.fromResult(checkItemDecimals(edited.pricing))

/** The caller rolls the edit back if this fails. */
const checkPushes = (edited: EditedPropertyRow | undefined): Effect.Effect<void, Conflict | ValidationFailed> => {
  if (edited?.has_too_many_listings === true) return Effect.fail(tooManyListingsError)
  return edited?.is_queue_full === true ? Effect.fail(makeMappedQueueFullError("currency")) : Effect.void
}

const tooManyListingsError = new ValidationFailed({
  message: `currency: the base prices of this property and its room type would go to more than ${BASE_PRICE_LISTINGS_MAX} listings; unmap some of them first.`
})

const EditedPropertyRow = Schema.Struct({
  ...EditedProperty.fields,
  pricing: Schema.Struct({ currency: Schema.String, fees: PriceItems, taxes: PriceItems }),
  is_queue_full: Schema.Boolean,
  has_too_many_listings: Schema.Boolean
})
type EditedPropertyRow = typeof EditedPropertyRow.Type

const readEditedProperty = makeOptionalRowReaderOrFail(EditedPropertyRow, ({ name }) =>
  name === "properties_title" ? nameConflict("title", "property") : undefined
)

const prepareUpdate = (sql: SqlClient.SqlClient) => (values: UpdateParameters, activation: Activation) => {
  const { now, today, last, default_checkin_time, default_checkout_time } = values
  const changesDays = today !== undefined && last !== undefined
  const changesCurrency = values.currency !== undefined
  const changesTimes = default_checkin_time !== undefined || default_checkout_time !== undefined
  return readEditedProperty(
    recordChange(sql, {
      change: sql`
        ${updatePropertySql(sql, values, activation)}
        ${changesDays ? sql`, ${activationDaysSql(sql, { today, last }, activation === "active")}` : sql.literal("")}
        ${changesTimes ? sql`, ${replannedStaysSql(sql, now)}` : sql.literal("")}
        ${changesCurrency ? sql`, ${queuePricesInNewCurrencySql(sql, now)}` : sql.literal("")}`,
      events: changesDays ? [recordActivationEventSql(sql, now)] : [],
      changedRecords: changedRecordsSql(sql, "property"),
      outcome: sql`
        SELECT id, ${changesDays ? sql`coalesce((SELECT days FROM availability_change), 0)` : sql`0`} AS changed_days, ${pricingSql(sql)},
          ${changesCurrency ? pushOutcomeSql(sql) : sql`false AS is_queue_full, false AS has_too_many_listings`}
        FROM before`
    })
  )
}

const pricingSql = (sql: SqlClient.SqlClient) => sql`
  (SELECT jsonb_build_object('currency', coalesce(edited.currency, o.currency), 'fees', edited.fees, 'taxes', edited.taxes)
    FROM edited JOIN operators o ON o.id = edited.operator_id) AS pricing`

const pushOutcomeSql = (sql: SqlClient.SqlClient) => sql`
  (SELECT is_full FROM queue_check) AS is_queue_full,
  (SELECT count(*) FROM requested_push) > ${sql.literal(String(BASE_PRICE_LISTINGS_MAX))} AS has_too_many_listings`

const replannedStaysSql = (sql: SqlClient.SqlClient, now: UpdateParameters["now"]) => sql`
  retimed AS (
    SELECT after.operator_id, after.id FROM before JOIN after ON after.id = before.id
    WHERE (after.checkin_time, after.checkout_time) IS DISTINCT FROM (before.checkin_time, before.checkout_time)
  ), replanned AS (${markStaysOfPropertySql(sql, sql`retimed`, now)})`

const toParameters = (operatorId: number, id: number, fields: PropertyFieldEdit, now: number) => ({
  operatorId,
  id,
  title: fields.title,
  address: fields.address,
  longitude: fields.longitude,
  latitude: fields.latitude,
  default_checkin_time: fields.default_checkin_time,
  default_checkout_time: fields.default_checkout_time,
  currency: fields.currency,
  capacity: fields.capacity,
  fees: fields.fees,
  taxes: fields.taxes,
  now: truncateToSecond(now)
})

const makeUpdateFields = (sql: SqlClient.SqlClient) => {
  const update = prepareUpdate(sql)
  return Effect.fnUntraced(function* (operatorId: number, id: number, fields: PropertyFieldEdit) {
    const parameters = toParameters(operatorId, id, fields, yield* Clock.currentTimeMillis)
    return yield* update({ ...parameters, today: undefined, last: undefined }, "unchanged")
  })
}

/**
 * The first statement only locks, so that the second one sees all changes committed before. So the last event of a day
 * reports its final state.
 */
const makeUpdateWithActivation = (sql: SqlClient.SqlClient) => {
  const lockProperty = makeLockProperty(sql)
  const update = prepareUpdate(sql)
  return (operatorId: number, id: number, fields: PropertyFieldEdit, isActive: boolean) => {
    const change = Effect.gen(function* () {
      const property = yield* lockProperty(operatorId, id)
      if (property === undefined) return undefined
      const now = yield* Clock.currentTimeMillis
      const today = dateInZone(now, property.time_zone)
      const days = { today, last: addDays(today, AVAILABILITY_END_DAYS) }
      return yield* update({ ...toParameters(operatorId, id, fields, now), ...days }, isActive ? "active" : "inactive")
    })
    return Effect.catchTag(sql.withTransaction(change), "SqlError", Effect.die)
  }
}
