import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readBook, readChange, readMoney, readOrder } from "../../connectors/sandbox/asked.ts"
import type { Marketplace, Moved, Refused } from "../../connectors/sandbox/Marketplace.ts"
import { answer } from "./answer.ts"
import { amount, givenOf, text, whole, whose, withSandbox } from "./sandbox-with.ts"

// What guests of the sandbox do, as commands.

export const inWords =
  (what: string) =>
  ({ order_id, channel_type, status, total, currency, paid, heard }: Moved): string =>
    `Order ${order_id} on ${channel_type} ${what}: ${status}, ${total} ${currency}, ${paid} paid; the service: ${heard ?? "not told yet"}.`

const order = Argument.String("order").pipe(Argument.withDescription("order_id: the channel's own id of the order"))

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
      Flag.withDescription("listing_id; several of one account, separated by commas, are a room each")
    ),
    check_in_date: Flag.String("check-in").pipe(Flag.withDescription("YYYY-MM-DD")),
    check_out_date: Flag.String("check-out").pipe(Flag.withDescription("YYYY-MM-DD")),
    guest_name: Flag.String("guest").pipe(Flag.withDescription("Who books"), Flag.withDefault("Sandbox Guest")),
    optional: {
      guest_phone: text("phone", "Phone of the guest"),
      guest_email: text("email", "E-mail address of the guest"),
      adults: whole("adults", "Adults in each room, 2 unless said"),
      children: whole("children", "Children in each room"),
      rooms: whole("rooms", "So many rooms of each listing"),
      remarks: text("message", "What the guest says"),
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
  Command.withDescription("Book as a guest: refused where the calendar does not sell it"),
  Command.withExamples([
    {
      command: "latchkey sandbox book --listing 300-77 --check-in 2027-06-07 --check-out 2027-06-09 --guest 'Ana Reis'",
      description: "Two nights"
    }
  ])
)

export const change = Command.make(
  "change",
  {
    order,
    optional: {
      check_in_date: text("check-in", "Another day of arrival, YYYY-MM-DD"),
      check_out_date: text("check-out", "Another day of departure, YYYY-MM-DD"),
      listing_id: text("listing", "Other rooms: listing ids separated by commas, a room each"),
      adults: whole("adults", "Adults in each room"),
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
  "Let an order time out now that waits for an answer or a payment"
)

const money = (name: "pay" | "refund", what: string, description: string) =>
  Command.make(
    name,
    { order, optional: { amount: amount("amount", "Major units; all that is left, unless said"), ...whose } },
    ({ order, optional }) =>
      moving(name, readMoney, (market, asked) => (name === "pay" ? market.pay(asked) : market.refund(asked)), what, {
        order_id: order,
        ...givenOf(optional)
      })
  ).pipe(Command.withDescription(description))

export const pay = money("pay", "is paid", "Pay an order as its guest")
export const refund = money("refund", "is paid back", "Give the guest of an order money back")
