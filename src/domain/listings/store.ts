import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "../../contract/page.ts"
import { makePageReader } from "../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../platform/database/parameters.ts"
import { makeSingleRowReader, type RowPage } from "../../platform/database/rows.ts"
import { accountExistsCondition } from "../channels/channel-accounts/account-conditions.ts"
import { ChannelType } from "../channels/port/channel-type.ts"
import { InstantColumn } from "../column-schemas.ts"
import type { OperatorScoped } from "../operator-rows.ts"
import { propertyExistsCondition, roomTypeExistsCondition } from "../properties/properties/ownership.ts"
import { Listing, PricingRatio, type search_listings } from "./contract.ts"
import type { ListingMapping } from "./rules.ts"

type Sql = SqlClient.SqlClient

type ListingSearch = Pick<
  typeof search_listings.payloadSchema.Type,
  "channel_account_id" | "listing_id" | "channel_type"
>

const ListingRow = Schema.Struct({ ...Listing.fields, created_at: InstantColumn, updated_at: InstantColumn })
type ListingRow = typeof ListingRow.Type

const RatioRow = Schema.Struct({
  known: Schema.Boolean,
  listings: Schema.Array(PricingRatio)
})
const readAccountExists = makeSingleRowReader(Schema.Struct({ known: Schema.Boolean }))
const readRatios = makeSingleRowReader(RatioRow)

const ALL_CHANNEL_TYPES_SQL = ChannelType.literals.map((each) => `'${each}'`).join(", ")

type ListingSearchParameters = OperatorScoped & ListingSearch

const searchConditions = (
  sql: Sql,
  { operatorId, channel_account_id, listing_id, channel_type }: ListingSearchParameters
) => {
  const all = [sql`operator_id = ${genericPlanParameter(sql, "bigint", operatorId)}`]
  if (channel_account_id !== undefined) all.push(sql`account_id = ${channel_account_id}`)
  if (listing_id !== undefined) all.push(sql`listing_id = ${listing_id}`)
  if (channel_type !== undefined) all.push(sql`channel_type = ${genericPlanParameter(sql, "text", channel_type)}`)
  // The index has the channel type before the id. With all types listed, PostgreSQL can search it once for each type.
  else if (listing_id !== undefined) all.push(sql`channel_type IN (${sql.literal(ALL_CHANNEL_TYPES_SQL)})`)
  return all
}

const search = (sql: Sql): ListingStore["Service"]["search"] => {
  const selectPage = makePageReader(
    sql,
    ListingRow,
    (parameters: ListingSearchParameters) => ({
      matchingRows: sql`SELECT * FROM listings WHERE ${sql.and(searchConditions(sql, parameters))}`,
      orderBy: sql`id`
    }),
    {
      channel_account_id: sql`page.account_id`,
      // With a join, PostgreSQL would read the accounts of all operators while the table is small.
      origin_account_id: sql`(
        SELECT account.origin_account_id FROM channel_accounts account
        WHERE account.operator_id = page.operator_id AND account.id = page.account_id)`
    }
  )
  return (operatorId, filter, page) => selectPage({ ...filter, operatorId }, page)
}

const makeAccountExists =
  (sql: Sql): ListingStore["Service"]["accountExists"] =>
  (operatorId, id) =>
    Effect.map(
      readAccountExists(sql`SELECT ${accountExistsCondition(sql, operatorId, id)} AS known`),
      (row) => row.known
    )

interface ListRatiosParameters extends OperatorScoped {
  readonly property_id: number | undefined
  readonly room_type_id: number | undefined
}

const makeListRatios = (sql: Sql): ListingStore["Service"]["listRatios"] => {
  const statement = ({ operatorId, property_id, room_type_id }: ListRatiosParameters) => sql`
      SELECT
        ${propertyExistsCondition(sql, operatorId, property_id)} AND ${roomTypeExistsCondition(sql, operatorId, room_type_id)} AS known,
        coalesce((
          SELECT jsonb_agg(jsonb_build_object('channel_type', channel_type, 'listing_id', listing_id,
            'listing_title', title, 'ratio', ratio, 'readonly', ratio_readonly) ORDER BY id)
          FROM listings WHERE operator_id = ${operatorId} AND shelf_status <> 'deleted'
            AND ${property_id === undefined ? sql`true` : sql`property_id = ${property_id}`}
            AND ${room_type_id === undefined ? sql`true` : sql`room_type_id = ${room_type_id}`}), '[]') AS listings`
  return (operatorId, { type, id }) =>
    Effect.map(
      readRatios(
        statement({
          operatorId,
          property_id: type === "property" ? id : undefined,
          room_type_id: type === "room_type" ? id : undefined
        })
      ),
      ({ known, listings }) => (known ? listings : undefined)
    )
}

export class ListingStore extends Context.Service<
  ListingStore,
  {
    readonly search: (operatorId: number, filter: ListingSearch, page: Page) => Effect.Effect<RowPage<ListingRow>>
    readonly accountExists: (operatorId: number, id: number) => Effect.Effect<boolean>
    /** Returns undefined if the property or room type is unknown. */
    readonly listRatios: (
      operatorId: number,
      mapping: ListingMapping
    ) => Effect.Effect<ReadonlyArray<PricingRatio> | undefined>
  }
>()("latchkey/domain/listings/ListingStore") {
  static readonly layer = Layer.effect(
    ListingStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      ListingStore.of({
        search: search(sql),
        accountExists: makeAccountExists(sql),
        listRatios: makeListRatios(sql)
      })
    )
  )
}
