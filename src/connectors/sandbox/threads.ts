import { createHash } from "node:crypto"
import { instantText } from "../../contract/time.ts"
import type { OrderSaid, ThreadSaid } from "../../domain/channels/port/said.ts"
import type { ThreadNamed } from "./reading-threads.ts"
import type { Message, Thread } from "./rows.ts"

// A thread with a guest as its marketplace has it, and what it becomes. What is told of it raises its version; messages do not.

export type Guest = ThreadSaid["guest"]

/**
 * Who a guest is: known by the e-mail address where there is one, else by the name, whatever the case. As a digest, since
 * either may be longer than an index has room for.
 */
export const guestKey = ({ name, email }: Guest): string => {
  const address = (email ?? "").trim()
  const known = address === "" ? `name ${name.trim()}` : `mailto ${address}`
  return createHash("sha256").update(known.toLowerCase()).digest("hex")
}

/** The thread of an order: the one that it says, else that of its guest. */
export const threadOfOrder = ({ thread_id, booker }: OrderSaid): ThreadNamed =>
  typeof thread_id === "string" ? { threadId: thread_id } : { guest: guestKey(booker) }

export type Inquiry = Exclude<ThreadSaid["inquiry"], undefined>

export const newThread = (threadId: string, guest: Guest, now: Date, inquiry: Inquiry = null): Thread => ({
  thread_id: threadId,
  guest: guestKey(guest),
  version: 1,
  revision: 0,
  messages: 0,
  offers: 0,
  said: { type: "thread", version: 1, thread_id: threadId, guest, inquiry },
  last_message_at: now
})

/** What the guest asks about from now on: null, nothing any more. */
export const asking = (thread: Thread, inquiry: Inquiry): Thread => {
  if (inquiry === null && (thread.said.inquiry ?? null) === null) return thread
  const version = thread.version + 1
  return { ...thread, version, said: { ...thread.said, version, inquiry } }
}

/** What somebody writes in a thread. */
export interface Written {
  readonly sender: "guest" | "host"
  readonly text: string
  readonly attachmentUrl?: string | null | undefined
  /** What the service calls it, where the channel keeps that. */
  readonly sentAs?: string | undefined
}

/** The thread with one message more, and the message. */
export const withMessage = (
  thread: Thread,
  { sender, text, attachmentUrl = null, sentAs }: Written,
  now: Date
): { readonly thread: Thread; readonly message: Message } => {
  const { thread_id } = thread
  const number = thread.messages + 1
  return {
    thread: { ...thread, messages: number, last_message_at: now },
    message: {
      thread_id,
      number,
      sent_as: sentAs ?? null,
      said: {
        type: "message",
        message_id: `${thread_id}-${number}`,
        thread_id,
        sender,
        ...(sentAs === undefined ? {} : { sent_as: sentAs }),
        text,
        ...(attachmentUrl === null ? {} : { attachment_url: attachmentUrl }),
        sent_at: instantText(now)
      }
    }
  }
}
