import { Effect, Result } from "effect"
import { Conflict } from "../../contract/errors.ts"
import { currentSecond } from "../../contract/time.ts"
import { asRead } from "../../platform/database/optimistic.ts"
import { Books, type Word, type Writing } from "./Books.ts"
import { daysOf } from "./calendar.ts"
import type { OfferNamed, ThreadNamed } from "./reading-threads.ts"
import type { Listing, Message, Offer, Order, Payment, Review, SandboxAccount, Thread } from "./rows.ts"
import type { Scene } from "./scene.ts"
import type { Nights } from "./selling.ts"
import { threadOfOrder } from "./threads.ts"

// The one way in which the marketplace changes: what an act is about is read, a pure rule says what becomes of it, and that is
// written if everything is still as it was read; else again from the start.

/** How often without queueing with others that meet such trouble, and then. */
const FREE_ATTEMPTS = 3
const QUEUED_ATTEMPTS = 30

const busy = new Conflict({ message: "The listing is being changed by other calls; try again." })

/** What an act is about, beside what its order names. */
export interface About {
  readonly orderId?: string
  readonly listings?: ReadonlyArray<string>
  /** The first and the last day it looks at. */
  readonly days?: { readonly start: string; readonly end: string }
  /** The listing whose nights it is about that the host's calendar cannot know to be taken. */
  readonly unheardOf?: string
  /** The thread it is in; that of the order, or of its guest if the order says none. */
  readonly thread?: ThreadNamed | "of the order"
  /** An offer in the thread, or one that may be there. */
  readonly offer?: OfferNamed
  /** A message that may have been sent before under that name of the service. */
  readonly sentAs?: string
  /** Whether it is about the reviews of the order. */
  readonly reviews?: true
}

export interface Found {
  readonly scene: Scene
  /** Undefined where none was named, or there is no such. */
  readonly order: Order | undefined
  readonly payments: ReadonlyArray<Payment>
  readonly unheard: ReadonlyArray<Nights>
  readonly thread: Thread | undefined
  readonly offer: Offer | undefined
  readonly message: Message | undefined
  readonly review: Review | undefined
}

/** What becomes of it, and what is answered. Without `writing` nothing is changed. */
export interface Becomes<A> {
  readonly writing?: Omit<Writing, "listings">
  readonly answer: A
}

export type Rule<A, E> = (found: Found) => Result.Result<Becomes<A>, E>

/** The day before the first and after the last are looked at too: restrictions of a departure are on its own day. */
const spanOf = (
  about: About,
  stays: ReadonlyArray<Dates>
): { readonly start: string; readonly end: string } | undefined => {
  const starts = [...stays.map((stay) => stay.check_in_date), ...(about.days === undefined ? [] : [about.days.start])]
  const ends = [...stays.map((stay) => stay.check_out_date), ...(about.days === undefined ? [] : [about.days.end])]
  const [start] = starts.toSorted()
  const end = ends.toSorted().at(-1)
  return start === undefined || end === undefined ? undefined : { start, end }
}

interface Dates {
  readonly listing_id: string
  readonly check_in_date: string
  readonly check_out_date: string
}

/** The thread before what is in it: of what changed in between its revision is another one. */
const talkSeen = Effect.fnUntraced(function* (
  books: Books["Service"],
  account: SandboxAccount,
  { thread: named, offer, sentAs }: About,
  order: Order | undefined
) {
  const name = named === "of the order" ? order && threadOfOrder(order.said) : named
  return {
    thread: name === undefined ? undefined : yield* books.thread(account, name),
    offer: offer === undefined ? undefined : yield* books.offer(account, offer),
    message: sentAs === undefined ? undefined : yield* books.message(account, sentAs)
  }
})

