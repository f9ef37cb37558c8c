import { Effect, Option, Result } from "effect"
import {
  CALENDAR_ERROR_LENGTH,
  CALENDAR_FEED_BYTES,
  CALENDAR_FEED_REDIRECTS_MAX,
  CALENDAR_RETRY_AFTER_MS,
  CALENDAR_VALIDATOR_LENGTH
} from "../../../platform/limits.ts"
import type { HttpResponse } from "../../webhooks/deliveries/http-call.ts"
import { OutboundHttp } from "../../webhooks/deliveries/OutboundHttp.ts"
import type { ReceiverPolicy } from "../../webhooks/deliveries/receiver-url.ts"
import { parseRetryAfter } from "../../webhooks/deliveries/retry-after.ts"
import { resolveRedirect } from "./calendar-url.ts"
import { decodeBody, TOO_LARGE_REASON } from "./content-coding.ts"
import { digestOfFeed } from "./feed-digest.ts"

// Failure reasons never contain the URL, which is a secret.

/** Each redirect gets this time again. */
export const FEED_REQUEST_TIMEOUT_MS = 20_000

interface FeedValidators {
  readonly etag: string | null
  readonly last_modified: string | null
  readonly digest: string | null
}

interface FeedBody extends FeedValidators {
  readonly outcome: "body"
  readonly bytes: Buffer
  readonly digest: string
}

export interface FetchFailure {
  readonly outcome: "failed"
  readonly reason: string
  /** At most `CALENDAR_RETRY_AFTER_MS`. */
  readonly retryAfterMs?: number | undefined
}

type FeedResponse = FeedBody | FetchFailure | { readonly outcome: "unchanged" }

export const toFetchFailure = (reason: string): FetchFailure => ({
  outcome: "failed",
  reason: reason.slice(0, CALENDAR_ERROR_LENGTH).toWellFormed().replaceAll("\0", "\uFFFD")
})

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])

const conditionalHeadersOf = ({ etag, last_modified }: FeedValidators) => ({
  ...(etag === null ? {} : { "if-none-match": etag }),
  ...(last_modified === null ? {} : { "if-modified-since": last_modified })
})

const toStoredValidator = (value: string | undefined): string | null =>
  value === undefined || value.length > CALENDAR_VALIDATOR_LENGTH ? null : value

const readFeedBody = ({ headers, bytes, isComplete }: HttpResponse): Effect.Effect<FeedBody | FetchFailure> =>
  isComplete
    ? Effect.match(decodeBody(bytes, headers["content-encoding"]), {
        onFailure: toFetchFailure,
        onSuccess: (decoded) => ({
          outcome: "body",
          bytes: decoded,
          etag: toStoredValidator(headers.etag),
          last_modified: toStoredValidator(headers["last-modified"]),
          digest: digestOfFeed(decoded)
        })
      })
    : Effect.succeed(toFetchFailure(TOO_LARGE_REASON))

/** Without `validators`, the request is unconditional. */
export const fetchFeed = Effect.fnUntraced(function* (
  url: string,
  validators: FeedValidators | undefined,
  policy: ReceiverPolicy,
  now: number
): Effect.fn.Return<FeedResponse, never, OutboundHttp> {
  const outbound = yield* OutboundHttp
  let address = url
  for (let redirects = 0; redirects <= CALENDAR_FEED_REDIRECTS_MAX; redirects++) {
    const response = yield* outbound.request({
      method: "GET",
      url: address,
      headers: {
        accept: "text/calendar, */*;q=0.1",
        "accept-encoding": "identity",
        ...(validators === undefined ? {} : conditionalHeadersOf(validators))
      },
      maxBytes: CALENDAR_FEED_BYTES,
      timeout: FEED_REQUEST_TIMEOUT_MS
    })
    if (response.outcome === "failed") return toFetchFailure(describeNetworkFailure(response.reason, response.detail))
    const { status, headers } = response
    if (status === 200) return yield* readFeedBody(response)
    if (status === 304 && validators !== undefined) return { outcome: "unchanged" }
    if (!REDIRECT_STATUSES.has(status) || headers.location === undefined)
      return {
        ...toFetchFailure(`its host answered ${status}`),
        retryAfterMs: parseRetryAfter(headers, now, CALENDAR_RETRY_AFTER_MS)
      }
    const redirect = resolveRedirect(headers.location, address, policy)
    const redirectError = Option.map(Result.getFailure(redirect), ({ message }) => message.replace(/^url: |\.$/g, ""))
    if (Option.isSome(redirectError))
      return toFetchFailure(`its host redirects to an address that ${redirectError.value}`)
    address = Result.getOrElse(redirect, () => address)
  }
  return toFetchFailure(`its host redirects more than ${CALENDAR_FEED_REDIRECTS_MAX} times`)
})

const describeNetworkFailure = (reason: string, detail: string): string => {
  switch (reason) {
    case "refused_address":
    case "refused_url":
      return `its address is not allowed: ${detail}`
    case "timeout":
      return `its host was too slow: ${detail}`
    case "tls":
      return "its host has no working TLS"
    case "protocol":
      return "its host does not speak HTTP"
    default:
      return `its host cannot be reached: ${detail}`
  }
}
