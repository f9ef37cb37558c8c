import { Context } from "effect"
import type { Caller } from "../../contract/caller.ts"

/** Called for every authorized call, also for one that a rate limit then rejects. `now` is in milliseconds. */
export type RecordTokenUse = (token: Pick<Caller, "operatorId" | "tokenId">, now: number) => void

/** Must not wait or fail, because every call runs it. */
export const TokenUseRecorder = Context.Reference<RecordTokenUse>("latchkey/admission/gate/TokenUseRecorder", {
  defaultValue: () => () => undefined
})
