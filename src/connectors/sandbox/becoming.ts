import type { Schema } from "effect"
import type { Said } from "../../domain/channels/port/said.ts"
import type { Day, Listing, Message, Offer, Order, Payment, Review, SandboxAccount, Thread } from "./rows.ts"

// What an act makes of the books of an account.

/** Something that is to be told from `due_at` on. */
export interface Word {
  readonly kind: Said["type"]
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
export interface Writing {
  /** The listings it was worked out by, as they were read. */
  readonly listings: ReadonlyArray<Listing>
  /** The same, as they are to be; those that are not named keep what they say. */
  readonly changedListings?: ReadonlyArray<Listing>
  readonly days?: ReadonlyArray<Day>
  /** `before` is the order as it was read, undefined for a new one. */
  readonly order?: { readonly before: Order | undefined; readonly after: Order }
  readonly payment?: Payment & { readonly order_id: string; readonly paid_at: Date }
  /** `before` is the thread as it was read, undefined for a new one. Whoever writes a message or an offer writes its thread. */
  readonly threads?: ReadonlyArray<{ readonly before: Thread | undefined; readonly after: Thread }>
  readonly messages?: ReadonlyArray<Message>
  readonly offers?: ReadonlyArray<Offer>
  /** Held by the revisions of the listings, as the payments are. */
  readonly reviews?: ReadonlyArray<Review>
  readonly words: ReadonlyArray<Word>
}

export type Account = Pick<SandboxAccount, "operator_id" | "account_id">
