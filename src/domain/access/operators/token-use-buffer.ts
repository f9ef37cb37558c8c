import type { RecordTokenUse } from "../../../admission/gate/TokenUseRecorder.ts"

/** `minute` is the start of the minute, in milliseconds since the epoch. */
export interface TokenUse {
  readonly operatorId: number
  readonly tokenId: number
  readonly minute: number
}

const MINUTE_MS = 60_000

export const makeTokenUseBuffer = (capacity: number) => {
  const uses = new Map<number, TokenUse>()

  const restore = (use: TokenUse): void => {
    const current = uses.get(use.tokenId)
    if (current === undefined ? uses.size < capacity : current.minute < use.minute) uses.set(use.tokenId, use)
  }

  return {
    record: (({ operatorId, tokenId }, now) => {
      const minute = now - (now % MINUTE_MS)
      if (uses.get(tokenId)?.minute !== minute) restore({ operatorId, tokenId, minute })
    }) satisfies RecordTokenUse,
    size: () => uses.size,
    restore: restore,
    clear: () => uses.clear(),
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
