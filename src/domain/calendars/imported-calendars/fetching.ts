import { Effect, Option, Result } from "effect"
import {
  CALENDAR_ERROR,
  CALENDAR_FEED_BYTES,
  CALENDAR_FEED_REDIRECTS,
  CALENDAR_RETRY_AFTER_MS,
  CALENDAR_VALIDATOR
} from "../../../platform/limits.ts"
import type { Read } from "../../webhooks/deliveries/http-call.ts"
import { Outbound } from "../../webhooks/deliveries/Outbound.ts"
import type { ReceiverPolicy } from "../../webhooks/deliveries/receiver-url.ts"
import { retryAfterOf } from "../../webhooks/deliveries/retry-after.ts"
import { redirectedTo } from "./calendar-url.ts"
import { decodeBody, TOO_LARGE } from "./content-coding.ts"
import { digestOfFeed } from "./feed-digest.ts"

// What a host answers that is asked for a calendar. Nothing that is told of it has the address in it.

/** Milliseconds of one question, of which a redirect makes another. */
export const FETCH_TRY_MS = 20_000

/** What is known of a calendar from the last time, to ask only for what is new. */
export interface Known {
  readonly etag: string | null
  readonly last_modified: string | null
  readonly digest: string | null
}

/** What came, and by what it is known again. */
export interface Body extends Known {
  readonly outcome: "body"
  readonly bytes: Buffer
  readonly digest: string
}

export interface NotFetched {
  readonly outcome: "failed"
  readonly reason: string
  /** How long the host wants to be left alone, at most `CALENDAR_RETRY_AFTER_MS`. */
  readonly retryAfterMs?: number | undefined
}

export type Fetched = Body | NotFetched | { readonly outcome: "unchanged" }

export const notFetched = (reason: string): NotFetched => ({
  outcome: "failed",
  reason: reason.slice(0, CALENDAR_ERROR).toWellFormed().replaceAll("\0", "\uFFFD")
})

const REDIRECTS = new Set([301, 302, 303, 307, 308])

const conditionsOf = ({ etag, last_modified }: Known) => ({
  ...(etag === null ? {} : { "if-none-match": etag }),
  ...(last_modified === null ? {} : { "if-modified-since": last_modified })
})

const validator = (value: string | undefined): string | null =>
  value === undefined || value.length > CALENDAR_VALIDATOR ? null : value

const bodyOf = ({ headers, bytes, whole }: Read): Effect.Effect<Body | NotFetched> =>
  whole
    ? Effect.match(decodeBody(bytes, headers["content-encoding"]), {
        onFailure: notFetched,
        onSuccess: (decoded) => ({
          outcome: "body",
          bytes: decoded,
          etag: validator(headers.etag),
          last_modified: validator(headers["last-modified"]),
          digest: digestOfFeed(decoded)
        })
      })
    : Effect.succeed(notFetched(TOO_LARGE))

/**
 * Asks for a calendar, past as many redirects as there may be. `known` undefined: whatever it is, it is wanted whole. It never
 * fails.
 */
export const fetchFeed = Effect.fnUntraced(function* (
  url: string,
  known: Known | undefined,
  policy: ReceiverPolicy,
  now: number
): Effect.fn.Return<Fetched, never, Outbound> {
  const outbound = yield* Outbound
  let address = url
  for (let redirects = 0; redirects <= CALENDAR_FEED_REDIRECTS; redirects++) {
    const answer = yield* outbound.ask({
      method: "GET",
      url: address,
      headers: {
        accept: "text/calendar, */*;q=0.1",
        "accept-encoding": "identity",
        ...(known === undefined ? {} : conditionsOf(known))
      },
      most: CALENDAR_FEED_BYTES,
      timeout: FETCH_TRY_MS
    })
    if (answer.outcome === "failed") return notFetched(inWords(answer.reason, answer.detail))
    const { status, headers } = answer
    if (status === 200) return yield* bodyOf(answer)
    if (status === 304 && known !== undefined) return { outcome: "unchanged" }
    if (!REDIRECTS.has(status) || headers.location === undefined)
      return {
        ...notFetched(`its host answered ${status}`),
        retryAfterMs: retryAfterOf(headers, now, CALENDAR_RETRY_AFTER_MS)
      }
    const next = redirectedTo(headers.location, address, policy)
    const refused = Option.map(Result.getFailure(next), ({ message }) => message.replace(/^url: |\.$/g, ""))
    if (Option.isSome(refused)) return notFetched(`its host redirects to an address that ${refused.value}`)
    address = Result.getOrElse(next, () => address)
  }
  return notFetched(`its host redirects more than ${CALENDAR_FEED_REDIRECTS} times`)
})

const inWords = (reason: string, detail: string): string => {
  switch (reason) {
    case "refused_address":
    case "refused_url":
      return `its address is not allowed: ${detail}`
    case "timeout":
      return `its host was too slow: ${detail}`
    // What the library says of it is meant for who runs the host.
    case "tls":
      return "its host has no working TLS"
    case "protocol":
      return "its host does not speak HTTP"
    default:
      return `its host cannot be reached: ${detail}`
  }
}
