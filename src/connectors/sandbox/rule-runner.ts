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

// Applies a pure rule to the records, and writes the result if they are unchanged. After a conflict it starts again.
//
// Each write increments the `revision` of its listings and threads. A write with an old revision is a conflict.

const CONCURRENT_ATTEMPTS = 3
const SERIAL_ATTEMPTS = 30

const listingBusyError = new Conflict({ message: "The listing is being changed by other calls; try again." })

/** Records to read, besides those that the order names. */
export interface RuleScope {
  readonly orderId?: string
  readonly listings?: ReadonlyArray<string>
  readonly days?: { readonly start: string; readonly end: string }
  readonly unreportedStaysListingId?: string
  readonly thread?: ThreadKey | "of the order"
  readonly offer?: OfferKey
  readonly hostMessageId?: string
  readonly includesReview?: true
}

export interface RuleContext {
  readonly snapshot: MarketplaceSnapshot
  readonly order: SandboxOrder | undefined
  readonly payments: ReadonlyArray<SandboxPayment>
  readonly unreportedStays: ReadonlyArray<SandboxStayDates>
  readonly thread: SandboxThread | undefined
  readonly offer: SandboxOffer | undefined
  readonly message: SandboxMessage | undefined
  readonly review: SandboxReview | undefined
}

export interface RuleOutcome<A> {
  readonly write?: Omit<SandboxWrite, "listings">
  readonly answer: A
}

export type MarketplaceRule<A, E> = (context: RuleContext) => Result.Result<RuleOutcome<A>, E>

/** Includes the check-out date, because departure restrictions apply to it. */
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

/** The thread is read first, so that its revision reveals later changes of the offer or message. */
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
  // Listings are read first, so that their revisions reveal later changes of days, payments and reviews.
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

/**
 * A rejection writes nothing, so no revision is checked. If the offer changed during the reads, the rule runs again.
 */
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

class ReadTooStale extends Data.TaggedError("ReadTooStale") {}

export const toOrderOutboxEvent = (order: SandboxOrder, dueAt: Date): OutboxEvent => ({
  kind: "order",
  subject: order.order_id,
  version: order.version,
  said: order.said,
  due_at: dueAt
})

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

/** SandboxOutbox sends the messages of a thread in the order of `number`. */
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
