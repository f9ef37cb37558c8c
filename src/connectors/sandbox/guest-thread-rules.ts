import { Result } from "effect"
import { NotFound } from "../../contract/errors.ts"
import { SANDBOX_MESSAGES_MAX, SANDBOX_THREADS_MAX } from "../../platform/limits.ts"
import { checkDates, requireListing } from "./marketplace-snapshot.ts"
import { assignThread, type RoomRequest } from "./order-transitions.ts"
import { computeGuestActionDueTime } from "./outbox-due-times.ts"
import type { SandboxMessage, SandboxThread } from "./rows.ts"
import { failConflict, failValidation, type RuleResult } from "./rule-results.ts"
import {
  type RuleContext,
  type RuleOutcome,
  toMessageOutboxEvent,
  toOrderOutboxEvent,
  toThreadOutboxEvent
} from "./rule-runner.ts"
import type { SandboxWrite } from "./SandboxRepository.ts"
import { appendMessage, createThread, type ThreadGuest, withInquiry } from "./threads.ts"

export interface SandboxMessageView {
  readonly thread_id: string
  readonly message_id: string
  readonly operator_id: number
  readonly account_id: number
  readonly channel_type: string
  readonly guest_name: string
}

const toMessageView = (
  { snapshot: { account } }: RuleContext,
  thread: SandboxThread,
  { said }: SandboxMessage
): SandboxMessageView => ({
  thread_id: thread.thread_id,
  message_id: said.message_id,
  operator_id: account.operator_id,
  account_id: account.account_id,
  channel_type: account.channel_type,
  guest_name: thread.said.guest.name
})

export interface NewThreadSlot {
  readonly threadId: string
  readonly isThreadLimitReached: boolean
}

/** Returns the booker's thread and ends its inquiry, or creates a thread. */
export const assignBookingThread = (
  { thread, snapshot: { now } }: RuleContext,
  booker: ThreadGuest,
  { threadId, isThreadLimitReached }: NewThreadSlot
): RuleResult<{ readonly thread: SandboxThread; readonly write: Pick<SandboxWrite, "threads" | "outboxEvents"> }> => {
  if (thread === undefined && isThreadLimitReached) return failThreadLimit("guest_name")
  const after = thread === undefined ? createThread(threadId, booker, now) : withInquiry(thread, null)
  const write =
    after === thread
      ? { outboxEvents: [] }
      : {
          threads: [{ before: thread, after }],
          outboxEvents: [toThreadOutboxEvent(after, computeGuestActionDueTime(now))]
        }
  return Result.succeed({ thread: after, write })
}

const failThreadLimit = (field: "guest_name" | "order_id") =>
  failValidation(`${field}: an account of the sandbox keeps at most ${SANDBOX_THREADS_MAX} threads.`)

interface GuestMessage {
  readonly text: string
  readonly attachmentUrl: string | undefined
}

const addGuestMessage = (
  context: RuleContext,
  thread: SandboxThread,
  { field, ...guestMessage }: GuestMessage & { readonly field: "thread_id" | "order_id" | "guest_name" },
  bookingWrite: Pick<SandboxWrite, "order" | "outboxEvents">
) => {
  if (thread.messages >= SANDBOX_MESSAGES_MAX) {
    return failConflict(`${field}: a thread of the sandbox has at most ${SANDBOX_MESSAGES_MAX} messages.`)
  }
  const { now } = context.snapshot
  const { thread: after, message } = appendMessage(thread, { sender: "guest", ...guestMessage }, now)
  const outboxEvents = [...bookingWrite.outboxEvents, toMessageOutboxEvent(message, computeGuestActionDueTime(now))]
  const write = { ...bookingWrite, threads: [{ before: context.thread, after }], messages: [message], outboxEvents }
  return Result.succeed({ write, answer: toMessageView(context, after, message) })
}

interface InquiryDetails extends NewThreadSlot {
  readonly guest: ThreadGuest
  readonly room: RoomRequest
  readonly guestMessage: GuestMessage
}

/** Also accepts dates that are already sold. */
export const sendInquiryRule =
  ({ guest, room, guestMessage, threadId, isThreadLimitReached }: InquiryDetails) =>
  (context: RuleContext): RuleResult<RuleOutcome<SandboxMessageView>> =>
    Result.gen(function* () {
      yield* requireListing(context.snapshot, room.listing_id)
      yield* checkDates(context.snapshot, room)
      const { adults, children, ...stayDates } = room
      const inquiry = { ...stayDates, number_of_adults: adults, number_of_children: children }
      const { thread: before } = context
      const { now } = context.snapshot
      if (before === undefined && isThreadLimitReached) return yield* failThreadLimit("guest_name")
      const thread = before === undefined ? createThread(threadId, guest, now, inquiry) : withInquiry(before, inquiry)
      return yield* addGuestMessage(
        context,
        thread,
        { field: "guest_name", ...guestMessage },
        { outboxEvents: [toThreadOutboxEvent(thread, computeGuestActionDueTime(now))] }
      )
    })

export const writeMessageRule =
  (guestMessage: GuestMessage) =>
  (context: RuleContext): RuleResult<RuleOutcome<SandboxMessageView>> =>
    context.thread === undefined
      ? Result.fail(new NotFound({ message: "thread_id: no such thread." }))
      : addGuestMessage(context, context.thread, { field: "thread_id", ...guestMessage }, { outboxEvents: [] })

/** Creates a thread for an order that was booked before threads existed. */
export const writeOrderMessageRule =
  (guestMessage: GuestMessage, { threadId, isThreadLimitReached }: NewThreadSlot) =>
  (context: RuleContext): RuleResult<RuleOutcome<SandboxMessageView>> => {
    const message = { field: "order_id", ...guestMessage } as const
    const { order, thread: existingThread } = context
    const { now } = context.snapshot
    if (order === undefined) return Result.fail(new NotFound({ message: "order_id: no such order." }))
    if (existingThread === undefined && isThreadLimitReached) return failThreadLimit("order_id")
    const thread = existingThread ?? createThread(order.said.thread_id ?? threadId, order.said.booker, now)
    const outboxEvents =
      existingThread === undefined ? [toThreadOutboxEvent(thread, computeGuestActionDueTime(now))] : []
    if (typeof order.said.thread_id === "string") return addGuestMessage(context, thread, message, { outboxEvents })
    const after = assignThread(order, thread.thread_id, now)
    return addGuestMessage(context, thread, message, {
      order: { before: order, after },
      outboxEvents: [...outboxEvents, toOrderOutboxEvent(after, computeGuestActionDueTime(now))]
    })
  }
