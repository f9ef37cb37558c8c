import { Effect, Result } from "effect"
import { NotFound } from "../../contract/errors.ts"
import type { ChannelOrderEvent, ChannelReviewEvent } from "../../domain/channels/port/channel-events.ts"
import type { OutboundOffer } from "../../domain/channels/port/connector.ts"
import { parseChannelInstant } from "../../domain/channels/port/event-handling.ts"
import { makeAccountLookup } from "./account-lookup.ts"
import { listNights } from "./bookability.ts"
import { toOrderScope } from "./guest-action-runner.ts"
import { findDay, takeNight } from "./listing-calendar.ts"
import { type MarketplaceSnapshot, withListingDays } from "./marketplace-snapshot.ts"
import { createOffer } from "./offers.ts"
import { holdsNights } from "./order-transitions.ts"
import { computeGuestActionDueTime } from "./outbox-due-times.ts"
import { mergeReview } from "./reviews.ts"
import type { SandboxMessage, SandboxOrder } from "./rows.ts"
import {
  makeRuleRunner,
  type RuleContext,
  type RuleOutcome,
  toMessageOutboxEvent,
  toOfferOutboxEvent,
  toOrderOutboxEvent,
  toReviewOutboxEvent,
  toThreadOutboxEvent
} from "./rule-runner.ts"
import { SandboxOutbox } from "./SandboxOutbox.ts"
import { SandboxRepository } from "./SandboxRepository.ts"
import {
  appendMessage,
  createThread,
  type SandboxMessageDraft,
  type ThreadGuest,
  type ThreadInquiry
} from "./threads.ts"

const sellNights = (initialSnapshot: MarketplaceSnapshot, { rooms }: ChannelOrderEvent): MarketplaceSnapshot =>
  rooms.reduce((snapshot, { listing_id, check_in_date, check_out_date }) => {
    const listing = snapshot.listings.get(listing_id)
    if (listing === undefined) return snapshot
    const days = snapshot.days.get(listing_id) ?? new Map()
    const nights = listNights({ checkIn: check_in_date, checkOut: check_out_date })
    return withListingDays(
      snapshot,
      listing_id,
      nights.map((night) => takeNight(findDay(listing, days, night)))
    )
  }, initialSnapshot)

const importOrderRule =
  (said: ChannelOrderEvent) =>
  ({ snapshot, order }: RuleContext): Result.Result<RuleOutcome<void>> => {
    if (order !== undefined) return Result.succeed({ answer: undefined })
    const after: SandboxOrder = {
      order_id: said.channel_id,
      version: said.version,
      status: said.status,
      answer: null,
      expires_at: typeof said.expires_at === "string" ? parseChannelInstant(said.expires_at) : null,
      said,
      booked_at: parseChannelInstant(said.booked_at)
    }
    const days = holdsNights(said.status) ? Array.from(sellNights(snapshot, said).changedDays.values()) : []
    const outboxEvents = [toOrderOutboxEvent(after, computeGuestActionDueTime(snapshot.now))]
    return Result.succeed({ write: { order: { before: undefined, after }, days, outboxEvents }, answer: undefined })
  }

export interface HistoricThread {
  readonly threadId: string
  readonly guest: ThreadGuest
  readonly inquiry: ThreadInquiry
  readonly messages: ReadonlyArray<SandboxMessageDraft & { readonly sentAt: Date }>
  readonly offers: ReadonlyArray<
    OutboundOffer & { readonly offerId: string; readonly currency: string; readonly createdAt: Date }
  >
}

export interface AccountHistory {
  readonly threads: ReadonlyArray<HistoricThread>
  readonly orders: ReadonlyArray<ChannelOrderEvent>
  readonly reviews: ReadonlyArray<Omit<ChannelReviewEvent, "type" | "version">>
}

