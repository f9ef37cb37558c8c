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

/**
 * The sum of both timeouts must stay below `CLAIM_MS` of `IdempotencyKeys`. Otherwise a repeat could claim the key
 * while the first call still runs.
 */
export const CHANNEL_ACTION_TIMEOUT_MS = 30_000
export const CHANNEL_QUERY_TIMEOUT_MS = 10_000

export type ChannelApiError = Extract<
  ApiError,
  BadRequest | NotFound | Conflict | ValidationFailed | NotImplemented | Upstream
>

export const channelErrors = [NotFound, Conflict, NotImplemented, Upstream] as const

/**
 * Maps channel errors to API errors. After a timeout (504) the outcome is unknown. `field` is the payload field that
 * identifies the record.
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

const truncateReason = (reason: string): string =>
  hasAtMostCharacters(reason, CHANNEL_REASON_LENGTH)
    ? reason
    : `${Array.from(reason.slice(0, 2 * CHANNEL_REASON_LENGTH))
        .slice(0, CHANNEL_REASON_LENGTH)
        .join("")}…`
