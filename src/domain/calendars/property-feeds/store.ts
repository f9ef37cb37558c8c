import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { DateRange } from "../../../contract/date-range.ts"
import { makeRowsReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { CurrentSealer } from "../../../platform/sealing/CurrentSealer.ts"
import type { GrantKey } from "../../connection-grants.ts"
import { makeCheckPropertyExists } from "../../properties/properties/ownership.ts"
import { type CreatedFeedRow, createFeed, renewToken } from "./feed-changes.ts"
import { type FeedByTokenRow, findBusyDays, findByToken, type RecordReadParameters, recordRead } from "./feed-reads.ts"
import { type FeedKey, type FeedRecipient, FeedRow, feedColumnsSql, isFeedOwnerCondition } from "./feed-rows.ts"
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
      WHERE operator_id = ${operatorId} AND property_id = ${propertyId} AND ${isFeedOwnerCondition(sql, { grantId })}
      ORDER BY calendar_id NULLS FIRST`)

const readExists = makeSingleRowReader(Schema.Struct({ known: Schema.Boolean }))

const makeExists =
  (sql: Sql): PropertyFeedStore["Service"]["exists"] =>
  (operatorId, id) =>
    Effect.map(
      readExists(
        sql`SELECT EXISTS (SELECT FROM property_feeds WHERE operator_id = ${operatorId} AND id = ${id}) AS known`
      ),
      ({ known }) => known
    )

export class PropertyFeedStore extends Context.Service<
  PropertyFeedStore,
  {
    /** Returns the feed, or the id under which it can be created. */
    readonly findOrReserveId: (recipient: FeedRecipient) => Effect.Effect<FeedRow | { readonly new_id: number }>
    readonly list: (search: PropertyFeedSearch) => Effect.Effect<ReadonlyArray<FeedRow>>
    /** Also finds feeds of another owner. */
    readonly exists: (operatorId: number, id: number) => Effect.Effect<boolean>
    readonly hasProperty: (operatorId: number, propertyId: number) => Effect.Effect<boolean>
    readonly create: (
      recipient: FeedRecipient,
      id: number,
      token: string,
      now: Date
    ) => Effect.Effect<CreatedFeedRow, never, CurrentActor>
    readonly renew: (key: FeedKey, token: string) => Effect.Effect<FeedRow | undefined, never, CurrentActor>
    readonly findByToken: (token: string) => Effect.Effect<FeedByTokenRow | undefined>
    readonly findBusyDays: (
      feed: FeedByTokenRow,
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
        exists: makeExists(sql),
        hasProperty: makeCheckPropertyExists(sql),
        create: createFeed(sql, seals),
        renew: renewToken(sql, seals),
        findByToken: findByToken(sql),
        findBusyDays: findBusyDays(sql),
        recordRead: recordRead(sql)
      })
    })
  )
}
