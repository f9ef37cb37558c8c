import { Effect } from "effect"
import {
  readBook,
  readChange,
  readInquire,
  readMoney,
  readMoodAsked,
  readOffer,
  readOpen,
  readOrder,
  readReview,
  readWrite
} from "../../connectors/sandbox/asked.ts"
import type { Marketplace, Moved, Refused } from "../../connectors/sandbox/Marketplace.ts"
import type { Form } from "./form.ts"

// The forms of the page: each is an act of the marketplace.

type Act = (form: Form) => Effect.Effect<string, Refused>

/** What the service said of it, in words. */
const heardOf = (heard: string | null): string => {
  if (heard === null) return "the service has not received it yet"
  return heard === "applied" ? "the service applied it" : `the service: ${heard}`
}

const said =
  (what: string) =>
  ({ order_id, status, total, currency, paid, heard }: Moved): string =>
    `Order ${order_id} ${what}: ${status}, ${total} ${currency}, ${paid} paid; ${heardOf(heard)}.`

const written = ({ thread_id, heard }: { readonly thread_id: string; readonly heard: string | null }): string =>
  `Written in thread ${thread_id}; ${heardOf(heard)}.`

const act =
  <Asked, Done>(
    read: (form: unknown) => Effect.Effect<Asked, Refused>,
    does: (asked: Asked) => Effect.Effect<Done, Refused>,
    say: (done: Done) => string
  ): Act =>
  (form) =>
    Effect.map(Effect.flatMap(read(form), does), say)

/** By the last part of their addresses; a form that is sent to the page itself books. */
export const makeActs = (market: Marketplace["Service"]): ReadonlyMap<string, Act> => {
  const book = act(readBook, market.book, said("is booked"))
  return new Map([
    ["", book],
    ["book", book],
    ["change", act(readChange, market.change, said("is changed"))],
    ["pay", act(readMoney, market.pay, said("is paid"))],
    ["refund", act(readMoney, market.refund, said("is paid back"))],
    ["cancel", act(readOrder, market.cancel, said("is cancelled"))],
    ["time-out", act(readOrder, market.timeOut, said("has timed out"))],
    ["inquire", act(readInquire, market.inquire, written)],
    ["write", act(readWrite, market.write, written)],
    ["accept-offer", act(readOffer, market.acceptOffer, said("is booked"))],
    [
      "decline-offer",
      act(
        readOffer,
        market.declineOffer,
        ({ offer_id, status, heard }) => `Offer ${offer_id}: ${status}; ${heardOf(heard)}.`
      )
    ],
    [
      "review",
      act(
        readReview,
        market.review,
        ({ order_id, score, heard }) => `The guest of order ${order_id} gives it ${score} of 5; ${heardOf(heard)}.`
      )
    ],
    [
      "mood",
      act(readMoodAsked, market.mood, ({ channel_account_id, mood }) => `Account ${channel_account_id} now: ${mood}.`)
    ],
    [
      "open",
      act(
        readOpen,
        market.open,
        ({ channel_type, listing_id, heard }) => `Listing ${listing_id} is open on ${channel_type}; ${heardOf(heard)}.`
      )
    ]
  ])
}
