import { Data } from "effect"

export class ChannelAccountMissing extends Data.TaggedError("ChannelAccountMissing")<{
  readonly channelType: string
}> {}

export class ChannelDisconnected extends Data.TaggedError("ChannelDisconnected")<{ readonly channelType: string }> {}

/** `field` is the rejected part of the payload, such as `settings.cancellation_policy`, if the channel names it. */
export class ChannelRefused extends Data.TaggedError("ChannelRefused")<{
  readonly reason: string
  readonly field?: string
}> {}

/**
 * The channel failed (502), was unavailable (503) or timed out (504). After 502 or 504 it may have carried out the
 * action.
 */
export class ChannelUnavailable extends Data.TaggedError("ChannelUnavailable")<{ readonly code: 502 | 503 | 504 }> {}

export class ChannelNotServed extends Data.TaggedError("ChannelNotServed")<{ readonly channelType: string }> {}

export type ConnectorError = ChannelDisconnected | ChannelRefused | ChannelUnavailable | ChannelNotServed

export type ChannelError = ChannelAccountMissing | ConnectorError
