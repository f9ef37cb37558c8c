import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { addDays, dateInZone } from "../../contract/time.ts"
import { ChannelReviewEvent } from "../../domain/channels/port/channel-events.ts"
import type { Restrictions } from "../../domain/channels/port/listing-days.ts"
import {
  computeAvailableCount,
  computeNightPrice,
  findDay,
  indexDaysByDate,
  listDatesBetween
} from "./listing-calendar.ts"
import { toMajorUnits } from "./minor-units.ts"
import { accountColumns, makePagedList, type PagedQuery } from "./paged-lists.ts"
import { FailureMode, SandboxAccount, SandboxOrder } from "./rows.ts"
import { SandboxRepository } from "./SandboxRepository.ts"
import { makeListThreads, type SandboxThreadRow } from "./thread-list.ts"

type Sql = SqlClient.SqlClient

export type { PageRange } from "./paged-lists.ts"
export type { SandboxThreadRow } from "./thread-list.ts"

const SandboxAccountRow = Schema.Struct({
  ...SandboxAccount.fields,
  operator: Schema.String,
  auth_status: Schema.String,
  ...FailureMode.fields,
  listings: Schema.Int,
  orders: Schema.Int
})
export type SandboxAccountRow = typeof SandboxAccountRow.Type

const SandboxListingRow = Schema.Struct({
  ...SandboxAccount.fields,
  operator: Schema.String,
  listing_id: Schema.String,
  title: Schema.String,
  currency: Schema.String,
  rooms: Schema.Int,
  instant: Schema.Boolean,
  commission: Schema.Int,
  tax: Schema.Int,
  property_id: Schema.NullOr(Schema.Int),
  room_type_id: Schema.NullOr(Schema.Int),
  heard: Schema.NullOr(Schema.String)
})
export type SandboxListingRow = typeof SandboxListingRow.Type

const SandboxOrderRow = Schema.Struct({
  ...SandboxAccount.fields,
  ...SandboxOrder.fields,
  paid: Schema.String,
  heard: Schema.NullOr(Schema.String),
  reservation_code: Schema.NullOr(Schema.String),
  review: Schema.NullOr(ChannelReviewEvent)
})
export type SandboxOrderRow = typeof SandboxOrderRow.Type

const SandboxRequestRow = Schema.Struct({
  id: Schema.Int,
  operator_id: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  username: Schema.String,
  act: Schema.String,
  subject: Schema.String,
  summary: Schema.String,
  answer: Schema.String,
  asked_at: Schema.Date
})
export type SandboxRequestRow = typeof SandboxRequestRow.Type

const makeListAccounts = (sql: Sql) =>
  makePagedList(
    sql,
    SandboxAccountRow,
    sql`${sql.literal(accountColumns)}, o.name AS operator, a.auth_status, coalesce(m.mood, 'accepts') AS mood,
      coalesce(m.mood_ms, 0) AS mood_ms, coalesce(m.mood_reason, '') AS mood_reason,
      (SELECT count(*) FROM sandbox_listings l WHERE l.operator_id = a.operator_id AND l.account_id = a.id) AS listings,
      (SELECT count(*) FROM sandbox_orders s WHERE s.operator_id = a.operator_id AND s.account_id = a.id) AS orders`,
    {
      from: sql`channel_accounts a JOIN operators o ON o.id = a.operator_id
        LEFT JOIN sandbox_accounts m ON m.operator_id = a.operator_id AND m.account_id = a.id`,
      orderBy: sql`a.operator_id, a.id`
    }
  )

const makeListListings = (sql: Sql) =>
  makePagedList(
    sql,
    SandboxListingRow,
    sql`${sql.literal(accountColumns)}, o.name AS operator, l.listing_id, l.title, l.currency, l.rooms, l.instant, l.commission,
      l.tax, known.property_id, known.room_type_id, w.heard`,
    {
      from: sql`sandbox_listings l
        JOIN channel_accounts a ON a.operator_id = l.operator_id AND a.id = l.account_id
        JOIN operators o ON o.id = a.operator_id
        LEFT JOIN listings known ON known.operator_id = l.operator_id AND known.channel_type = a.channel_type
          AND known.listing_id = l.listing_id
        LEFT JOIN sandbox_words w ON w.operator_id = l.operator_id AND w.account_id = l.account_id
          AND w.kind = 'listing' AND w.subject = l.listing_id`,
      orderBy: sql`l.operator_id, l.account_id, l.created_at, l.listing_id`
    }
  )

