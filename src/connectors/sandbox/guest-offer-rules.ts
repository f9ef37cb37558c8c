import { Result } from "effect"
import { NotFound } from "../../contract/errors.ts"
import type { OfferStatus, OfferType } from "../../domain/channels/port/channel-events.ts"
import { findCancellationPolicy, priceRoom } from "./guest-order-rules.ts"
import { assignBookingThread } from "./guest-thread-rules.ts"
import { requireListing, takeOfferedRoom } from "./marketplace-snapshot.ts"
import { computeOfferStatus, toRoomRequest, withOfferGuests, withOfferStatus } from "./offers.ts"
import { createOrder, priceRoomAt, toRoomId } from "./order-transitions.ts"
import { computeGuestActionDueTime } from "./outbox-due-times.ts"
import type { SandboxOffer, SandboxThread } from "./rows.ts"
import { failConflict, type RuleResult, type SandboxOrderView, toOrderView } from "./rule-results.ts"
import { type RuleContext, type RuleOutcome, toOfferOutboxEvent, toOrderOutboxEvent } from "./rule-runner.ts"

export interface SandboxOfferView {
  readonly offer_id: string
  readonly thread_id: string
  readonly operator_id: number
  readonly account_id: number
  readonly channel_type: string
  readonly offer_type: OfferType
  readonly status: OfferStatus
  readonly price: number
  readonly currency: string
}

const toOfferView = ({ snapshot: { account } }: RuleContext, { said, status }: SandboxOffer): SandboxOfferView => ({
  offer_id: said.offer_id,
  thread_id: said.thread_id,
  operator_id: account.operator_id,
  account_id: account.account_id,
  channel_type: account.channel_type,
  offer_type: said.offer_type,
  status,
  price: said.price,
  currency: said.currency
})

interface OfferInThread {
  readonly offer: SandboxOffer
  readonly thread: SandboxThread
}

const requireOffer = ({ offer, thread }: RuleContext): RuleResult<OfferInThread> =>
  offer === undefined || thread === undefined
    ? Result.fail(new NotFound({ message: "offer_id: no such offer." }))
    : Result.succeed({ offer, thread })

const requireActiveOffer = (context: RuleContext): RuleResult<OfferInThread> =>
  Result.flatMap(requireOffer(context), (offerInThread) => {
    const status = computeOfferStatus(offerInThread.offer, context.snapshot.now)
    return status === "active" ? Result.succeed(offerInThread) : failConflict(`offer_id: the offer is ${status}.`)
  })

/** Books a special offer at its own price, and a pre-approval at the current price. */
export const acceptOfferRule =
  (orderId: string) =>
  (context: RuleContext): RuleResult<RuleOutcome<SandboxOrderView>> =>
    Result.gen(function* () {
      const { offer, thread } = yield* requireActiveOffer(context)
      const { account, now } = context.snapshot
      const request = toRoomRequest(offer)
      const { changedDays } = yield* takeOfferedRoom(context.snapshot, request)
      const { listing } = yield* requireListing(context.snapshot, request.listing_id)
      const room =
        offer.said.offer_type === "preapproval"
          ? yield* priceRoom(context.snapshot, request, toRoomId(1))
          : priceRoomAt(offer.said.price, account.channel_type, listing, request, toRoomId(1))
      const { guest } = thread.said
      const booking = yield* assignBookingThread(context, guest, {
        threadId: thread.thread_id,
        isThreadLimitReached: false
      })
      const order = createOrder(
        {
          orderId,
          instant: true,
          currency: listing.currency,
          booker: guest,
          remarks: undefined,
          policy: findCancellationPolicy(context.snapshot, listing),
          threadId: thread.thread_id,
          rooms: [withOfferGuests(room, offer)]
        },
        now
      )
      const acceptedOffer = withOfferStatus(offer, "accepted")
      const dueAt = computeGuestActionDueTime(now)
      const write = {
        threads: [{ before: thread, after: booking.thread }],
        order: { before: undefined, after: order },
        offers: [acceptedOffer],
        days: Array.from(changedDays.values()),
        outboxEvents: [
          ...booking.write.outboxEvents,
          toOrderOutboxEvent(order, dueAt),
          toOfferOutboxEvent(acceptedOffer, dueAt)
        ]
      }
      return { write, answer: toOrderView(context, order, 0n) }
    })

const endOffer = (
  context: RuleContext,
  { offer, thread }: OfferInThread,
  status: OfferStatus
): RuleOutcome<SandboxOfferView> => {
  const after = withOfferStatus(offer, status)
  const outboxEvents = [toOfferOutboxEvent(after, computeGuestActionDueTime(context.snapshot.now))]
  return {
    write: { threads: [{ before: thread, after: thread }], offers: [after], outboxEvents },
    answer: toOfferView(context, after)
  }
}

export const declineOfferRule = (context: RuleContext): RuleResult<RuleOutcome<SandboxOfferView>> =>
  Result.map(requireActiveOffer(context), (offerInThread) => endOffer(context, offerInThread, "declined"))

export const expireOfferRule = (context: RuleContext): RuleResult<RuleOutcome<SandboxOfferView>> =>
  Result.flatMap(requireOffer(context), (offerInThread) =>
    offerInThread.offer.status === "active" &&
    computeOfferStatus(offerInThread.offer, context.snapshot.now) === "expired"
      ? Result.succeed(endOffer(context, offerInThread, "expired"))
      : failConflict(`offer_id: the offer is ${offerInThread.offer.status}.`)
  )
