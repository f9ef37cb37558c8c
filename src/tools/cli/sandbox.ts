import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { SANDBOX_CHANNELS } from "../../connectors/sandbox/channel-profiles.ts"
import { decodeFailureModeRequest, decodeListingRequest } from "../../connectors/sandbox/marketplace-requests.ts"
import { FAILURE_MODES } from "../../connectors/sandbox/rows.ts"
import { formatUtcInstant } from "../../contract/time.ts"
import { runCommand } from "./command-runner.ts"
import { amountFlag, integerFlag, textFlag, toProvidedFields, withSandbox } from "./sandbox-context.ts"
import { listFlags, toOperatorFilter, toPageRequest } from "./sandbox-list-flags.ts"
import {
  acceptOfferCommand,
  declineOfferCommand,
  inquireCommand,
  reviewCommand,
  threadsCommand,
  writeCommand
} from "./sandbox-message-commands.ts"
import {
  bookCommand,
  cancelCommand,
  changeCommand,
  payCommand,
  refundCommand,
  timeoutCommand
} from "./sandbox-order-commands.ts"

const openCommand = Command.make(
  "open",
  {
    channel_type: Flag.Literals("channel", SANDBOX_CHANNELS).pipe(Flag.withDescription("channel_type of the listing")),
    onRequest: Flag.Boolean("on-request").pipe(
      Flag.withDescription("Bookings wait for the approval of the host (default: as usual at the channel)"),
      Flag.withDefault(false)
    ),
    instant: Flag.Boolean("instant").pipe(
      Flag.withDescription("Bookings are confirmed at once (default: as usual at the channel)"),
      Flag.withDefault(false)
    ),
    optional: {
      operator_id: integerFlag(
        "operator",
        "operator_id; required if there are several operators (default: the only one)"
      ),
      username: textFlag("account", "Name of the account, created if it does not exist (default: host)"),
      listing_id: textFlag("listing", "listing_id of the new listing (default: random)"),
      title: textFlag("title", "Title of the listing (default: Sandbox and the channel_type)"),
      currency: textFlag("currency", "ISO 4217 code (default: the currency of the operator)"),
      base_price: amountFlag("price", "Price per night (default: 100)"),
      cleaning_fee: amountFlag("cleaning-fee", "Cleaning fee (default: 0)"),
      commission: integerFlag("commission", "Commission of the channel in percent (default: the channel's usual one)"),
      tax: integerFlag("tax", "Tax in percent (default: the channel's usual one)"),
      rooms: integerFlag("rooms", "Rooms of this listing (default: 1)")
    }
  },
  ({ channel_type, onRequest, instant, optional }) =>
    runCommand(
      "sandbox open",
      withSandbox((market) => {
        const bookingMode = instant || onRequest ? { instant } : {}
        return Effect.flatMap(
          decodeListingRequest({ channel_type, ...bookingMode, ...toProvidedFields(optional) }),
          market.openListing
        )
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

const CALENDAR_DAYS = 14
const CALENDAR_DAYS_MAX = 400

const listingsCommand = Command.make(
  "listings",
  {
    ...listFlags,
    days: Flag.Int("days").pipe(
      Flag.withDescription(`Days to show from today, at most ${CALENDAR_DAYS_MAX} (default: ${CALENDAR_DAYS})`),
      Flag.withDefault(CALENDAR_DAYS)
    )
  },
  ({ operator, days, ...page }) =>
    runCommand(
      "sandbox listings",
      withSandbox((_market, queries) =>
        Effect.gen(function* () {
          const foundListings = yield* queries.listListings(toPageRequest(page), toOperatorFilter(operator))
          const calendarOf = yield* queries.loadCalendars(
            foundListings.rows,
            Math.min(Math.max(days, 1), CALENDAR_DAYS_MAX)
          )
          return {
            listings: foundListings.rows.map((row) => {
              const { time_zone: _zone, operator: _name, account_id: channel_account_id, ...listing } = row
              return { ...listing, channel_account_id, calendar: calendarOf(row) }
            }),
            total: foundListings.total
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
                      ({ date, price, availableCount: left }) =>
                        `  ${date}  ${price} ${currency}  ${left > 0 ? `${left} left` : "-"}`
                    )
                    .join("\n")}`
              )
              .join("\n")
    )
).pipe(Command.withDescription("List the listings of the sandbox with their prices and availability"))

const ordersCommand = Command.make("orders", listFlags, ({ operator, ...page }) =>
  runCommand(
    "sandbox orders",
    withSandbox((_market, queries) =>
      Effect.map(queries.listOrders(toPageRequest(page), toOperatorFilter(operator)), ({ rows, total }) => ({
        orders: rows.map(({ said, time_zone: _zone, account_id, booked_at, expires_at, paid, ...order }) => ({
          ...order,
          channel_account_id: account_id,
          booked_at: formatUtcInstant(booked_at),
          expires_at: expires_at === null ? null : formatUtcInstant(expires_at),
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

const requestLogCommand = Command.make("asked", listFlags, ({ operator, ...page }) =>
  runCommand(
    "sandbox asked",
    withSandbox((_market, queries) =>
      Effect.map(queries.listRequests(toPageRequest(page), toOperatorFilter(operator)), ({ rows, total }) => ({
        asked: rows.map(({ asked_at, account_id, ...row }) => ({
          ...row,
          channel_account_id: account_id,
          asked_at: formatUtcInstant(asked_at)
        })),
        total
      }))
    ),
    ({ asked: requests }) =>
      requests.length === 0
        ? "No requests."
        : requests
            .map(
              ({ asked_at, channel_type, act, subject, summary, answer }) =>
                `${asked_at}  ${channel_type}  ${act} ${subject}: ${summary} → ${answer}`
            )
            .join("\n")
  )
).pipe(Command.withDescription("List the requests of the service to the sandbox, newest first"))

const failureModeCommand = Command.make(
  "mood",
  {
    account: Argument.Int("account").pipe(Argument.withDescription("channel_account_id")),
    mood: Argument.Literals("mood", FAILURE_MODES).pipe(
      Argument.withDescription(`How the account responds: ${FAILURE_MODES.join(", ")}`)
    ),
    optional: {
      ms: integerFlag("ms", "With late: delay in milliseconds (default: 5000)"),
      reason: textFlag("reason", "With refuses: reason (default: the channel says no)")
    }
  },
  ({ account, mood, optional }) =>
    runCommand(
      "sandbox mood",
      withSandbox((market) =>
        Effect.flatMap(
          decodeFailureModeRequest({ channel_account_id: account, mood, ...toProvidedFields(optional) }),
          market.setFailureMode
        )
      ),
      ({ channel_account_id, mood }) => `Account ${channel_account_id} now responds: ${mood}.`
    )
).pipe(Command.withDescription("Set how an account of the sandbox responds to requests"))

export const sandboxCommand = Command.make("sandbox").pipe(
  Command.withDescription("Use the sandbox marketplace: open listings, book as a guest and show requests"),
  Command.withSubcommands([
    openCommand,
    listingsCommand,
    bookCommand,
    changeCommand,
    payCommand,
    refundCommand,
    cancelCommand,
    timeoutCommand,
    inquireCommand,
    writeCommand,
    acceptOfferCommand,
    declineOfferCommand,
    reviewCommand,
    failureModeCommand,
    ordersCommand,
    threadsCommand,
    requestLogCommand
  ])
)
