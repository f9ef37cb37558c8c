import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readMoodAsked, readOpen } from "../../connectors/sandbox/asked.ts"
import { SANDBOX_CHANNELS } from "../../connectors/sandbox/channels.ts"
import { MOODS } from "../../connectors/sandbox/rows.ts"
import { instantText } from "../../contract/time.ts"
import { answer } from "./answer.ts"
import { book, cancel, change, pay, refund, timeout } from "./sandbox-guests.ts"
import { asked, ofOperator, part } from "./sandbox-lists.ts"
import { acceptOffer, declineOffer, inquire, review, threads, write } from "./sandbox-talk.ts"
import { amount, givenOf, text, whole, withSandbox } from "./sandbox-with.ts"

const open = Command.make(
  "open",
  {
    channel_type: Flag.Literals("channel", SANDBOX_CHANNELS).pipe(Flag.withDescription("channel_type of the listing")),
    onRequest: Flag.Boolean("on-request").pipe(
      Flag.withDescription("Bookings wait for the approval of the host (default: as at the channel)"),
      Flag.withDefault(false)
    ),
    instant: Flag.Boolean("instant").pipe(
      Flag.withDescription("Bookings are confirmed at once (default: as at the channel)"),
      Flag.withDefault(false)
    ),
    optional: {
      operator_id: whole("operator", "operator_id; required if there are several operators (default: the only one)"),
      username: text("account", "Name of the account, created if it does not exist (default: host)"),
      listing_id: text("listing", "listing_id of the new listing (default: random)"),
      title: text("title", "Title of the listing (default: Sandbox and the channel_type)"),
      currency: text("currency", "ISO 4217 code (default: the currency of the operator)"),
      base_price: amount("price", "Price per night (default: 100)"),
      cleaning_fee: amount("cleaning-fee", "Cleaning fee (default: 0)"),
      commission: whole("commission", "Commission of the channel in percent (default: as at the channel)"),
      tax: whole("tax", "Tax in percent (default: as at the channel)"),
      rooms: whole("rooms", "Rooms of this listing (default: 1)")
    }
  },
  ({ channel_type, onRequest, instant, optional }) =>
    answer(
      "sandbox open",
      withSandbox((market) => {
        const sold = instant || onRequest ? { instant } : {}
        return Effect.flatMap(readOpen({ channel_type, ...sold, ...givenOf(optional) }), market.open)
      }),
      ({ listing_id, channel_type, username, heard }) =>
        `Opened listing ${listing_id} on ${channel_type} for ${username}; ingest result: ${heard ?? "pending"}.`
    )
).pipe(
  Command.withDescription("Open a listing in the sandbox, with its account"),
  Command.withExamples([
    {
      command: "latchkey sandbox open --channel airbnb --title 'Old town loft' --price 120",
      description: "Open a listing"
    }
  ])
)

const SHOWN_DAYS = 14
const SHOWN_DAYS_MAX = 400

const listings = Command.make(
  "listings",
  {
    ...part,
    days: Flag.Int("days").pipe(
      Flag.withDescription(`Days to show from today, at most ${SHOWN_DAYS_MAX} (default: ${SHOWN_DAYS})`),
      Flag.withDefault(SHOWN_DAYS)
    )
  },
  ({ operator, days, ...given }) =>
    answer(
      "sandbox listings",
      withSandbox((_market, seeing) =>
        Effect.gen(function* () {
          const found = yield* seeing.listings(asked(given), ofOperator(operator))
          const daysOf = yield* seeing.calendars(found.rows, Math.min(Math.max(days, 1), SHOWN_DAYS_MAX))
          return {
            listings: found.rows.map((row) => {
              const { time_zone: _zone, operator: _name, account_id: channel_account_id, ...listing } = row
              return { ...listing, channel_account_id, calendar: daysOf(row) }
            }),
            total: found.total
          }
        })
      ),
      ({ listings }) =>
        listings.length === 0
          ? "No listings; open one with latchkey sandbox open."
          : listings
              .map(
                ({ listing_id, channel_type, title, currency, calendar }) =>
                  `${listing_id} on ${channel_type}: ${title}\n${calendar
                    .map(
                      ({ date, price, left }) => `  ${date}  ${price} ${currency}  ${left > 0 ? `${left} left` : "-"}`
                    )
                    .join("\n")}`
              )
              .join("\n")
    )
).pipe(Command.withDescription("List the listings of the sandbox with their prices and availability"))

const orders = Command.make("orders", part, ({ operator, ...given }) =>
  answer(
    "sandbox orders",
    withSandbox((_market, seeing) =>
      Effect.map(seeing.orders(asked(given), ofOperator(operator)), ({ rows, total }) => ({
        orders: rows.map(({ said, time_zone: _zone, account_id, booked_at, expires_at, paid, ...order }) => ({
          ...order,
          channel_account_id: account_id,
          booked_at: instantText(booked_at),
          expires_at: expires_at === null ? null : instantText(expires_at),
          guest_name: said.booker.name,
          currency: said.currency,
          paid: Number(paid),
          rooms: said.rooms
        })),
        total
      }))
    ),
    ({ orders }) =>
      orders.length === 0
        ? "No orders."
        : orders
            .map(
              ({ order_id, channel_type, status, guest_name, rooms: [room] }) =>
                `${order_id} on ${channel_type}: ${status}, ${guest_name}, ${room.check_in_date} to ${room.check_out_date}`
            )
            .join("\n")
  )
).pipe(Command.withDescription("List the orders of the sandbox, newest first"))

const log = Command.make("asked", part, ({ operator, ...given }) =>
  answer(
    "sandbox asked",
    withSandbox((_market, seeing) =>
      Effect.map(seeing.asked(asked(given), ofOperator(operator)), ({ rows, total }) => ({
        asked: rows.map(({ asked_at, account_id, ...row }) => ({
          ...row,
          channel_account_id: account_id,
          asked_at: instantText(asked_at)
        })),
        total
      }))
    ),
    ({ asked: all }) =>
      all.length === 0
        ? "No requests."
        : all
            .map(
              ({ asked_at, channel_type, act, subject, summary, answer: answered }) =>
                `${asked_at}  ${channel_type}  ${act} ${subject}: ${summary} → ${answered}`
            )
            .join("\n")
  )
).pipe(Command.withDescription("List the requests of the service to the sandbox, newest first"))

const mood = Command.make(
  "mood",
  {
    account: Argument.Int("account").pipe(Argument.withDescription("channel_account_id")),
    mood: Argument.Literals("mood", MOODS).pipe(Argument.withDescription("How the account responds")),
    optional: {
      ms: whole("ms", "With late: delay in milliseconds (default: 5000)"),
      reason: text("reason", "With refuses: reason (default: the channel says no)")
    }
  },
  ({ account, mood, optional }) =>
    answer(
      "sandbox mood",
      withSandbox((market) =>
        Effect.flatMap(readMoodAsked({ channel_account_id: account, mood, ...givenOf(optional) }), market.mood)
      ),
      ({ channel_account_id, mood }) => `Account ${channel_account_id} now responds: ${mood}.`
    )
).pipe(Command.withDescription("Set how an account of the sandbox responds to requests"))

export const sandbox = Command.make("sandbox").pipe(
  Command.withDescription("Use the sandbox marketplace: open listings, book as a guest and show requests"),
  Command.withSubcommands([
    open,
    listings,
    book,
    change,
    pay,
    refund,
    cancel,
    timeout,
    inquire,
    write,
    acceptOffer,
    declineOffer,
    review,
    mood,
    orders,
    threads,
    log
  ])
)
