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

// What an act makes of the books of an account.

/** Something that is to be told from `due_at` on. */
export interface OutboxEvent {
  readonly kind: ChannelEvent["type"]
  /** The channel's own id of what it is about. */
  readonly subject: string
  /** Of a message, which has none, its number in the thread. */
  readonly version: number
  /** As `Ingest` takes it. */
  readonly said: Schema.Json | object
  readonly due_at: Date
  /** The version that the host knows already, where he does. */
  readonly told_version?: number
}

/** What an act makes of the books. */
export interface SandboxWrite {
  /** The listings it was worked out by, as they were read. */
  readonly listings: ReadonlyArray<SandboxListing>
  /** The same, as they are to be; those that are not named keep what they say. */
  readonly changedListings?: ReadonlyArray<SandboxListing>
  readonly days?: ReadonlyArray<SandboxDay>
  /** `before` is the order as it was read, undefined for a new one. */
  readonly order?: { readonly before: SandboxOrder | undefined; readonly after: SandboxOrder }
  readonly payment?: SandboxPayment & { readonly order_id: string; readonly paid_at: Date }
  /** `before` is the thread as it was read, undefined for a new one. Whoever writes a message or an offer writes its thread. */
  readonly threads?: ReadonlyArray<{ readonly before: SandboxThread | undefined; readonly after: SandboxThread }>
  readonly messages?: ReadonlyArray<SandboxMessage>
  readonly offers?: ReadonlyArray<SandboxOffer>
  /** Held by the revisions of the listings, as the payments are. */
  readonly reviews?: ReadonlyArray<SandboxReview>
  readonly outboxEvents: ReadonlyArray<OutboxEvent>
}

export type SandboxAccountKey = Pick<SandboxAccount, "operator_id" | "account_id">
