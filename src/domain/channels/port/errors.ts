import { Data } from "effect"

/** The operator has no account on that channel any more. */
export class ChannelAccountMissing extends Data.TaggedError("ChannelAccountMissing")<{
  readonly channelType: string
}> {}

/** The account is there, but the channel no longer lets us act for it. */
export class ChannelDisconnected extends Data.TaggedError("ChannelDisconnected")<{ readonly channelType: string }> {}

/**
 * The channel said no: it knows of a reason that we do not. `field` is what of the payload it does not take, such as
 * `settings.cancellation_policy`, where it names that.
 */
export class ChannelRefused extends Data.TaggedError("ChannelRefused")<{
  readonly reason: string
  readonly field?: string
}> {}

/** The channel failed (502), is away (503) or did not answer in time (504). What became of the act is unknown. */
export class ChannelUnavailable extends Data.TaggedError("ChannelUnavailable")<{ readonly code: 502 | 503 | 504 }> {}

/** This deployment has no connector for that channel. */
export class ChannelNotServed extends Data.TaggedError("ChannelNotServed")<{ readonly channelType: string }> {}

/** What a connector may fail with. */
export type ConnectorError = ChannelDisconnected | ChannelRefused | ChannelUnavailable | ChannelNotServed

/** What the port may fail with. */
export type ChannelError = ChannelAccountMissing | ConnectorError
