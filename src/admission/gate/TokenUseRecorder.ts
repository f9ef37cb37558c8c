import { Context } from "effect"
import type { Caller } from "../../contract/caller.ts"

/** A call that came with a token which may be used for it, at a time in milliseconds; also one that the windows then refuse. */
export type RecordTokenUse = (token: Pick<Caller, "operatorId" | "tokenId">, now: number) => void

/**
 * Is told of every use of a token. A plain function that waits for nothing and cannot fail: it is part of every call. Nobody
 * listens unless the process says who (domain/access/operators/token-use-writer.ts).
 */
export const TokenUseRecorder = Context.Reference<RecordTokenUse>("latchkey/admission/gate/TokenUseRecorder", {
  defaultValue: () => () => undefined
})
