import { Context, DateTime, Effect, Layer } from "effect"
import { BadRequest, type Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { SANDBOX_ORDERS } from "../../platform/limits.ts"
import { Accounts } from "./Accounts.ts"
import {
  type BookAsked,
  type ChangeAsked,
  guestIn,
  type InquireAsked,
  type MoneyAsked,
  type MoodAsked,
  namesIn,
  type OfferAsked,
  type OpenAsked,
  type OrderAsked,
  type ReviewAsked,
  readBook,
  readChange,
  readMoney,
  readMoodAsked,
  readOrder,
  USUAL_ADULTS,
  type WriteAsked
} from "./asked.ts"
import { Books } from "./Books.ts"
import type { Rule } from "./changing.ts"
import { makeFinding } from "./finding.ts"
import { booking, cancelling, changing, lettingTimeOut, moving } from "./guest-acts.ts"
import type { OrderSeen } from "./judging.ts"
import { type Heard, makeMoving, makeNewcomer, orderWithin } from "./moving.ts"
import { drawOrderName, drawPaymentName } from "./names.ts"
import type { OfferSeen } from "./offer-acts.ts"
import { makeOpen, type Opened } from "./opening.ts"
import type { RoomAsked } from "./order.ts"
import { makeRemember, type Remembered } from "./remembering.ts"
import type { ReviewSeen } from "./review-acts.ts"
import type { Refusal } from "./scene.ts"
import { Telling } from "./Telling.ts"
import { makeTalking } from "./talking.ts"
import type { MessageSeen } from "./thread-acts.ts"
import { guestKey } from "./threads.ts"

export type Refused = Refusal | BadRequest

/** An order after an act, and what the service answered when it was told: null if it was not heard yet. */
export type Moved = Heard<OrderSeen>

type Act<Asked, Seen = OrderSeen> = (asked: Asked) => Effect.Effect<Heard<Seen>, Refused>

/** What guests do. Each act is in the books before the service is told of it, and it is told until it has heard it. */
export class Marketplace extends Context.Service<
  Marketplace,
  {
    readonly book: Act<typeof BookAsked.Encoded>
    /** Other dates or other rooms. */
    readonly change: Act<typeof ChangeAsked.Encoded>
    readonly pay: Act<typeof MoneyAsked.Encoded>
    readonly refund: Act<typeof MoneyAsked.Encoded>
    readonly cancel: Act<typeof OrderAsked.Encoded>
    /** What waits for an answer or a payment waits no longer. */
    readonly timeOut: Act<typeof OrderAsked.Encoded>
    /** A guest asks about nights: a new thread, unless he has one. */
    readonly inquire: Act<typeof InquireAsked.Encoded, MessageSeen>
    readonly write: Act<typeof WriteAsked.Encoded, MessageSeen>
    /** What was offered is booked. */
    readonly acceptOffer: Act<typeof OfferAsked.Encoded>
    readonly declineOffer: Act<typeof OfferAsked.Encoded, OfferSeen>
    readonly review: Act<typeof ReviewAsked.Encoded, ReviewSeen>
    /** Opens a listing, and the account it is in unless that is there. */
    readonly open: (asked: typeof OpenAsked.Encoded) => Effect.Effect<Opened, Refused>
    /** Puts what an account has had all along into the books, as it stands. */
    readonly remember: (accountId: number, remembered: Remembered) => Effect.Effect<void, NotFound | Conflict>
    /** How an account answers from now on. */
    readonly mood: (asked: typeof MoodAsked.Encoded) => Effect.Effect<typeof MoodAsked.Type, Refused>
  }
>()("latchkey/sandbox/Marketplace") {
  static readonly layer = Layer.effect(
    Marketplace,
    Effect.gen(function* () {
      const { named, moved } = yield* makeMovingOrders
      const money = (kind: "payment" | "refund") =>
        Effect.fnUntraced(function* (input: typeof MoneyAsked.Encoded) {
          const asked = yield* readMoney(input)
          const account = yield* named(asked)
          const paymentId = yield* drawPaymentName
          return yield* moved(account, { orderId: asked.order_id }, moving(kind, { paymentId, amount: asked.amount }))
        })
      const simple = (rule: Rule<OrderSeen, Refusal>) =>
        Effect.fnUntraced(function* (input: typeof OrderAsked.Encoded) {
          const asked = yield* readOrder(input)
          return yield* moved(yield* named(asked), { orderId: asked.order_id }, rule)
        })
      return {
        book: yield* makeBook,
        change: Effect.fnUntraced(function* (input) {
          const asked = yield* readChange(input)
          if (CHANGES.every((name) => asked[name] === undefined)) return yield* nothingToChange
          const listings = asked.listing_id === undefined ? undefined : namesIn(asked.listing_id)
          const change = {
            checkIn: asked.check_in_date,
            checkOut: asked.check_out_date,
            listings,
            adults: asked.adults
          }
          const days = [asked.check_in_date, asked.check_out_date].filter((day) => day !== undefined)
          const about = orderWithin(asked.order_id, listings ?? [], days)
          return yield* moved(yield* named(asked), about, changing(change))
        }),
        pay: money("payment"),
        refund: money("refund"),
        cancel: simple(cancelling),
        timeOut: simple(lettingTimeOut),
        ...(yield* makeTalking),
        open: yield* makeOpen,
        remember: yield* makeRemember,
        mood: yield* makeMood
      }
    })
  )
}

const CHANGES = ["check_in_date", "check_out_date", "listing_id", "adults"] as const

const nothingToChange = new BadRequest({ message: `Send at least one of these fields: ${CHANGES.join(", ")}.` })

/** How an order is moved: found by its name, changed by a rule, told. */
const makeMovingOrders = Effect.gen(function* () {
  const finding = yield* makeFinding
  const { orderMoved } = yield* makeMoving
  return {
    named: (asked: OrderAsked) => finding.order(asked.order_id, asked),
    moved: orderMoved
  }
})

const makeBook = Effect.gen(function* () {
  const finding = yield* makeFinding
  const books = yield* Books
  const newcomerAt = yield* makeNewcomer
  const { orderMoved } = yield* makeMoving
  return Effect.fnUntraced(function* (input: typeof BookAsked.Encoded) {
    const asked = yield* readBook(input)
    const names = namesIn(asked.listing_id)
    const [first] = names
    if (first === undefined) return yield* new BadRequest({ message: "listing_id: is required." })
    const account = yield* finding.listing(first, asked)
    if ((yield* books.orderCount(account)) >= SANDBOX_ORDERS) return yield* noMoreOrders
    const orderId = yield* drawOrderName(account.channel_type)
    const newcomer = yield* newcomerAt(account)
    const booker = guestIn(asked)
    const rule = booking({ orderId, rooms: roomsOf(asked, names), booker, remarks: asked.remarks, ...newcomer })
    const about = orderWithin(orderId, names, [asked.check_in_date, asked.check_out_date])
    return yield* orderMoved(account, { ...about, thread: { guest: guestKey(booker) } }, rule)
  })
})

const noMoreOrders = new ValidationFailed({
  message: `listing_id: an account of the sandbox keeps at most ${SANDBOX_ORDERS} orders.`
})

/** A room of each listing that is named, or so many. */
const roomsOf = (asked: BookAsked, names: ReadonlyArray<string>): ReadonlyArray<RoomAsked> =>
  names.flatMap((listing_id) =>
    Array.from({ length: asked.rooms ?? 1 }, () => ({
      listing_id,
      check_in_date: asked.check_in_date,
      check_out_date: asked.check_out_date,
      adults: asked.adults ?? USUAL_ADULTS,
      children: asked.children ?? 0
    }))
  )

const USUAL_MS = 5_000
const USUAL_REASON = "the channel rejects it"

const makeMood = Effect.gen(function* () {
  const finding = yield* makeFinding
  const accounts = yield* Accounts
  const telling = yield* Telling
  return Effect.fnUntraced(function* (input: typeof MoodAsked.Encoded) {
    const asked = yield* readMoodAsked(input)
    const account = yield* finding.accountOf(asked.channel_account_id)
    if (account === undefined) {
      return yield* new NotFound({ message: "channel_account_id: the sandbox has no such account." })
    }
    const mood = { mood: asked.mood, mood_ms: asked.ms ?? USUAL_MS, mood_reason: asked.reason ?? USUAL_REASON }
    yield* accounts.putMood(account, mood, yield* DateTime.nowAsDate)
    yield* telling.tell(account)
    return { ...asked, ms: mood.mood_ms, reason: mood.mood_reason }
  })
})
