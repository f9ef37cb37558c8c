import type { NoteUse } from "../../../admission/gate/TokenUsed.ts"

/** When a token was last used, right to the minute: the beginning of that minute, in milliseconds. */
export interface LastUse {
  readonly operatorId: number
  readonly tokenId: number
  readonly minute: number
}

const MINUTE_MS = 60_000

/** The last uses of at most `most` tokens, in memory. */
export const makeLastUses = (most: number) => {
  const uses = new Map<number, LastUse>()

  const put = (use: LastUse): void => {
    const known = uses.get(use.tokenId)
    if (known === undefined ? uses.size < most : known.minute < use.minute) uses.set(use.tokenId, use)
  }

  return {
    /** Makes nothing anew for a token that was used in the same minute. */
    note: (({ operatorId, tokenId }, now) => {
      const minute = now - (now % MINUTE_MS)
      if (uses.get(tokenId)?.minute !== minute) put({ operatorId, tokenId, minute })
    }) satisfies NoteUse,
    /** Of how many tokens. */
    size: () => uses.size,
    /** Puts back what could not be written down, unless the token was used again since. */
    put,
    /** Takes out some, those that are there for longest. */
    take: (some: number): ReadonlyArray<LastUse> => {
      const taken: Array<LastUse> = []
      for (const [tokenId, use] of uses) {
        if (taken.length >= some) break
        uses.delete(tokenId)
        taken.push(use)
      }
      return taken
    }
  }
}
