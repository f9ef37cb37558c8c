import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readBook, readChange, readMoney, readOrder, USUAL_ADULTS } from "../../connectors/sandbox/asked.ts"
import type { Marketplace, Moved, Refused } from "../../connectors/sandbox/Marketplace.ts"
import { answer } from "./answer.ts"
import { amount, givenOf, SANDBOX_GUEST, text, whole, whose, withSandbox } from "./sandbox-with.ts"

// What guests of the sandbox do, as commands.

export const inWords =
  (what: string) =>
  ({ order_id, channel_type, status, total, currency, paid, heard }: Moved): string =>
    `Order ${order_id} on ${channel_type} ${what}: ${status}, ${total} ${currency}, ${paid} paid; ingest result: ${heard ?? "pending"}.`

const order = Argument.String("order").pipe(Argument.withDescription("order_id of the channel"))

type Act<Asked> = (market: Marketplace["Service"], asked: Asked) => Effect.Effect<Moved, Refused>

const moving = <Asked>(
  name: string,
  read: (given: unknown) => Effect.Effect<Asked, Refused>,
  act: Act<Asked>,
  what: string,
  given: object
) =>
  answer(
    `sandbox ${name}`,
    withSandbox((market) => Effect.flatMap(read(given), (asked) => act(market, asked))),
    inWords(what)
  )

export const book = Command.make(
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
      guest_phone: text("phone", "Phone number of the guest (default: none)"),
      guest_email: text("email", "E-mail address of the guest (default: none)"),
      adults: whole("adults", `Adults in each room (default: ${USUAL_ADULTS})`),
      children: whole("children", "Children in each room (default: 0)"),
      rooms: whole("rooms", "Rooms of each listing (default: 1)"),
      remarks: text("message", "Message of the guest (default: none)"),
      ...whose
    }
  },
  ({ listing, optional, ...given }) =>
    moving("book", readBook, (market, asked) => market.book(asked), "is booked", {
      listing_id: listing,
      ...given,
      ...givenOf(optional)
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

export const change = Command.make(
  "change",
  {
    order,
    optional: {
      check_in_date: text("check-in", "New check-in date, YYYY-MM-DD (default: unchanged)"),
      check_out_date: text("check-out", "New check-out date, YYYY-MM-DD (default: unchanged)"),
      listing_id: text("listing", "New listing_ids separated by commas, one room each (default: unchanged)"),
      adults: whole("adults", "Adults in each room (default: unchanged)"),
      ...whose
    }
  },
  ({ order, optional }) =>
    moving("change", readChange, (market, asked) => market.change(asked), "is changed", {
      order_id: order,
      ...givenOf(optional)
    })
).pipe(Command.withDescription("Change the dates or the rooms of an order as its guest"))

const simple = (
  name: "cancel" | "timeout",
  what: string,
  act: Act<Parameters<Marketplace["Service"]["cancel"]>[0]>,
  description: string
) =>
  Command.make(name, { order, optional: whose }, ({ order, optional }) =>
    moving(name, readOrder, act, what, { order_id: order, ...givenOf(optional) })
  ).pipe(Command.withDescription(description))

export const cancel = simple(
  "cancel",
  "is cancelled",
  (market, asked) => market.cancel(asked),
  "Cancel an order as its guest"
)
export const timeout = simple(
  "timeout",
  "has timed out",
  (market, asked) => market.timeOut(asked),
  "Time out an order that waits for approval or payment"
)

const money = (name: "pay" | "refund", what: string, description: string) =>
  Command.make(
    name,
    { order, optional: { amount: amount("amount", "Amount in major units (default: the whole balance)"), ...whose } },
    ({ order, optional }) =>
      moving(name, readMoney, (market, asked) => (name === "pay" ? market.pay(asked) : market.refund(asked)), what, {
        order_id: order,
        ...givenOf(optional)
      })
  ).pipe(Command.withDescription(description))

export const pay = money("pay", "is paid", "Pay an order as its guest")
export const refund = money("refund", "is paid back", "Refund the guest of an order")
