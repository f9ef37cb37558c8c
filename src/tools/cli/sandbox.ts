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
    channel_type: Flag.Literals("channel", SANDBOX_CHANNELS).pipe(Flag.withDescription("The channel_type")),
    onRequest: Flag.Boolean("on-request").pipe(
      Flag.withDescription("The host agrees to each order first"),
      Flag.withDefault(false)
    ),
    instant: Flag.Boolean("instant").pipe(Flag.withDescription("It is sold at once"), Flag.withDefault(false)),
    optional: {
      operator_id: whole("operator", "operator_id, where there are several operators"),
      username: text("account", "Name of the account, made unless it is there"),
      listing_id: text("listing", "The channel's own id of the new listing, drawn unless said"),
      title: text("title", "What it is called"),
      currency: text("currency", "ISO 4217 code; the operator's, unless said"),
      base_price: amount("price", "What a night costs, 100 unless said"),
      cleaning_fee: amount("cleaning-fee", "What cleaning costs"),
      commission: whole("commission", "Percent that the channel keeps"),
      tax: whole("tax", "Percent of tax on top"),
      rooms: whole("rooms", "How many of it there are")
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
        `Listing ${listing_id} is on sale on ${channel_type} by ${username}; the service: ${heard ?? "not told yet"}.`
    )
).pipe(
  Command.withDescription("Open a listing of the sandbox, and its account"),
  Command.withExamples([
    { command: "latchkey sandbox open --channel airbnb --title 'Old town loft' --price 120", description: "A listing" }
  ])
)

const SHOWN_DAYS = 14
const SHOWN_DAYS_MAX = 400

const listings = Command.make(
  "listings",
  {
    ...part,
    days: Flag.Int("days").pipe(
      Flag.withDescription("Days from today that are shown of each"),
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
          ? "Nothing is on sale: latchkey sandbox open."
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
).pipe(Command.withDescription("List what is on sale, with its prices and what is left"))

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
        ? "Nobody has booked."
        : orders
            .map(
              ({ order_id, channel_type, status, guest_name, rooms: [room] }) =>
                `${order_id} on ${channel_type}: ${status}, ${guest_name}, ${room.check_in_date} to ${room.check_out_date}`
            )
            .join("\n")
  )
).pipe(Command.withDescription("List the orders of the sandbox, the latest first"))

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
        ? "Nothing was asked."
        : all
            .map(
              ({ asked_at, channel_type, act, subject, summary, answer: answered }) =>
                `${asked_at}  ${channel_type}  ${act} ${subject}: ${summary} → ${answered}`
            )
            .join("\n")
  )
).pipe(Command.withDescription("List what the service has asked of accounts of the sandbox, the latest first"))

const mood = Command.make(
  "mood",
  {
    account: Argument.Int("account").pipe(Argument.withDescription("channel_account_id")),
    mood: Argument.Literals("mood", MOODS).pipe(Argument.withDescription("How it answers from now on")),
    optional: {
      ms: whole("ms", "Of late: how many milliseconds"),
      reason: text("reason", "Of refuses: why")
    }
  },
  ({ account, mood, optional }) =>
    answer(
      "sandbox mood",
      withSandbox((market) =>
        Effect.flatMap(readMoodAsked({ channel_account_id: account, mood, ...givenOf(optional) }), market.mood)
      ),
      ({ channel_account_id, mood }) => `Account ${channel_account_id} now: ${mood}.`
    )
).pipe(Command.withDescription("Say how an account of the sandbox answers what the service asks"))

export const sandbox = Command.make("sandbox").pipe(
  Command.withDescription("The sandbox marketplace: its listings, its guests, and what the service asked of it"),
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
