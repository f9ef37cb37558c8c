import { Effect } from "effect"
import { CurrentActor } from "../contract/actor.ts"

/** For a call whose answer is a record as it is now, whatever its key: the key is not kept. */
export const skipIdempotencyKey: Effect.Effect<void, never, CurrentActor> = Effect.map(
  CurrentActor,
  ({ idempotencyKey: key }) => {
    if (key !== undefined) key.progress = "unneeded"
  }
)
