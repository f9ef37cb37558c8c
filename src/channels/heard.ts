import { Data } from "effect"

/** Whose account at a channel says something. */
export interface Speaking {
  readonly operatorId: number
  readonly accountId: number
  readonly channelType: string
}

/** What became of something said in a version: `known`: the same was said before. `late`: a later version of it was. */
export type HeardVersion = "applied" | "known" | "late"

/** What a channel said cannot be so; nothing was changed. The reason is for the log and names nobody. */
export class SaidRefused extends Data.TaggedError("SaidRefused")<{ readonly reason: string }> {}

/** What is to become of a version, by the one that was heard last. */
export const heardVersion = (last: number, version: number): HeardVersion => {
  if (version > last) return "applied"
  return version === last ? "known" : "late"
}
