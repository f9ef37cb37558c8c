import { Data } from "effect"
import { toInstant } from "../../../contract/time.ts"

export interface ChannelAccountRef {
  readonly operatorId: number
  readonly accountId: number
  readonly channelType: string
}

/** `known`: the version was applied before. `late`: a later version was applied before. */
export type VersionOutcome = "applied" | "known" | "late"

/** The event changed nothing. The reason is logged, so it must not contain personal data. */
export class InvalidChannelEvent extends Data.TaggedError("InvalidChannelEvent")<{ readonly reason: string }> {}

/** A text without offset is UTC, because channels do not know the host's time zone. */
export const parseChannelInstant = (text: string): Date => toInstant(text, "UTC")

export const toVersionOutcome = (lastVersion: number, version: number): VersionOutcome => {
  if (version > lastVersion) return "applied"
  return version === lastVersion ? "known" : "late"
}
