import { CHANNEL_TEXT_LENGTH } from "../../../platform/limits.ts"
import type { ChannelError } from "./errors.ts"

/** PostgreSQL cannot store NUL characters or lone surrogates. */
const toStorableText = (reason: string): string =>
  reason.slice(0, CHANNEL_TEXT_LENGTH).toWellFormed().replaceAll("\0", "\uFFFD")

export const describeChannelError = (error: ChannelError): string => {
  switch (error._tag) {
    case "ChannelRefused":
      return toStorableText(error.field === undefined ? error.reason : `${error.field}: ${error.reason}`)
    case "ChannelAccountMissing":
      return `the account on ${error.channelType} no longer exists`
    case "ChannelNotServed":
      return `this installation has no connector for ${error.channelType}`
    case "ChannelDisconnected":
      return `the account on ${error.channelType} is disconnected`
    case "ChannelUnavailable":
      return error.code === 504 ? "the channel did not answer in time" : `the channel failed (${error.code})`
  }
}
