import { Context, type Effect } from "effect"

/** Whose account at a channel speaks. */
export interface Speaker {
  readonly operatorId: number
  readonly accountId: number
  readonly channelType: string
}

/**
 * What became of something a channel said. `known`: the same was said before. `late`: a later version of it was. `waiting`:
 * it is kept until what it is about is known. `refused`: it cannot be so, and nothing was changed.
 */
export type Heard =
  | { readonly outcome: "applied" | "known" | "late" | "waiting" }
  | { readonly outcome: "refused"; readonly reason: string }

/**
 * The one inward door: whatever a channel says by itself comes into the service here. Idempotent by the channel's own id and
 * version, so whoever got no answer says it again. It never fails: what cannot be so is refused and logged once.
 */
export class Ingest extends Context.Service<
  Ingest,
  {
    /** `said`: a `Said` (channels/said.ts) as JSON has it, of whom nothing is believed. */
    readonly ingest: (speaker: Speaker, said: unknown) => Effect.Effect<Heard>
  }
>()("latchkey/ingest/Ingest") {}
