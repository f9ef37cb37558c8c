import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { Id } from "../../../contract/fields.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { isUnavailableCondition } from "../../calendars/availability/calendar-days.ts"
import { BasePriceDay } from "../../calendars/base-prices/contract.ts"
import { effectiveBasePricesSql, propertyTargetSql } from "../../calendars/base-prices/effective-prices.ts"
import { InstantColumn } from "../../column-schemas.ts"
import { type ListingKey, operatorListingSql, soldPropertiesSql } from "../../listings/listing-lookup.ts"
import { PriceItem } from "../../properties/properties/price-items.ts"
import { QuoteTerms } from "./contract.ts"

type Sql = SqlClient.SqlClient

interface StayDates {
  readonly check_in_date: string
  readonly check_out_date: string
}

interface GuestStay extends StayDates {
  readonly number_of_guests: number
}

const PropertyRow = Schema.Struct({
  property_id: Id,
  currency: Schema.String,
  capacity: Schema.NullOr(Schema.Int),
  fees: Schema.Array(PriceItem),
  taxes: Schema.Array(PriceItem),
  is_active: Schema.Boolean,
  unavailable: Schema.Array(Schema.String)
})

const PricedPropertyRow = Schema.Struct({
  property: PropertyRow,
  prices: Schema.Array(BasePriceDay)
})
type PricedPropertyRow = typeof PricedPropertyRow.Type

const ListingRow = Schema.Struct({
  account_id: Id,
  currency: Schema.String,
  is_listed: Schema.Boolean,
  settings: Schema.JsonObject,
  property: Schema.NullOr(PropertyRow)
})
type ListingRow = typeof ListingRow.Type

/** Selects the matching properties `p` as the JSON object `property`, with `is_free` for the whole stay. */
const quotedPropertySql = (
  sql: Sql,
  { check_in_date, check_out_date }: StayDates,
  conditions: Fragment
): Fragment => sql`
  SELECT p.operator_id, p.id, p.deactivated_at IS NULL AND days.unavailable IS NULL AS is_free,
    jsonb_build_object(
      'property_id', p.id, 'currency', coalesce(p.currency, o.currency), 'capacity', p.capacity, 'fees', p.fees,
      'taxes', p.taxes, 'is_active', p.deactivated_at IS NULL, 'unavailable', coalesce(days.unavailable, '[]')
    ) AS property
  FROM properties p JOIN operators o ON o.id = p.operator_id
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(d.day ORDER BY d.day) AS unavailable FROM calendar_days d
    WHERE d.operator_id = p.operator_id AND d.property_id = p.id AND d.day >= ${check_in_date}::date
      AND d.day < ${check_out_date}::date AND ${isUnavailableCondition(sql, sql`d`)}
  ) days ON true
  WHERE ${conditions}`

/** Selects the base prices of the nights as a JSON list. For the row `quoted`. */
const basePricesSql = (sql: Sql, { check_in_date, check_out_date }: StayDates): Fragment => sql`
  SELECT jsonb_agg(to_jsonb(day) ORDER BY day.date)
  FROM (${effectiveBasePricesSql(sql, sql`(${propertyTargetSql(sql, sql`quoted.operator_id`, sql`quoted.id`)})`, {
    start: sql`${check_in_date}::date`,
    end: sql`${check_out_date}::date - 1`
  })}) day`

const readPricedProperty = makeOptionalRowReader(PricedPropertyRow)

const makeFindProperty =
  (sql: Sql): QuoteStore["Service"]["findProperty"] =>
  (operatorId, propertyId, dates) =>
    readPricedProperty(sql`
      SELECT quoted.property, (${basePricesSql(sql, dates)}) AS prices
      FROM (${quotedPropertySql(sql, dates, sql`p.operator_id = ${operatorId} AND p.id = ${propertyId}`)}) quoted`)

