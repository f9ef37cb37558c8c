import type { RecordTokenUse } from "../../../admission/gate/TokenUseRecorder.ts"

/** When a token was last used, right to the minute: the beginning of that minute, in milliseconds. */
export interface TokenUse {
  readonly operatorId: number
  readonly tokenId: number
  readonly minute: number
}

const MINUTE_MS = 60_000

/** The last uses of at most `capacity` tokens, in memory. */
export const makeTokenUseBuffer = (capacity: number) => {
  const uses = new Map<number, TokenUse>()

  const restore = (use: TokenUse): void => {
    const current = uses.get(use.tokenId)
    if (current === undefined ? uses.size < capacity : current.minute < use.minute) uses.set(use.tokenId, use)
  }

  return {
    /** Makes nothing anew for a token that was used in the same minute. */
    record: (({ operatorId, tokenId }, now) => {
      const minute = now - (now % MINUTE_MS)
      if (uses.get(tokenId)?.minute !== minute) restore({ operatorId, tokenId, minute })
    }) satisfies RecordTokenUse,
    /** Of how many tokens. */
    size: () => uses.size,
    /** Puts back what could not be written down, unless the token was used again since. */
    restore: restore,
    /** Takes out some, those that are there for longest. */
    take: (limit: number): ReadonlyArray<TokenUse> => {
      const taken: Array<TokenUse> = []
      for (const [tokenId, use] of uses) {
        if (taken.length >= limit) break
        uses.delete(tokenId)
        taken.push(use)
      }
      return taken
    }
  }
}
