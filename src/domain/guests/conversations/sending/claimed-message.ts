import { Schema } from "effect"

// What a worker has in its hands: the first message of a conversation that its channel is still to be told.

/** The lane of a conversation, taken, and the message that is next in it. */
export const TakenMessage = Schema.Struct({
  operator_id: Schema.Int,
  conversation_id: Schema.Int,
  /** How often the lane was taken, this time included: no other worker has it with the same number. */
  attempts: Schema.Int,
  /** Failures in a row before this one. */
  failures: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  thread_id: Schema.String,
  message_id: Schema.Int,
  code: Schema.String,
  content: Schema.String,
  attachment_url: Schema.NullOr(Schema.String),
  /** A try before this one may have got there. */
  again: Schema.Boolean,
  /** The trace of the change that said it; gone with the last try. */
  traceparent: Schema.NullOr(Schema.String)
})
export type TakenMessage = typeof TakenMessage.Type

/** How telling a channel ended. */
export type SendOutcome =
  /** The guest has it, under the channel's own name of it if that says one. */
  | { readonly kind: "sent"; readonly channelMessageId: string | null }
  /** It did not take it and would not; or nobody can ever know whether it did. */
  | { readonly kind: "refused" | "unknown"; readonly reason: string }
  /** It could not be told, and may be later. `maybeSent`: by now it may have got there all the same. */
  | { readonly kind: "failed"; readonly reason: string; readonly maybeSent: boolean }