const seen = Effect.fnUntraced(function* (books: Books["Service"], account: SandboxAccount, about: About) {
  const { orderId } = about
  const order = orderId === undefined ? undefined : yield* books.order(account, orderId)
  const talk = yield* talkSeen(books, account, about, order)
  const stays: ReadonlyArray<Dates> = [
    ...(order?.said.rooms ?? []),
    ...(talk.offer === undefined ? [] : [talk.offer.said])
  ]
  const names = new Set([...(about.listings ?? []), ...stays.map(({ listing_id }) => listing_id)])
  // The revisions before the days, payments and reviews: of what changed in between the revision is another one.
  const listings = yield* books.listings(account, Array.from(names))
  const payments = order === undefined ? [] : yield* books.payments(account, order.order_id)
  const review =
    order === undefined || about.reviews === undefined ? undefined : yield* books.review(account, order.order_id)
  const span = spanOf(about, stays)
  const days = span === undefined ? [] : yield* books.days(account, Array.from(names), span.start, span.end)
  const unheard = about.unheardOf === undefined ? [] : yield* books.unheard(account, about.unheardOf)
  const scene: Scene = {
    account,
    listings: new Map(listings.map((listing) => [listing.listing_id, listing])),
    days: new Map(listings.map((listing) => [listing.listing_id, daysOf(listing, days)])),
    changed: new Map(),
    now: yield* currentSecond
  }
  return { scene, order, payments, unheard, ...talk, review }
})

/** A refusal writes nothing that would hold only while all is as it was read: it may be of nights that the offer itself took. */
const offerMoved = Effect.fnUntraced(function* (
  books: Books["Service"],
  account: SandboxAccount,
  { offer: named }: About,
  { offer: before }: Found
) {
  return named !== undefined && (yield* books.offer(account, named))?.version !== before?.version
})

export const makeChanging = Effect.gen(function* () {
  const books = yield* Books
  return <A, E>(account: SandboxAccount, about: About, rule: Rule<A, E>): Effect.Effect<A, E | Conflict> => {
    const attempt = Effect.gen(function* () {
      const found = yield* seen(books, account, about)
      const judged = rule(found)
      if (Result.isFailure(judged) && (yield* offerMoved(books, account, about, found))) return undefined
      const { writing, answer } = yield* Effect.fromResult(judged)
      if (writing === undefined) return { answer }
      const listings = Array.from(found.scene.listings.values())
      return (yield* books.write(account, { ...writing, listings })) ? { answer } : undefined
    })
    const free = asRead(FREE_ATTEMPTS, stale)(attempt)
    const queued = books.inTurn(asRead(QUEUED_ATTEMPTS, busy)(attempt))
    return Effect.map(
      Effect.catchIf(
        free,
        (error): error is typeof stale => error === stale,
        () => queued
      ),
      ({ answer }) => answer
    )
  }
})
export type Changing = Effect.Success<typeof makeChanging>

/** It was read anew too often. */
const stale = { _tag: "Stale" } as const

/** What is told of an order, from `due` on. */
export const orderWord = (order: Order, due: Date): Word => ({
  kind: "order",
  subject: order.order_id,
  version: order.version,
  said: order.said,
  due_at: due
})

/** What is told of a listing. The settings of a channel that cannot be asked for them come with it. */
export const listingWord = (listing: Listing, withSettings: boolean, due: Date): Word => ({
  kind: "listing",
  subject: listing.listing_id,
  version: listing.version,
  said: {
    type: "listing",
    version: listing.version,
    listing_id: listing.listing_id,
    title: listing.title,
    currency: listing.currency,
    inventory: listing.rooms,
    shelf_status: "on",
    metadata: { instant_booking: listing.instant, sandbox: true },
    ...(withSettings ? { price_and_rules: listing.settings } : {})
  },
  due_at: due
})

export const threadWord = (thread: Thread, due: Date): Word => ({
  kind: "thread",
  subject: thread.thread_id,
  version: thread.version,
  said: thread.said,
  due_at: due
})

/** Messages of a thread are told in their order (Telling.ts), so each says its number. */
export const messageWord = ({ number, said }: Message, due: Date): Word => ({
  kind: "message",
  subject: said.message_id,
  version: number,
  said,
  due_at: due
})

export const offerWord = (offer: Offer, due: Date): Word => ({
  kind: "offer",
  subject: offer.offer_id,
  version: offer.version,
  said: offer.said,
  due_at: due
})

export const reviewWord = (review: Review, due: Date): Word => ({
  kind: "review",
  subject: review.order_id,
  version: review.version,
  said: review.said,
  due_at: due
})