/** Is true if neither `capacity` nor `currency_mismatch` prevents a stay in the row `quoted` at prices of the listing `l`. */
const canTakeStayCondition = (sql: Sql, { number_of_guests }: GuestStay): Fragment => sql`
  coalesce((quoted.property ->> 'capacity')::integer >= ${number_of_guests}, true)
    AND (quoted.property ->> 'currency' = l.currency OR NOT EXISTS (
      SELECT FROM jsonb_array_elements((quoted.property -> 'fees') || (quoted.property -> 'taxes')) item
      WHERE (item ->> 'amount')::numeric > 0))`

const readListing = makeOptionalRowReader(ListingRow)

const makeFindListing =
  (sql: Sql): QuoteStore["Service"]["findListing"] =>
  (operatorId, { channel_type, listing_id }, stay) =>
    readListing(sql`
      SELECT l.account_id, l.currency, l.shelf_status IN ('on', 'unknown') AS is_listed,
        coalesce(l.price_and_rules, '{}') AS settings, sold.property
      FROM (${operatorListingSql(sql, operatorId, channel_type, listing_id)}) l
      LEFT JOIN LATERAL (
        SELECT quoted.property FROM (${quotedPropertySql(
          sql,
          stay,
          sql`p.operator_id = l.operator_id AND p.id IN (${soldPropertiesSql(sql, sql`l`)})`
        )}) quoted
        ORDER BY (quoted.is_free AND ${canTakeStayCondition(sql, stay)}) DESC, quoted.is_free DESC, quoted.id LIMIT 1
      ) sold ON true`)

export const CreatedQuote = Schema.Struct({ quote_id: Schema.String, terms: QuoteTerms, expires_at: InstantColumn })
export type CreatedQuote = typeof CreatedQuote.Type

export interface NewQuote extends GuestStay, Partial<ListingKey> {
  readonly quote_id: string
  readonly terms: QuoteTerms
  readonly created_at: Date
  readonly expires_at: Date
}

const readCreatedQuote = makeSingleRowReader(CreatedQuote)

const makeCreate =
  (sql: Sql): QuoteStore["Service"]["create"] =>
  (operatorId, quote) =>
    readCreatedQuote(
      recordChange(sql, {
        change: sql`
          created AS (
            INSERT INTO quotes (operator_id, quote_id, property_id, channel_type, listing_id, check_in_date,
              check_out_date, number_of_guests, terms, created_at, expires_at)
            VALUES (${operatorId}, ${quote.quote_id}, ${quote.terms.property_id}, ${quote.channel_type ?? null},
              ${quote.listing_id ?? null}, ${quote.check_in_date}, ${quote.check_out_date}, ${quote.number_of_guests},
              ${jsonParameter(quote.terms)}::jsonb, ${quote.created_at}, ${quote.expires_at})
            RETURNING operator_id, id, quote_id, terms, expires_at
          )`,
        events: [],
        changedRecords: createdOrDeletedRecordsSql(sql, "quote", "created"),
        outcome: sql`SELECT quote_id, terms, expires_at FROM created`
      })
    )

export class QuoteStore extends Context.Service<
  QuoteStore,
  {
    /** Returns the property with one entry of `prices` for each night, or undefined if the operator has no such property. */
    readonly findProperty: (
      operatorId: number,
      propertyId: number,
      dates: StayDates
    ) => Effect.Effect<PricedPropertyRow | undefined>
    /**
     * Returns the listing with its property, or undefined if the operator has no such listing. The property of a room
     * type's listing is the first free property of the room type that can take the stay. Without one, it is the first
     * free property, otherwise the first property.
     */
    readonly findListing: (
      operatorId: number,
      listing: ListingKey,
      stay: GuestStay
    ) => Effect.Effect<ListingRow | undefined>
    readonly create: (operatorId: number, quote: NewQuote) => Effect.Effect<CreatedQuote, never, CurrentActor>
  }
>()("latchkey/domain/bookings/quotes/QuoteStore") {
  static readonly layer = Layer.effect(
    QuoteStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      QuoteStore.of({ findProperty: makeFindProperty(sql), findListing: makeFindListing(sql), create: makeCreate(sql) })
    )
  )
}
