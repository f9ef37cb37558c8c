import { Effect } from "effect"
import {
  type ApiError,
  BadRequest,
  Conflict,
  NotFound,
  NotImplemented,
  Upstream,
  ValidationFailed
} from "../../../contract/errors.ts"
import { hasAtMostCharacters } from "../../../contract/fields.ts"
import { CHANNEL_REASON_LENGTH } from "../../../platform/limits.ts"
import { type ChannelError, ChannelUnavailable } from "./errors.ts"

// What a call is told that asks a channel for something: one owner of how long it waits, and of what a refusal is called.

/**
 * Milliseconds a channel has to take an act, and to say what became of one. Both together are less than an act may be under
 * way (changes/IdempotencyKeys.ts), so that nobody takes a call over that still tells its channel.
 */
export const CHANNEL_ACTION_TIMEOUT_MS = 30_000
export const CHANNEL_QUERY_TIMEOUT_MS = 10_000

/** What a call that asks a channel may be answered. */
export type ChannelApiError = Extract<
  ApiError,
  BadRequest | NotFound | Conflict | ValidationFailed | NotImplemented | Upstream
>

/** The same as the errors of an operation. */
export const channelErrors = [NotFound, Conflict, NotImplemented, Upstream] as const

/**
 * What the port says, within `ms`, in the errors of the API; `field` names in the call what the act is about. Nobody knows
 * what a channel did that does not answer in time, nor what one did that is away.
 */
export const withChannelTimeout = <A>(
  call: Effect.Effect<A, ChannelError>,
  field: string,
  timeoutMs: number = CHANNEL_ACTION_TIMEOUT_MS
): Effect.Effect<A, ChannelApiError> =>
  call.pipe(
    Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(new ChannelUnavailable({ code: 504 })) }),
    Effect.mapError((error) => toApiError(error, field))
  )

/** What the port fails with, in the errors of the API; `field` names in the call what the act is about. */
export const toApiError = (error: ChannelError, field: string): ChannelApiError => {
  switch (error._tag) {
    case "ChannelAccountMissing":
      return new NotFound({ message: `${field}: the account on ${error.channelType} no longer exists.` })
    case "ChannelDisconnected":
      return new BadRequest({ message: `${field}: the account on ${error.channelType} is disconnected.` })
    case "ChannelRefused": {
      const message = `${error.field ?? field}: the channel refused: ${truncateReason(error.reason)}.`
      return error.field === undefined ? new Conflict({ message }) : new ValidationFailed({ message })
    }
    case "ChannelUnavailable":
      return new Upstream({ code: error.code, message: "The channel failed or did not answer in time." })
    case "ChannelNotServed":
      return new NotImplemented({ message: `This installation has no connector for ${error.channelType}.` })
  }
}

/** A channel's own words, cut where they are long. */
const truncateReason = (reason: string): string =>
  hasAtMostCharacters(reason, CHANNEL_REASON_LENGTH)
    ? reason
    : `${Array.from(reason.slice(0, 2 * CHANNEL_REASON_LENGTH))
        .slice(0, CHANNEL_REASON_LENGTH)
        .join("")}…`
