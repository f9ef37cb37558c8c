import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { DateRange } from "../../../contract/date-range.ts"
import { reserveId } from "../../../platform/database/reserved-id.ts"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { CurrentSealer } from "../../../platform/sealing/CurrentSealer.ts"
import type { GrantKey } from "../../connection-grants.ts"
import { makeCheckPropertyExists } from "../../properties/properties/ownership.ts"
import { type CreatedFeedRow, createFeed, renewToken } from "./feed-changes.ts"
import { type FeedByTokenRow, findBusyDays, findByToken, type RecordReadParameters, recordRead } from "./feed-reads.ts"
import {
  type FeedKey,
  type FeedRecipient,
  FeedRow,
  feedColumnsSql,
  isFeedOwnerCondition,
  isFeedVisibleCondition
} from "./feed-rows.ts"
import { FeedKind, type HouseCalendar } from "./house-calendar/house-calendar.ts"
import type { HouseStay } from "./house-calendar/house-events.ts"
import {
  type CreatedHouseFeedRow,
  createHouseFeed,
  deleteHouseFeed,
  type HouseFeedOwner
} from "./house-calendar/house-feed-changes.ts"
import { findHouseStays, type HouseStaySearch } from "./house-calendar/house-stays.ts"
import type { BusyDaysRow } from "./rules.ts"

type Sql = SqlClient.SqlClient

const feedOfRecipientCondition = (
  sql: Sql,
  { operatorId, propertyId, calendarId, grantId }: FeedRecipient
): Fragment => sql`
  operator_id = ${operatorId} AND property_id = ${propertyId} AND ${isFeedOwnerCondition(sql, { grantId })}
    AND ${calendarId === undefined ? sql`calendar_id IS NULL` : sql`calendar_id = ${calendarId}`}`

const readFoundFeed = makeSingleRowReader(Schema.Union([FeedRow, Schema.Struct({ new_id: Schema.Int })]))

const makeFindOrReserveId =
  (sql: Sql): PropertyFeedStore["Service"]["findOrReserveId"] =>
  (recipient) =>
    readFoundFeed(sql`
      SELECT ${feedColumnsSql(sql)},
        CASE WHEN id IS NULL THEN nextval(pg_get_serial_sequence('property_feeds', 'id')) END AS new_id
      FROM (SELECT) one LEFT JOIN property_feeds ON ${feedOfRecipientCondition(sql, recipient)}`)

interface PropertyFeedSearch extends GrantKey {
  readonly propertyId: number
}

const readFeeds = makeRowsReader(FeedRow)

const makeList =
  (sql: Sql): PropertyFeedStore["Service"]["list"] =>
  ({ operatorId, propertyId, grantId }) =>
    readFeeds(sql`
      SELECT ${feedColumnsSql(sql)} FROM property_feeds
      WHERE operator_id = ${operatorId} AND property_id = ${propertyId} AND ${isFeedVisibleCondition(sql, { grantId })}
      ORDER BY house_fields IS NOT NULL, calendar_id NULLS FIRST, id`)

const readFeedKind = makeOptionalRowReader(Schema.Struct({ kind: FeedKind }))

const makeFindKind =
  (sql: Sql): PropertyFeedStore["Service"]["findKind"] =>
  (operatorId, id) =>
    Effect.map(
      readFeedKind(sql`
        SELECT CASE WHEN house_fields IS NULL THEN 'availability' ELSE 'house' END AS kind
        FROM property_feeds WHERE operator_id = ${operatorId} AND id = ${id}`),
      (row) => row?.kind
    )

export class PropertyFeedStore extends Context.Service<
  PropertyFeedStore,
  {
    /** Returns the feed, or the id under which it can be created. */
    readonly findOrReserveId: (recipient: FeedRecipient) => Effect.Effect<FeedRow | { readonly new_id: number }>
    readonly list: (search: PropertyFeedSearch) => Effect.Effect<ReadonlyArray<FeedRow>>
    /** Also finds feeds of another owner. Returns undefined if there is no such feed. */
    readonly findKind: (operatorId: number, id: number) => Effect.Effect<typeof FeedKind.Type | undefined>
    readonly hasProperty: (operatorId: number, propertyId: number) => Effect.Effect<boolean>
    readonly create: (
      recipient: FeedRecipient,
      id: number,
      token: string,
      now: Date
    ) => Effect.Effect<CreatedFeedRow, never, CurrentActor>
    /** Returns an id for {@link createHouseFeed}. */
    readonly reserveId: () => Effect.Effect<number>
    readonly createHouseFeed: (
      owner: HouseFeedOwner,
      calendar: HouseCalendar,
      id: number,
      token: string,
      now: Date
    ) => Effect.Effect<CreatedHouseFeedRow, never, CurrentActor>
    /** Returns undefined if the operator has no such house calendar. */
    readonly deleteHouseFeed: (
      operatorId: number,
      id: number
    ) => Effect.Effect<{ readonly id: number } | undefined, never, CurrentActor>
    readonly renew: (key: FeedKey, token: string) => Effect.Effect<FeedRow | undefined, never, CurrentActor>
    readonly findByToken: (token: string) => Effect.Effect<FeedByTokenRow | undefined>
    readonly findHouseStays: (search: HouseStaySearch) => Effect.Effect<ReadonlyArray<HouseStay>>
    readonly findBusyDays: (
      feed: Pick<FeedByTokenRow, "operator_id" | "id" | "calendar_id">,
      today: string,
      range: DateRange,
      now: Date
    ) => Effect.Effect<BusyDaysRow | undefined>
    readonly recordRead: (reading: RecordReadParameters) => Effect.Effect<void>
  }
>()("latchkey/domain/calendars/property-feeds/PropertyFeedStore") {
  static readonly layer = Layer.effect(
    PropertyFeedStore,
    Effect.gen(function* () {
      const [sql, seals] = [yield* SqlClient.SqlClient, yield* CurrentSealer]
      return PropertyFeedStore.of({
        findOrReserveId: makeFindOrReserveId(sql),
        list: makeList(sql),
        findKind: makeFindKind(sql),
        hasProperty: makeCheckPropertyExists(sql),
        create: createFeed(sql, seals),
        reserveId: () => reserveId(sql, "property_feeds"),
        createHouseFeed: createHouseFeed(sql, seals),
        deleteHouseFeed: deleteHouseFeed(sql),
        renew: renewToken(sql, seals),
        findHouseStays: findHouseStays(sql),
        findByToken: findByToken(sql),
        findBusyDays: findBusyDays(sql),
        recordRead: recordRead(sql)
      })
    })
  )
}
