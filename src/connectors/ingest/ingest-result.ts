import type { Effect } from "effect"
import type { CurrentActor } from "../../contract/actor.ts"
import type { ChannelAccountRef, InvalidChannelEvent } from "../../domain/channels/port/event-handling.ts"

/** Whose account at a channel speaks. */
export type SourceAccount = ChannelAccountRef

/**
 * What became of something a channel said. `known`: the same was said before. `late`: a later version of it was. `waiting`:
 * it is kept until what it is about is known. `refused`: it cannot be so, and nothing was changed.
 */
export type IngestResult =
  | { readonly outcome: "applied" | "known" | "late" | "waiting" }
  | { readonly outcome: "refused"; readonly reason: string }

/** Takes one kind of what channels say, once it is read. */
export type ChannelEventHandler<Payload> = (
  account: SourceAccount,
  event: Payload
) => Effect.Effect<IngestResult, InvalidChannelEvent, CurrentActor>
