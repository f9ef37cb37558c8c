import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { addDays, dateInZone } from "../../contract/time.ts"
import type { Restrictions } from "../../domain/channels/port/days.ts"
import { ReviewSaid } from "../../domain/channels/port/said.ts"
import { majorOf } from "./amounts.ts"
import { Books } from "./Books.ts"
import { datesBetween, dayOf, daysOf, leftOf, priceOf } from "./calendar.ts"
import { account, pages } from "./parts.ts"
import { Mood, Order, SandboxAccount } from "./rows.ts"
import { ofThreads } from "./seeing-threads.ts"

// What whoever looks at the marketplace sees of it: its accounts, listings, orders, threads, and what it was asked.

type Sql = SqlClient.SqlClient

export type { Part } from "./parts.ts"
export type { ThreadSeen } from "./seeing-threads.ts"

const AccountSeen = Schema.Struct({
  ...SandboxAccount.fields,
  operator: Schema.String,
  auth_status: Schema.String,
  ...Mood.fields,
  listings: Schema.Int,
  orders: Schema.Int
})
export type AccountSeen = typeof AccountSeen.Type

const ListingSeen = Schema.Struct({
  ...SandboxAccount.fields,
  operator: Schema.String,
  listing_id: Schema.String,
  title: Schema.String,
  currency: Schema.String,
  rooms: Schema.Int,
  instant: Schema.Boolean,
  commission: Schema.Int,
  tax: Schema.Int,
  /** What the service sells there: null where nothing is linked. */
  property_id: Schema.NullOr(Schema.Int),
  room_type_id: Schema.NullOr(Schema.Int),
  heard: Schema.NullOr(Schema.String)
})
export type ListingSeen = typeof ListingSeen.Type

const OrderRow = Schema.Struct({
  ...SandboxAccount.fields,
  ...Order.fields,
  paid: Schema.String,
  heard: Schema.NullOr(Schema.String),
  /** The code the service has given it. */
  reservation_code: Schema.NullOr(Schema.String),
  review: Schema.NullOr(ReviewSaid)
})
export type OrderRow = typeof OrderRow.Type

const AskedRow = Schema.Struct({
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
export type AskedRow = typeof AskedRow.Type

const ofAccounts = (sql: Sql) =>
  pages(
    sql,
    AccountSeen,
    sql`${sql.literal(account)}, o.name AS operator, a.auth_status, coalesce(m.mood, 'accepts') AS mood,
      coalesce(m.mood_ms, 0) AS mood_ms, coalesce(m.mood_reason, '') AS mood_reason,
      (SELECT count(*) FROM sandbox_listings l WHERE l.operator_id = a.operator_id AND l.account_id = a.id) AS listings,
      (SELECT count(*) FROM sandbox_orders s WHERE s.operator_id = a.operator_id AND s.account_id = a.id) AS orders`,
    {
      from: sql`channel_accounts a JOIN operators o ON o.id = a.operator_id
        LEFT JOIN sandbox_accounts m ON m.operator_id = a.operator_id AND m.account_id = a.id`,
      orderBy: sql`a.operator_id, a.id`
    }
  )

const ofListings = (sql: Sql) =>
  pages(
    sql,
    ListingSeen,
    sql`${sql.literal(account)}, o.name AS operator, l.listing_id, l.title, l.currency, l.rooms, l.instant, l.commission,
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

const ofOrders = (sql: Sql) =>
  pages(
    sql,
    OrderRow,
    sql`${sql.literal(account)}, s.order_id, s.version, s.status, s.answer, s.expires_at, s.said, s.booked_at, w.heard,
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

const ofAsked = (sql: Sql) =>
  pages(
    sql,
    AskedRow,
    sql`q.id, a.operator_id, a.id AS account_id, a.channel_type, a.username, q.act, q.subject, q.summary, q.answer,
      q.asked_at`,
    {
      from: sql`sandbox_asked q JOIN channel_accounts a ON a.operator_id = q.operator_id AND a.id = q.account_id`,
      orderBy: sql`q.id DESC`
    }
  )

/** A day as a guest sees it. */
export interface GuestDay {
  readonly date: string
  /** What the night costs before cleaning and taxes, major units. */
  readonly price: number
  /** How many are left. */
  readonly left: number
  readonly sold: number
  readonly restrictions: Restrictions
}

const keyOf = ({ account_id, listing_id }: Pick<ListingSeen, "account_id" | "listing_id">) =>
  `${account_id} ${listing_id}`

/** The days of listings as guests see them, from today on where the host is; asked account by account. */
const calendars = (books: Books["Service"]) =>
  Effect.fnUntraced(function* (seen: ReadonlyArray<ListingSeen>, days: number) {
    const now = yield* DateTime.nowAsDate
    const accounts = new Map(seen.map((each) => [each.account_id, each]))
    const all = yield* Effect.forEach(Array.from(accounts.values()), (account) => {
      const names = seen.filter((each) => each.account_id === account.account_id).map(({ listing_id }) => listing_id)
      const start = dateInZone(now, account.time_zone)
      const end = addDays(start, days - 1)
      return Effect.map(
        Effect.all([books.listings(account, names), books.days(account, names, start, end)]),
        ([listings, said]) =>
          listings.map((listing) => {
            const known = daysOf(listing, said)
            const calendar = datesBetween(start, end).map((date): GuestDay => {
              const day = dayOf(listing, known, date)
              const price = majorOf(priceOf(listing, day), listing.currency)
              return { date, price, left: leftOf(listing, day), sold: day.sold, restrictions: day.restrictions }
            })
            return [keyOf({ account_id: account.account_id, listing_id: listing.listing_id }), calendar] as const
          })
      )
    })
    const found = new Map(all.flat())
    return (listing: ListingSeen): ReadonlyArray<GuestDay> => found.get(keyOf(listing)) ?? []
  })

/** Everything there is to see, a page at a time. */
export class Seeing extends Context.Service<Seeing>()("latchkey/sandbox/Seeing", {
  make: Effect.map(Effect.all([SqlClient.SqlClient, Books]), ([sql, books]) => ({
    calendars: calendars(books),
    accounts: ofAccounts(sql),
    listings: ofListings(sql),
    orders: ofOrders(sql),
    threads: ofThreads(sql),
    asked: ofAsked(sql)
  }))
}) {
  static readonly layer = Layer.effect(Seeing, Seeing.make)
}