const makeListOrders = (sql: Sql) =>
  makePagedList(
    sql,
    SandboxOrderRow,
    sql`${sql.literal(accountColumns)}, s.order_id, s.version, s.status, s.answer, s.expires_at, s.said, s.booked_at, w.heard,
      known.reservation_code, review.said AS review,
      coalesce((SELECT sum(CASE p.kind WHEN 'payment' THEN p.amount ELSE -p.amount END) FROM sandbox_payments p
        WHERE p.operator_id = s.operator_id AND p.account_id = s.account_id AND p.order_id = s.order_id), 0)::text AS paid`,
    {
      from: sql`sandbox_orders s
        JOIN channel_accounts a ON a.operator_id = s.operator_id AND a.id = s.account_id
        JOIN operators o ON o.id = a.operator_id
        LEFT JOIN orders known ON known.operator_id = s.operator_id AND known.channel_type = a.channel_type
          AND known.channel_id = s.order_id
        LEFT JOIN sandbox_words w ON w.operator_id = s.operator_id AND w.account_id = s.account_id
          AND w.kind = 'order' AND w.subject = s.order_id
        LEFT JOIN sandbox_reviews review ON review.operator_id = s.operator_id AND review.account_id = s.account_id
          AND review.order_id = s.order_id`,
      orderBy: sql`s.booked_at DESC, s.order_id`
    }
  )

const makeListRequests = (sql: Sql) =>
  makePagedList(
    sql,
    SandboxRequestRow,
    sql`q.id, a.operator_id, a.id AS account_id, a.channel_type, a.username, q.act, q.subject, q.summary, q.answer,
      q.asked_at`,
    {
      from: sql`sandbox_asked q JOIN channel_accounts a ON a.operator_id = q.operator_id AND a.id = q.account_id`,
      orderBy: sql`q.id DESC`
    }
  )

export interface GuestCalendarDay {
  readonly date: string
  /** In major units, before cleaning and taxes. */
  readonly price: number
  readonly availableCount: number
  readonly soldCount: number
  readonly restrictions: Restrictions
}

const toListingKey = ({ account_id, listing_id }: Pick<SandboxListingRow, "account_id" | "listing_id">) =>
  `${account_id} ${listing_id}`

const makeLoadCalendars = (repository: SandboxRepository["Service"]): SandboxQueries["Service"]["loadCalendars"] =>
  Effect.fnUntraced(function* (listingRows, dayCount) {
    const now = yield* DateTime.nowAsDate
    const accountsById = new Map(listingRows.map((each) => [each.account_id, each]))
    const calendarEntries = yield* Effect.forEach(Array.from(accountsById.values()), (account) => {
      const listingIds = listingRows
        .filter((each) => each.account_id === account.account_id)
        .map(({ listing_id }) => listing_id)
      const start = dateInZone(now, account.time_zone)
      const end = addDays(start, dayCount - 1)
      return Effect.map(
        Effect.all([
          repository.findListings(account, listingIds),
          repository.findDays(account, listingIds, start, end)
        ]),
        ([listings, days]) =>
          listings.map((listing) => {
            const daysByDate = indexDaysByDate(listing, days)
            const calendar = listDatesBetween(start, end).map((date): GuestCalendarDay => {
              const day = findDay(listing, daysByDate, date)
              const price = toMajorUnits(computeNightPrice(listing, day), listing.currency)
              return {
                date,
                price,
                availableCount: computeAvailableCount(listing, day),
                soldCount: day.sold,
                restrictions: day.restrictions
              }
            })
            return [toListingKey({ account_id: account.account_id, listing_id: listing.listing_id }), calendar] as const
          })
      )
    })
    const calendarsByListing = new Map(calendarEntries.flat())
    return (listing) => calendarsByListing.get(toListingKey(listing)) ?? []
  })

export class SandboxQueries extends Context.Service<
  SandboxQueries,
  {
    /** Days start with today in the time zone of each host. */
    readonly loadCalendars: (
      listingRows: ReadonlyArray<SandboxListingRow>,
      dayCount: number
    ) => Effect.Effect<(listing: SandboxListingRow) => ReadonlyArray<GuestCalendarDay>>
    readonly listAccounts: PagedQuery<SandboxAccountRow>
    readonly listListings: PagedQuery<SandboxListingRow>
    readonly listOrders: PagedQuery<SandboxOrderRow>
    readonly listThreads: PagedQuery<SandboxThreadRow>
    readonly listRequests: PagedQuery<SandboxRequestRow>
  }
>()("latchkey/connectors/sandbox/SandboxQueries") {
  static readonly layer = Layer.effect(
    SandboxQueries,
    Effect.map(Effect.all([SqlClient.SqlClient, SandboxRepository]), ([sql, repository]) =>
      SandboxQueries.of({
        loadCalendars: makeLoadCalendars(repository),
        listAccounts: makeListAccounts(sql),
        listListings: makeListListings(sql),
        listOrders: makeListOrders(sql),
        listThreads: makeListThreads(sql),
        listRequests: makeListRequests(sql)
      })
    )
  )
}