const toThreadRecords = ({ threadId, guest, inquiry, messages, offers }: HistoricThread, now: Date) => {
  const [first] = messages
  const messageRecords: Array<SandboxMessage> = []
  let thread = createThread(threadId, guest, first?.sentAt ?? now, inquiry)
  for (const each of messages) {
    const { thread: after, message } = appendMessage(thread, each, each.sentAt)
    thread = after
    messageRecords.push(message)
  }
  return {
    thread: { ...thread, offers: offers.length },
    messages: messageRecords,
    offers: offers.map(({ offerId, currency, createdAt, ...outboundOffer }) =>
      createOffer(offerId, outboundOffer, { price: outboundOffer.price ?? 0, currency }, createdAt)
    )
  }
}

const importThreadsRule =
  (historicThreads: ReadonlyArray<HistoricThread>) =>
  ({ snapshot: { now } }: RuleContext): Result.Result<RuleOutcome<void>> => {
    const dueAt = computeGuestActionDueTime(now)
    const records = historicThreads.map((each) => toThreadRecords(each, now))
    const messages = records.flatMap((each) => each.messages)
    const offers = records.flatMap((each) => each.offers)
    const outboxEvents = [
      ...records.map(({ thread }) => toThreadOutboxEvent(thread, dueAt)),
      ...messages.map((message) => toMessageOutboxEvent(message, dueAt)),
      ...offers.map((offer) => toOfferOutboxEvent(offer, dueAt))
    ]
    const threads = records.map(({ thread }) => ({ before: undefined, after: thread }))
    return Result.succeed({ write: { threads, messages, offers, outboxEvents }, answer: undefined })
  }

const importReviewRule =
  ({ channel_id: _order, ...parts }: AccountHistory["reviews"][number]) =>
  ({ snapshot: { now }, order, review }: RuleContext): Result.Result<RuleOutcome<void>> => {
    if (order === undefined || review !== undefined) return Result.succeed({ answer: undefined })
    const after = mergeReview(order, undefined, parts)
    const outboxEvents = [toReviewOutboxEvent(after, computeGuestActionDueTime(now))]
    return Result.succeed({ write: { reviews: [after], outboxEvents }, answer: undefined })
  }

const ORDERS_PER_FLUSH = 100
/** Several flushes are needed, because the messages of a thread are sent one after another. */
const MAX_FINAL_FLUSHES = 50

export const makeImportHistory = Effect.gen(function* () {
  const repository = yield* SandboxRepository
  const accountLookup = yield* makeAccountLookup
  const runRule = yield* makeRuleRunner
  const outbox = yield* SandboxOutbox
  return Effect.fnUntraced(function* (accountId: number, { threads, orders, reviews }: AccountHistory) {
    const account = yield* accountLookup.byAccountId(accountId)
    if (account === undefined) {
      return yield* new NotFound({ message: "channel_account_id: the sandbox has no such account." })
    }
    const existingIds = yield* repository.findExistingThreads(
      account,
      threads.map(({ threadId }) => threadId)
    )
    const newThreads = threads.filter(({ threadId }) => !existingIds.has(threadId))
    if (newThreads.length > 0) yield* runRule(account, {}, importThreadsRule(newThreads))
    for (const [index, said] of orders.entries()) {
      const listings = said.rooms.map(({ listing_id }) => listing_id)
      const dates = said.rooms.flatMap(({ check_in_date, check_out_date }) => [check_in_date, check_out_date])
      yield* runRule(account, toOrderScope(said.channel_id, listings, dates), importOrderRule(said))
      if (index % ORDERS_PER_FLUSH === ORDERS_PER_FLUSH - 1) yield* outbox.flush(account)
    }
    for (const review of reviews) {
      yield* runRule(account, { orderId: review.channel_id, includesReview: true }, importReviewRule(review))
    }
    for (let left = MAX_FINAL_FLUSHES; left > 0; left--) {
      if (!(yield* outbox.flush(account))) return
    }
  })
})
