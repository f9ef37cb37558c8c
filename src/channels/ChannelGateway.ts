import { Context, Data, Effect, Layer } from "effect"

/** The order an outward act is about, as its channel knows it. */
export interface ChannelOrder {
  readonly operatorId: number
  readonly reservationCode: string
  readonly channelType: string
  /** The channel's own id of the order. */
  readonly channelId: string
}

/** The operator has no account on that channel any more. */
export class ChannelAccountMissing extends Data.TaggedError("ChannelAccountMissing")<{
  readonly channelType: string
}> {}

/** The account is there, but the channel no longer lets us act for it. */
export class ChannelDisconnected extends Data.TaggedError("ChannelDisconnected")<{ readonly channelType: string }> {}

/** The channel said no: it knows of a reason that we do not. */
export class ChannelRefused extends Data.TaggedError("ChannelRefused")<{ readonly reason: string }> {}

/** The channel failed (502), is away (503) or did not answer in time (504). What became of the act is unknown. */
export class ChannelUnavailable extends Data.TaggedError("ChannelUnavailable")<{ readonly code: 502 | 503 | 504 }> {}

/** This deployment has no connector for that channel. */
export class ChannelNotServed extends Data.TaggedError("ChannelNotServed")<{ readonly channelType: string }> {}

export type ChannelError =
  | ChannelAccountMissing
  | ChannelDisconnected
  | ChannelRefused
  | ChannelUnavailable
  | ChannelNotServed

/** What became of a request at its channel; `unknown` where the channel cannot tell. */
export type ChannelAnswer = "pending" | "approved" | "declined" | "unknown"

/**
 * The port to marketplaces: one method an outward act, and one to ask what became of them. An act that succeeded has happened on the channel and is not
 * taken back by a failure here; doing it again is safe.
 */
export class ChannelGateway extends Context.Service<
  ChannelGateway,
  {
    /** Accepts a pending order. */
    readonly approve: (order: ChannelOrder) => Effect.Effect<void, ChannelError>
    /** Turns a pending order down. */
    readonly decline: (order: ChannelOrder) => Effect.Effect<void, ChannelError>
    /** How the request stands at the channel: asked where an act was begun and nobody knows how it ended. */
    readonly answered: (order: ChannelOrder) => Effect.Effect<ChannelAnswer, ChannelError>
  }
>()("latchkey/channels/ChannelGateway") {
  /** No connector at all. */
  static readonly layerUnconnected = Layer.succeed(
    ChannelGateway,
    ChannelGateway.of({
      approve: ({ channelType }) => Effect.fail(new ChannelNotServed({ channelType })),
      decline: ({ channelType }) => Effect.fail(new ChannelNotServed({ channelType })),
      answered: () => Effect.succeed("unknown")
    })
  )
}
