import { Result } from "effect"
import { NotFound } from "../../contract/errors.ts"
import { SANDBOX_MESSAGES, SANDBOX_THREADS } from "../../platform/limits.ts"
import type { Writing } from "./Books.ts"
import { type Becomes, type Found, messageWord, orderWord, threadWord } from "./changing.ts"
import { saidWithAct } from "./due.ts"
import { conflict, invalid, type Judged } from "./judging.ts"
import { inThread, type RoomAsked } from "./order.ts"
import type { Message, Thread } from "./rows.ts"
import { listingIn, possible } from "./scene.ts"
import { asking, type Guest, newThread, withMessage } from "./threads.ts"

// What guests write, and what becomes of it: pure rules over what was read.

/** A message as whoever wrote it is told. */
export interface MessageSeen {
  readonly thread_id: string
  readonly message_id: string
  readonly operator_id: number
  readonly account_id: number
  readonly channel_type: string
  readonly guest_name: string
}

const messageSeen = ({ scene: { account } }: Found, thread: Thread, { said }: Message): MessageSeen => ({
  thread_id: thread.thread_id,
  message_id: said.message_id,
  operator_id: account.operator_id,
  account_id: account.account_id,
  channel_type: account.channel_type,
  guest_name: thread.said.guest.name
})

/** What the marketplace knows of a guest who has no thread yet. */
export interface Newcomer {
  /** What a new thread is called. */
  readonly threadId: string
  /** Whether the account has as many threads as it may. */
  readonly isFull: boolean
}

/** The thread that an order of this guest is in: his own, in which nothing is asked any more, else a new one. */
export const bookedIn = (
  { thread, scene: { now } }: Found,
  booker: Guest,
  { threadId, isFull }: Newcomer
): Judged<{ readonly thread: Thread; readonly told: Pick<Writing, "threads" | "words"> }> => {
  if (thread === undefined && isFull) return fullOfThreads("guest_name")
  const after = thread === undefined ? newThread(threadId, booker, now) : asking(thread, null)
  const told =
    after === thread
      ? { words: [] }
      : { threads: [{ before: thread, after }], words: [threadWord(after, saidWithAct(now))] }
  return Result.succeed({ thread: after, told })
}

/** `field`: what the guest who would get a new one was named by. */
const fullOfThreads = (field: "guest_name" | "order_id") =>
  invalid(`${field}: an account of the sandbox keeps at most ${SANDBOX_THREADS} threads.`)

/** What a guest writes: an attachment is somewhere else. */
export interface Letter {
  readonly text: string
  readonly attachmentUrl: string | undefined
}

/** `field`: what the thread was named by. */
const written = (
  found: Found,
  thread: Thread,
  { field, ...letter }: Letter & { readonly field: "thread_id" | "order_id" | "guest_name" },
  told: Pick<Writing, "order" | "words">
) => {
  if (thread.messages >= SANDBOX_MESSAGES) {
    return conflict(`${field}: a thread of the sandbox has at most ${SANDBOX_MESSAGES} messages.`)
  }
  const { now } = found.scene
  const { thread: after, message } = withMessage(thread, { sender: "guest", ...letter }, now)
  const words = [...told.words, messageWord(message, saidWithAct(now))]
  const writing = { ...told, threads: [{ before: found.thread, after }], messages: [message], words }
  return Result.succeed({ writing, answer: messageSeen(found, after, message) })
}

export interface Asking extends Newcomer {
  readonly guest: Guest
  readonly room: RoomAsked
  readonly letter: Letter
}

/** A guest asks about nights that somebody could book, be they sold by now: in the thread he has, else in a new one. */
export const inquiring =
  ({ guest, room, letter, threadId, isFull }: Asking) =>
  (found: Found): Judged<Becomes<MessageSeen>> =>
    Result.gen(function* () {
      yield* listingIn(found.scene, room.listing_id)
      yield* possible(found.scene, room)
      const { adults, children, ...where } = room
      const inquiry = { ...where, number_of_adults: adults, number_of_children: children }
      const { thread: before } = found
      const { now } = found.scene
      if (before === undefined && isFull) return yield* fullOfThreads("guest_name")
      const thread = before === undefined ? newThread(threadId, guest, now, inquiry) : asking(before, inquiry)
      return yield* written(
        found,
        thread,
        { field: "guest_name", ...letter },
        { words: [threadWord(thread, saidWithAct(now))] }
      )
    })

/** A guest writes in a thread. */
export const writing =
  (letter: Letter) =>
  (found: Found): Judged<Becomes<MessageSeen>> =>
    found.thread === undefined
      ? Result.fail(new NotFound({ message: "thread_id: no such thread." }))
      : written(found, found.thread, { field: "thread_id", ...letter }, { words: [] })

/** The guest of an order writes: one that was booked before there were threads says its thread from now on. */
export const writingOfOrder =
  (text: Letter, { threadId, isFull }: Newcomer) =>
  (found: Found): Judged<Becomes<MessageSeen>> => {
    const letter = { field: "order_id", ...text } as const
    const { order, thread: known } = found
    const { now } = found.scene
    if (order === undefined) return Result.fail(new NotFound({ message: "order_id: no such order." }))
    if (known === undefined && isFull) return fullOfThreads("order_id")
    const thread = known ?? newThread(order.said.thread_id ?? threadId, order.said.booker, now)
    const words = known === undefined ? [threadWord(thread, saidWithAct(now))] : []
    if (typeof order.said.thread_id === "string") return written(found, thread, letter, { words })
    const after = inThread(order, thread.thread_id, now)
    return written(found, thread, letter, {
      order: { before: order, after },
      words: [...words, orderWord(after, saidWithAct(now))]
    })
  }
