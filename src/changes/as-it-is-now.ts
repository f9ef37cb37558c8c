import { Effect } from "effect"
import { Acting } from "../contract/acting.ts"

/** For a call whose answer is a record as it is now, whatever its key: the key is not kept. */
export const answersAsItIsNow: Effect.Effect<void, never, Acting> = Effect.map(Acting, ({ key }) => {
  if (key !== undefined) key.progress = "unneeded"
})
