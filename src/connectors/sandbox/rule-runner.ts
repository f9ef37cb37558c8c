import { Data, Effect, Result } from "effect"
import { Conflict } from "../../contract/errors.ts"
import { currentSecond } from "../../contract/time.ts"
import { retryOptimistically } from "../../platform/database/optimistic-retry.ts"
import type { SandboxStayDates } from "./bookability.ts"
import { indexDaysByDate } from "./listing-calendar.ts"
import type { MarketplaceSnapshot } from "./marketplace-snapshot.ts"
import type {
  SandboxAccount,
  SandboxListing,
  SandboxMessage,
  SandboxOffer,
  SandboxOrder,
  SandboxPayment,
  SandboxReview,
  SandboxThread
} from "./rows.ts"
import { type OutboxEvent, SandboxRepository, type SandboxWrite } from "./SandboxRepository.ts"
import type { OfferKey, ThreadKey } from "./thread-queries.ts"
import { toOrderThreadKey } from "./threads.ts"

// The one way in which the marketplace changes: what an act is about is read, a pure rule says what becomes of it, and that is
// written if everything is still as it was read; else again from the start.

/** How often without queueing with others that meet such trouble, and then. */
const CONCURRENT_ATTEMPTS = 3
const SERIAL_ATTEMPTS = 30

const listingBusyError = new Conflict({ message: "The listing is being changed by other calls; try again." })

/** What an act is about, beside what its order names. */
export interface RuleScope {
  readonly orderId?: string
  readonly listings?: ReadonlyArray<string>
  /** The first and the last day it looks at. */
  readonly days?: { readonly start: string; readonly end: string }
  /** The listing whose nights it is about that the host's calendar cannot know to be taken. */
  readonly unreportedStaysListingId?: string
  /** The thread it is in; that of the order, or of its guest if the order says none. */
  readonly thread?: ThreadKey | "of the order"
  /** An offer in the thread, or one that may be there. */
  readonly offer?: OfferKey
  /** A message that may have been sent before under that name of the service. */
  readonly hostMessageId?: string
  /** Whether it is about the reviews of the order. */
  readonly includesReview?: true
}

export interface RuleContext {
  readonly snapshot: MarketplaceSnapshot
  /** Undefined where none was named, or there is no such. */
  readonly order: SandboxOrder | undefined
  readonly payments: ReadonlyArray<SandboxPayment>
  readonly unreportedStays: ReadonlyArray<SandboxStayDates>
  readonly thread: SandboxThread | undefined
  readonly offer: SandboxOffer | undefined
  readonly message: SandboxMessage | undefined
  readonly review: SandboxReview | undefined
}

/** What becomes of it, and what is answered. Without `writing` nothing is changed. */
export interface RuleOutcome<A> {
  readonly write?: Omit<SandboxWrite, "listings">
  readonly answer: A
}

export type MarketplaceRule<A, E> = (context: RuleContext) => Result.Result<RuleOutcome<A>, E>

/** The day before the first and after the last are looked at too: restrictions of a departure are on its own day. */
const toDaySpan = (
  scope: RuleScope,
  stays: ReadonlyArray<RoomDates>
): { readonly start: string; readonly end: string } | undefined => {
  const starts = [...stays.map((stay) => stay.check_in_date), ...(scope.days === undefined ? [] : [scope.days.start])]
  const ends = [...stays.map((stay) => stay.check_out_date), ...(scope.days === undefined ? [] : [scope.days.end])]
  const [start] = starts.toSorted()
  const end = ends.toSorted().at(-1)
  return start === undefined || end === undefined ? undefined : { start, end }
}

interface RoomDates {
  readonly listing_id: string
  readonly check_in_date: string
  readonly check_out_date: string
}

/** The thread before what is in it: of what changed in between its revision is another one. */
const loadConversation = Effect.fnUntraced(function* (
  repository: SandboxRepository["Service"],
  account: SandboxAccount,
  { thread: threadKey, offer, hostMessageId }: RuleScope,
  order: SandboxOrder | undefined
) {
  const key = threadKey === "of the order" ? order && toOrderThreadKey(order.said) : threadKey
  return {
    thread: key === undefined ? undefined : yield* repository.findThread(account, key),
    offer: offer === undefined ? undefined : yield* repository.findOffer(account, offer),
    message: hostMessageId === undefined ? undefined : yield* repository.findSentMessage(account, hostMessageId)
  }
})

