import { createHash } from "node:crypto"
import { formatUtcInstant } from "../../contract/time.ts"
import type { ChannelOrderEvent, ChannelThreadEvent } from "../../domain/channels/port/channel-events.ts"
import type { SandboxMessage, SandboxThread } from "./rows.ts"
import type { ThreadKey } from "./thread-queries.ts"

export type ThreadGuest = ChannelThreadEvent["guest"]

/** A digest, because a name or an e-mail address may be too long for an index. */
export const toGuestKey = ({ name, email }: ThreadGuest): string => {
  const address = (email ?? "").trim()
  const identity = address === "" ? `name ${name.trim()}` : `mailto ${address}`
  return createHash("sha256").update(identity.toLowerCase()).digest("hex")
}

export const toOrderThreadKey = ({ thread_id, booker }: ChannelOrderEvent): ThreadKey =>
  typeof thread_id === "string" ? { threadId: thread_id } : { guest: toGuestKey(booker) }

export type ThreadInquiry = Exclude<ChannelThreadEvent["inquiry"], undefined>

export const createThread = (
  threadId: string,
  guest: ThreadGuest,
  now: Date,
  inquiry: ThreadInquiry = null
): SandboxThread => ({
  thread_id: threadId,
  guest: toGuestKey(guest),
  version: 1,
  revision: 0,
  messages: 0,
  offers: 0,
  said: { type: "thread", version: 1, thread_id: threadId, guest, inquiry },
  last_message_at: now
})

export const withInquiry = (thread: SandboxThread, inquiry: ThreadInquiry): SandboxThread => {
  if (inquiry === null && (thread.said.inquiry ?? null) === null) return thread
  const version = thread.version + 1
  return { ...thread, version, said: { ...thread.said, version, inquiry } }
}

export interface SandboxMessageDraft {
  readonly sender: "guest" | "host"
  readonly text: string
  readonly attachmentUrl?: string | null | undefined
  readonly hostMessageId?: string | undefined
}

export const appendMessage = (
  thread: SandboxThread,
  { sender, text, attachmentUrl = null, hostMessageId }: SandboxMessageDraft,
  now: Date
): { readonly thread: SandboxThread; readonly message: SandboxMessage } => {
  const { thread_id } = thread
  const number = thread.messages + 1
  return {
    thread: { ...thread, messages: number, last_message_at: now },
    message: {
      thread_id,
      number,
      sent_as: hostMessageId ?? null,
      said: {
        type: "message",
        message_id: `${thread_id}-${number}`,
        thread_id,
        sender,
        ...(hostMessageId === undefined ? {} : { sent_as: hostMessageId }),
        text,
        ...(attachmentUrl === null ? {} : { attachment_url: attachmentUrl }),
        sent_at: formatUtcInstant(now)
      }
    }
  }
}
