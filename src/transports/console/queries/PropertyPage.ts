import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { GroupRef, TagRef } from "../../../domain/properties/properties/contract.ts"
import { groupsJsonSql, tagsJsonSql } from "../../../domain/properties/properties/groups-and-tags.ts"
import { PriceItems } from "../../../domain/properties/properties/price-items.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { PROPERTY_PAGE_ROWS_MAX } from "../../../platform/limits.ts"
import { NamedRecord } from "./named-records.ts"
import { nightPriceSql } from "./night-price.ts"

const PropertyListing = Schema.Struct({
  id: Schema.Int,
  channel_type: Schema.String,
  listing_id: Schema.String,
  title: Schema.String,
  ratio: Schema.Int,
  shelf_status: Schema.String,
  /** Whether the listing is mapped to the room type of the property. */
  is_of_room_type: Schema.Boolean
})
export type PropertyListing = typeof PropertyListing.Type

const ImportedCalendarRef = Schema.Struct({
  id: Schema.Int,
  /** The rest of the URL is secret. */
  host: Schema.String,
  state: Schema.Literals(["new", "ok", "failing"]),
  events: Schema.Literals(["block", "stay"])
})

const StaffRef = Schema.Struct({ ...NamedRecord.fields, works_everywhere: Schema.Boolean })

/** A list has at most {@link PROPERTY_PAGE_ROWS_MAX} rows, and one beyond it if further rows exist. */
const PropertyDetail = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  address: Schema.NullOr(Schema.String),
  latitude: Schema.NullOr(Schema.String),
  longitude: Schema.NullOr(Schema.String),
  cover_url: Schema.NullOr(Schema.String),
  /** `HH:mm`, the property's own time or the operator's default. */
  check_in_time: Schema.String,
  check_out_time: Schema.String,
  currency: Schema.String,
  capacity: Schema.NullOr(Schema.Int),
  fees: PriceItems,
  taxes: PriceItems,
  deactivated_at: Schema.NullOr(Schema.String),
  /** Null if neither the property nor its room type has a base price for the night. */
  night_price: Schema.NullOr(Schema.Finite),
  room_type: Schema.NullOr(Schema.String),
  groups: Schema.Array(GroupRef),
  tags: Schema.Array(TagRef),
  listings: Schema.Array(PropertyListing),
  imported_calendars: Schema.Array(ImportedCalendarRef),
  exported_calendars: Schema.Int,
  house_calendars: Schema.Int,
  staff: Schema.Array(StaffRef)
})
export type PropertyDetail = typeof PropertyDetail.Type

type Sql = SqlClient.SqlClient

const rowLimit = (sql: Sql): Fragment => sql.literal(String(PROPERTY_PAGE_ROWS_MAX + 1))

const rowsJsonSql = (sql: Sql, rows: Fragment): Fragment =>
  sql`(SELECT coalesce(jsonb_agg(to_jsonb(row)), '[]') FROM (${rows} LIMIT ${rowLimit(sql)}) row)`

const selectListings = (sql: Sql): Fragment => sql`
  SELECT l.id, l.channel_type, l.listing_id, l.title, l.ratio, l.shelf_status, l.property_id IS NULL AS is_of_room_type
  FROM (
    SELECT * FROM listings WHERE operator_id = page.operator_id AND property_id = page.id
    UNION ALL
    SELECT * FROM listings WHERE operator_id = page.operator_id AND room_type_id = page.room_type_id
  ) l
  WHERE l.shelf_status <> 'deleted' ORDER BY l.channel_type, l.id`

const selectImportedCalendars = (sql: Sql): Fragment => sql`
  SELECT id, host, state, events FROM imported_calendars
  WHERE operator_id = page.operator_id AND property_id = page.id ORDER BY id`

/** Staff members without properties of their own work in all. */
const selectStaff = (sql: Sql): Fragment => sql`
  SELECT s.id, s.name, own.properties = 0 AS works_everywhere
  FROM staffs s
  CROSS JOIN LATERAL (
    SELECT count(*) AS properties, count(*) FILTER (WHERE link.property_id = page.id) AS here FROM staff_properties link
    WHERE link.operator_id = s.operator_id AND link.staff_id = s.id AND link.version = s.properties_version
  ) own
  WHERE s.operator_id = page.operator_id AND s.is_active AND (own.here > 0 OR own.properties = 0)
  ORDER BY own.properties = 0, s.name, s.id`

const feedCountSql = (sql: Sql, condition: Fragment): Fragment => sql`
  (SELECT count(*) FROM property_feeds f
    WHERE f.operator_id = page.operator_id AND f.property_id = page.id AND ${condition})`

interface PropertyQuery {
  readonly operatorId: number
  readonly id: number
  readonly today: string
}

const selectProperty = (sql: Sql, { operatorId, id, today }: PropertyQuery) => {
  const night = nightPriceSql(sql, {
    operatorId: sql`page.operator_id`,
    propertyId: sql`page.id`,
    date: sql`${today}::date`
  })
  return sql`
    SELECT page.id, page.title, page.address, page.latitude, page.longitude, page.cover_url, page.capacity, page.fees, page.taxes,
      to_char(coalesce(page.checkin_time, o.default_checkin_time), 'HH24:MI') AS check_in_time,
      to_char(coalesce(page.checkout_time, o.default_checkout_time), 'HH24:MI') AS check_out_time,
      coalesce(page.currency, o.currency) AS currency, page.deactivated_at::text AS deactivated_at,
      (SELECT price FROM (${night}) night)::float8 AS night_price,
      (SELECT title FROM room_types t WHERE t.operator_id = page.operator_id AND t.id = page.room_type_id) AS room_type,
      ${groupsJsonSql(sql)} AS groups, ${tagsJsonSql(sql, "property")} AS tags,
      ${rowsJsonSql(sql, selectListings(sql))} AS listings,
      ${rowsJsonSql(sql, selectImportedCalendars(sql))} AS imported_calendars,
      ${feedCountSql(sql, sql`f.house_fields IS NULL`)} AS exported_calendars,
      ${feedCountSql(sql, sql`f.house_fields IS NOT NULL`)} AS house_calendars,
      ${rowsJsonSql(sql, selectStaff(sql))} AS staff
    FROM (
      SELECT p.*, member.room_type_id FROM properties p
      LEFT JOIN room_type_properties member ON member.operator_id = p.operator_id AND member.property_id = p.id
      WHERE p.operator_id = ${operatorId} AND p.id = ${id}
    ) page
    JOIN operators o ON o.id = page.operator_id`
}

export class PropertyPage extends Context.Service<PropertyPage>()("latchkey/transports/console/queries/PropertyPage", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const read = makeOptionalRowReader(PropertyDetail)
    return {
      /** `today` is a date in the operator's time zone. Returns undefined for an unknown property. */
      of: (id: number, today: string) =>
        CurrentCaller.use(({ operatorId }) => read(selectProperty(sql, { operatorId, id, today })))
    }
  })
}) {
  static readonly layer = Layer.effect(PropertyPage, PropertyPage.make)
}
