import type { Schema } from "effect"
import type { ChannelEvent } from "../../domain/channels/port/channel-events.ts"
import type {
  SandboxAccount,
  SandboxDay,
  SandboxListing,
  SandboxMessage,
  SandboxOffer,
  SandboxOrder,
  SandboxPayment,
  SandboxReview,
  SandboxThread
} from "./rows.ts"

export interface OutboxEvent {
  readonly kind: ChannelEvent["type"]
  readonly subject: string
  /** For a message, its number in the thread. */
  readonly version: number
  readonly said: Schema.Json | object
  readonly due_at: Date
  /** The version that the service already knows, if any. */
  readonly told_version?: number
}

export interface SandboxWrite {
  /** The listings as they were read, for the conflict check. */
  readonly listings: ReadonlyArray<SandboxListing>
  readonly changedListings?: ReadonlyArray<SandboxListing>
  readonly days?: ReadonlyArray<SandboxDay>
  readonly order?: { readonly before: SandboxOrder | undefined; readonly after: SandboxOrder }
  readonly payment?: SandboxPayment & { readonly order_id: string; readonly paid_at: Date }
  /** Must include the thread of each message and offer. */
  readonly threads?: ReadonlyArray<{ readonly before: SandboxThread | undefined; readonly after: SandboxThread }>
  readonly messages?: ReadonlyArray<SandboxMessage>
  readonly offers?: ReadonlyArray<SandboxOffer>
  /** Concurrent writes of a review conflict through the revisions of `listings`. */
  readonly reviews?: ReadonlyArray<SandboxReview>
  readonly outboxEvents: ReadonlyArray<OutboxEvent>
}

export type SandboxAccountKey = Pick<SandboxAccount, "operator_id" | "account_id">
