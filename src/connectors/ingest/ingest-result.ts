import type { Effect } from "effect"
import type { CurrentActor } from "../../contract/actor.ts"
import type { ChannelAccountRef, InvalidChannelEvent } from "../../domain/channels/port/event-handling.ts"

export type SourceAccount = ChannelAccountRef

/**
 * `known`: this version was applied before. `late`: a later version was applied before. `waiting`: the event is stored
 * until its order arrives. `refused`: nothing was changed.
 */
export type IngestResult =
  | { readonly outcome: "applied" | "known" | "late" | "waiting" }
  | { readonly outcome: "refused"; readonly reason: string }

export type ChannelEventHandler<Payload> = (
  account: SourceAccount,
  event: Payload
) => Effect.Effect<IngestResult, InvalidChannelEvent, CurrentActor>
