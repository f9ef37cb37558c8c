import { Data } from "effect"
import { toInstant } from "../../../contract/time.ts"

/** Whose account at a channel says something. */
export interface ChannelAccountRef {
  readonly operatorId: number
  readonly accountId: number
  readonly channelType: string
}

/** What became of something said in a version: `known`: the same was said before. `late`: a later version of it was. */
export type VersionOutcome = "applied" | "known" | "late"

/** What a channel said cannot be so; nothing was changed. The reason is for the log and names nobody. */
export class InvalidChannelEvent extends Data.TaggedError("InvalidChannelEvent")<{ readonly reason: string }> {}

/** The instant a channel's text names; without an offset it is UTC: a channel does not know the host's clock. */
export const parseChannelInstant = (text: string): Date => toInstant(text, "UTC")

/** What is to become of a version, by the one that was heard last. */
export const toVersionOutcome = (lastVersion: number, version: number): VersionOutcome => {
  if (version > lastVersion) return "applied"
  return version === lastVersion ? "known" : "late"
}