const loadContext = Effect.fnUntraced(function* (
  repository: SandboxRepository["Service"],
  account: SandboxAccount,
  scope: RuleScope
) {
  const { orderId } = scope
  const order = orderId === undefined ? undefined : yield* repository.findOrder(account, orderId)
  const conversation = yield* loadConversation(repository, account, scope, order)
  const stays: ReadonlyArray<RoomDates> = [
    ...(order?.said.rooms ?? []),
    ...(conversation.offer === undefined ? [] : [conversation.offer.said])
  ]
  const listingIds = new Set([...(scope.listings ?? []), ...stays.map(({ listing_id }) => listing_id)])
  // The revisions before the days, payments and reviews: of what changed in between the revision is another one.
  const listings = yield* repository.findListings(account, Array.from(listingIds))
  const payments = order === undefined ? [] : yield* repository.listPayments(account, order.order_id)
  const review =
    order === undefined || scope.includesReview === undefined
      ? undefined
      : yield* repository.findReview(account, order.order_id)
  const span = toDaySpan(scope, stays)
  const days =
    span === undefined ? [] : yield* repository.findDays(account, Array.from(listingIds), span.start, span.end)
  const unreportedStays =
    scope.unreportedStaysListingId === undefined
      ? []
      : yield* repository.listUnreportedStays(account, scope.unreportedStaysListingId)
  const snapshot: MarketplaceSnapshot = {
    account,
    listings: new Map(listings.map((listing) => [listing.listing_id, listing])),
    days: new Map(listings.map((listing) => [listing.listing_id, indexDaysByDate(listing, days)])),
    changedDays: new Map(),
    now: yield* currentSecond
  }
  return { snapshot, order, payments, unreportedStays, ...conversation, review }
})

/** A refusal writes nothing that would hold only while all is as it was read: it may be of nights that the offer itself took. */
const hasOfferChanged = Effect.fnUntraced(function* (
  repository: SandboxRepository["Service"],
  account: SandboxAccount,
  { offer: offerKey }: RuleScope,
  { offer: before }: RuleContext
) {
  return offerKey !== undefined && (yield* repository.findOffer(account, offerKey))?.version !== before?.version
})

export const makeRuleRunner = Effect.gen(function* () {
  const repository = yield* SandboxRepository
  return <A, E>(
    account: SandboxAccount,
    scope: RuleScope,
    rule: MarketplaceRule<A, E>
  ): Effect.Effect<A, E | Conflict> => {
    const attempt = Effect.gen(function* () {
      const context = yield* loadContext(repository, account, scope)
      const outcome = rule(context)
      if (Result.isFailure(outcome) && (yield* hasOfferChanged(repository, account, scope, context))) return undefined
      const { write, answer } = yield* Effect.fromResult(outcome)
      if (write === undefined) return { answer }
      const listings = Array.from(context.snapshot.listings.values())
      return (yield* repository.applyWrite(account, { ...write, listings })) ? { answer } : undefined
    })
    const concurrent = retryOptimistically(CONCURRENT_ATTEMPTS, new ReadTooStale())(attempt)
    const serial = repository.runSerially(retryOptimistically(SERIAL_ATTEMPTS, listingBusyError)(attempt))
    return Effect.map(
      Effect.catchIf(
        concurrent,
        (error): error is ReadTooStale => error instanceof ReadTooStale,
        () => serial
      ),
      ({ answer }) => answer
    )
  }
})

/** Every attempt found something changed that it had read. */
class ReadTooStale extends Data.TaggedError("ReadTooStale") {}

/** What is told of an order, from `dueAt` on. */
export const toOrderOutboxEvent = (order: SandboxOrder, dueAt: Date): OutboxEvent => ({
  kind: "order",
  subject: order.order_id,
  version: order.version,
  said: order.said,
  due_at: dueAt
})

/** What is told of a listing. The settings of a channel that cannot be asked for them come with it. */
export const toListingOutboxEvent = (listing: SandboxListing, withSettings: boolean, dueAt: Date): OutboxEvent => ({
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
  due_at: dueAt
})

export const toThreadOutboxEvent = (thread: SandboxThread, dueAt: Date): OutboxEvent => ({
  kind: "thread",
  subject: thread.thread_id,
  version: thread.version,
  said: thread.said,
  due_at: dueAt
})

/** Messages of a thread are told in their order (SandboxOutbox.ts), so each says its number. */
export const toMessageOutboxEvent = ({ number, said }: SandboxMessage, dueAt: Date): OutboxEvent => ({
  kind: "message",
  subject: said.message_id,
  version: number,
  said,
  due_at: dueAt
})

export const toOfferOutboxEvent = (offer: SandboxOffer, dueAt: Date): OutboxEvent => ({
  kind: "offer",
  subject: offer.offer_id,
  version: offer.version,
  said: offer.said,
  due_at: dueAt
})

export const toReviewOutboxEvent = (review: SandboxReview, dueAt: Date): OutboxEvent => ({
  kind: "review",
  subject: review.order_id,
  version: review.version,
  said: review.said,
  due_at: dueAt
})
