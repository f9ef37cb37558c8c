import type { Effect } from "effect"
import type { Acting } from "../../contract/acting.ts"
import type { SaidRefused, Speaking } from "../../domain/channels/port/heard.ts"

/** Whose account at a channel speaks. */
export type Speaker = Speaking

/**
 * What became of something a channel said. `known`: the same was said before. `late`: a later version of it was. `waiting`:
 * it is kept until what it is about is known. `refused`: it cannot be so, and nothing was changed.
 */
export type Heard =
  | { readonly outcome: "applied" | "known" | "late" | "waiting" }
  | { readonly outcome: "refused"; readonly reason: string }

/** Takes one kind of what channels say, once it is read. */
export type Hears<Said> = (speaker: Speaker, said: Said) => Effect.Effect<Heard, SaidRefused, Acting>
