import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Marketplace, MarketplaceError, OrderActionResult } from "../../connectors/sandbox/Marketplace.ts"
import {
  DEFAULT_ADULTS,
  decodeBookingRequest,
  decodeChangeRequest,
  decodeMoneyRequest,
  decodeOrderRequest
} from "../../connectors/sandbox/marketplace-requests.ts"
import { runCommand } from "./command-runner.ts"
import {
  amountFlag,
  channelOperatorFlags,
  integerFlag,
  SANDBOX_GUEST,
  textFlag,
  toProvidedFields,
  withSandbox
} from "./sandbox-context.ts"

export const formatOrder =
  (outcome: string) =>
  ({ order_id, channel_type, status, total, currency, paid, heard }: OrderActionResult): string =>
    `Order ${order_id} on ${channel_type} ${outcome}: ${status}, ${total} ${currency}, ${paid} paid; ingest result: ${heard ?? "pending"}.`

const orderArgument = Argument.String("order").pipe(Argument.withDescription("order_id of the channel"))

type OrderAction<Payload> = (
  market: Marketplace["Service"],
  payload: Payload
) => Effect.Effect<OrderActionResult, MarketplaceError>

const runOrderAction = <Payload>(
  name: string,
  decode: (fields: unknown) => Effect.Effect<Payload, MarketplaceError>,
  action: OrderAction<Payload>,
  outcome: string,
  input: object
) =>
  runCommand(
    `sandbox ${name}`,
    withSandbox((market) => Effect.flatMap(decode(input), (payload) => action(market, payload))),
    formatOrder(outcome)
  )

export const bookCommand = Command.make(
  "book",
  {
    listing: Flag.String("listing").pipe(
      Flag.withDescription("listing_id; separate several listings of one account by commas, one room each")
    ),
    check_in_date: Flag.String("check-in").pipe(Flag.withDescription("Check-in date, YYYY-MM-DD")),
    check_out_date: Flag.String("check-out").pipe(Flag.withDescription("Check-out date, YYYY-MM-DD")),
    guest_name: Flag.String("guest").pipe(
      Flag.withDescription(`Name of the guest (default: ${SANDBOX_GUEST})`),
      Flag.withDefault(SANDBOX_GUEST)
    ),
    optional: {
      guest_phone: textFlag("phone", "Phone number of the guest (default: none)"),
      guest_email: textFlag("email", "E-mail address of the guest (default: none)"),
      adults: integerFlag("adults", `Adults in each room (default: ${DEFAULT_ADULTS})`),
      children: integerFlag("children", "Children in each room (default: 0)"),
      rooms: integerFlag("rooms", "Rooms of each listing (default: 1)"),
      remarks: textFlag("message", "Message of the guest (default: none)"),
      ...channelOperatorFlags
    }
  },
  ({ listing, optional, ...fields }) =>
    runOrderAction("book", decodeBookingRequest, (market, payload) => market.bookOrder(payload), "is booked", {
      listing_id: listing,
      ...fields,
      ...toProvidedFields(optional)
    })
).pipe(
  Command.withDescription("Book a listing as a guest; fails if the calendar does not sell the dates"),
  Command.withExamples([
    {
      command: "latchkey sandbox book --listing 300-77 --check-in 2027-06-07 --check-out 2027-06-09 --guest 'Ana Reis'",
      description: "Book two nights"
    }
  ])
)

export const changeCommand = Command.make(
  "change",
  {
    order: orderArgument,
    optional: {
      check_in_date: textFlag("check-in", "New check-in date, YYYY-MM-DD (default: unchanged)"),
      check_out_date: textFlag("check-out", "New check-out date, YYYY-MM-DD (default: unchanged)"),
      listing_id: textFlag("listing", "New listing_ids separated by commas, one room each (default: unchanged)"),
      adults: integerFlag("adults", "Adults in each room (default: unchanged)"),
      ...channelOperatorFlags
    }
  },
  ({ order, optional }) =>
    runOrderAction("change", decodeChangeRequest, (market, payload) => market.changeOrder(payload), "is changed", {
      order_id: order,
      ...toProvidedFields(optional)
    })
).pipe(Command.withDescription("Change the dates or the rooms of an order as its guest"))

const makeOrderCommand = (
  name: "cancel" | "timeout",
  outcome: string,
  action: OrderAction<Parameters<Marketplace["Service"]["cancelOrder"]>[0]>,
  description: string
) =>
  Command.make(name, { order: orderArgument, optional: channelOperatorFlags }, ({ order, optional }) =>
    runOrderAction(name, decodeOrderRequest, action, outcome, { order_id: order, ...toProvidedFields(optional) })
  ).pipe(Command.withDescription(description))

export const cancelCommand = makeOrderCommand(
  "cancel",
  "is cancelled",
  (market, payload) => market.cancelOrder(payload),
  "Cancel an order as its guest"
)
export const timeoutCommand = makeOrderCommand(
  "timeout",
  "has timed out",
  (market, payload) => market.timeOutOrder(payload),
  "Time out an order that waits for approval or payment"
)

const makePaymentCommand = (name: "pay" | "refund", outcome: string, description: string) =>
  Command.make(
    name,
    {
      order: orderArgument,
      optional: {
        amount: amountFlag("amount", "Amount in major units (default: the whole balance)"),
        ...channelOperatorFlags
      }
    },
    ({ order, optional }) =>
      runOrderAction(
        name,
        decodeMoneyRequest,
        (market, payload) => (name === "pay" ? market.payOrder(payload) : market.refundOrder(payload)),
        outcome,
        {
          order_id: order,
          ...toProvidedFields(optional)
        }
      )
  ).pipe(Command.withDescription(description))

export const payCommand = makePaymentCommand("pay", "is paid", "Pay an order as its guest")
export const refundCommand = makePaymentCommand("refund", "is paid back", "Refund the guest of an order")
