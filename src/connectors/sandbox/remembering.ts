import { Effect, Result } from "effect"
import { NotFound } from "../../contract/errors.ts"
import type { OfferThere } from "../../domain/channels/port/connector.ts"
import { instantSaid } from "../../domain/channels/port/heard.ts"
import type { OrderSaid, ReviewSaid } from "../../domain/channels/port/said.ts"
import { Books } from "./Books.ts"
import { dayOf, sold } from "./calendar.ts"
import {
  type Becomes,
  type Found,
  makeChanging,
  messageWord,
  offerWord,
  orderWord,
  reviewWord,
  threadWord
} from "./changing.ts"
import { saidWithAct } from "./due.ts"
import { makeFinding } from "./finding.ts"
import { orderWithin } from "./moving.ts"
import { newOffer } from "./offers.ts"
import { holds } from "./order.ts"
import { reviewWith } from "./reviews.ts"
import type { Message, Order } from "./rows.ts"
import { type Scene, withDays } from "./scene.ts"
import { nightsOf } from "./selling.ts"
import { Telling } from "./Telling.ts"
import { type Guest, type Inquiry, newThread, type Written, withMessage } from "./threads.ts"

// What the marketplace has had all along: orders, threads and reviews are in its books as they stand, whatever its calendar
// sells today.

/** The nights of the order's rooms are sold. */
const soldIn = (scene: Scene, { rooms }: OrderSaid): Scene =>
  rooms.reduce((before, { listing_id, check_in_date, check_out_date }) => {
    const listing = before.listings.get(listing_id)
    if (listing === undefined) return before
    const days = before.days.get(listing_id) ?? new Map()
    const nights = nightsOf({ checkIn: check_in_date, checkOut: check_out_date })
    return withDays(
      before,
      listing_id,
      nights.map((night) => sold(dayOf(listing, days, night)))
    )
  }, scene)

/** The order as it stands; one that is in the books stays as it is. */
export const remembering =
  (said: OrderSaid) =>
  ({ scene, order }: Found): Result.Result<Becomes<void>> => {
    if (order !== undefined) return Result.succeed({ answer: undefined })
    const after: Order = {
      order_id: said.channel_id,
      version: said.version,
      status: said.status,
      answer: null,
      expires_at: typeof said.expires_at === "string" ? instantSaid(said.expires_at) : null,
      said,
      booked_at: instantSaid(said.booked_at)
    }
    const days = holds(said.status) ? Array.from(soldIn(scene, said).changed.values()) : []
    const words = [orderWord(after, saidWithAct(scene.now))]
    return Result.succeed({ writing: { order: { before: undefined, after }, days, words }, answer: undefined })
  }

/** A thread that there has been all along, of a guest who has no other. */
export interface RememberedThread {
  readonly threadId: string
  readonly guest: Guest
  readonly inquiry: Inquiry
  readonly messages: ReadonlyArray<Written & { readonly at: Date }>
  readonly offers: ReadonlyArray<
    OfferThere & { readonly offerId: string; readonly currency: string; readonly at: Date }
  >
}

/** What an account has had all along. */
export interface Remembered {
  readonly threads: ReadonlyArray<RememberedThread>
  readonly orders: ReadonlyArray<OrderSaid>
  readonly reviews: ReadonlyArray<Omit<ReviewSaid, "type" | "version">>
}

const threadOf = ({ threadId, guest, inquiry, messages, offers }: RememberedThread, now: Date) => {
  const [first] = messages
  const written: Array<Message> = []
  let thread = newThread(threadId, guest, first?.at ?? now, inquiry)
  for (const each of messages) {
    const { thread: after, message } = withMessage(thread, each, each.at)
    thread = after
    written.push(message)
  }
  return {
    thread: { ...thread, offers: offers.length },
    messages: written,
    offers: offers.map(({ offerId, currency, at, ...offered }) =>
      newOffer(offerId, offered, { price: offered.price ?? 0, currency }, at)
    )
  }
}

/** All of them in one writing. */
const rememberingThreads =
  (given: ReadonlyArray<RememberedThread>) =>
  ({ scene: { now } }: Found): Result.Result<Becomes<void>> => {
    const due = saidWithAct(now)
    const all = given.map((each) => threadOf(each, now))
    const messages = all.flatMap((each) => each.messages)
    const offers = all.flatMap((each) => each.offers)
    const words = [
      ...all.map(({ thread }) => threadWord(thread, due)),
      ...messages.map((message) => messageWord(message, due)),
      ...offers.map((offer) => offerWord(offer, due))
    ]
    const threads = all.map(({ thread }) => ({ before: undefined, after: thread }))
    return Result.succeed({ writing: { threads, messages, offers, words }, answer: undefined })
  }

/** What was said of the stay; a review that is in the books stays as it is. */
const rememberingReview =
  ({ channel_id: _order, ...parts }: Remembered["reviews"][number]) =>
  ({ scene: { now }, order, review }: Found): Result.Result<Becomes<void>> => {
    if (order === undefined || review !== undefined) return Result.succeed({ answer: undefined })
    const after = reviewWith(order, undefined, parts)
    const words = [reviewWord(after, saidWithAct(now))]
    return Result.succeed({ writing: { reviews: [after], words }, answer: undefined })
  }

/** Orders between two tellings: what one telling can tell of an account. */
const TOLD_TOGETHER = 100
/** Tellings at the end: messages of a thread are told one after the other. */
const LAST_TELLINGS = 50

/** Puts what an account has had all along into the books and tells the service of it. */
export const makeRemember = Effect.gen(function* () {
  const books = yield* Books
  const finding = yield* makeFinding
  const apply = yield* makeChanging
  const telling = yield* Telling
  return Effect.fnUntraced(function* (accountId: number, { threads, orders, reviews }: Remembered) {
    const account = yield* finding.accountOf(accountId)
    if (account === undefined) {
      return yield* new NotFound({ message: "channel_account_id: the sandbox has no such account." })
    }
    const known = yield* books.knownThreads(
      account,
      threads.map(({ threadId }) => threadId)
    )
    const unknown = threads.filter(({ threadId }) => !known.has(threadId))
    if (unknown.length > 0) yield* apply(account, {}, rememberingThreads(unknown))
    for (const [at, said] of orders.entries()) {
      const listings = said.rooms.map(({ listing_id }) => listing_id)
      const dates = said.rooms.flatMap(({ check_in_date, check_out_date }) => [check_in_date, check_out_date])
      yield* apply(account, orderWithin(said.channel_id, listings, dates), remembering(said))
      if (at % TOLD_TOGETHER === TOLD_TOGETHER - 1) yield* telling.tell(account)
    }
    for (const review of reviews) {
      yield* apply(account, { orderId: review.channel_id, reviews: true }, rememberingReview(review))
    }
    for (let left = LAST_TELLINGS; left > 0; left--) {
      if (!(yield* telling.tell(account))) return
    }
  })
})
