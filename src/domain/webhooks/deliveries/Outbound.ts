import http from "node:http"
import https from "node:https"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import packageJson from "../../../../package.json" with { type: "json" }
import {
  WEBHOOK_ANSWER_BYTES,
  WEBHOOK_ANSWER_KEPT_BYTES,
  WEBHOOK_RETRY_AFTER_MS,
  WEBHOOK_TRY_MS
} from "../../../platform/limits.ts"
import { inSpan, record } from "../../../platform/telemetry/spans.ts"
import { traceparentNow } from "../../../platform/telemetry/traceparent.ts"
import type { AddressResolver } from "./AddressResolver.ts"
import { type AllowedHosts, allowsHost } from "./allowed-hosts.ts"
import { checkedLookup, checkLiteral } from "./checked-lookup.ts"
import { type Failed, type HttpCall, httpCall, type Progress, type Read } from "./http-call.ts"
import { retryAfterOf } from "./retry-after.ts"

/** Milliseconds for one address of a name that has several, before the next is tried. */
export const CONNECT_TRY_MS = 1_000
/** Idle connections kept for one receiver, and the milliseconds each is kept. */
export const IDLE_SOCKETS = 4
export const IDLE_SOCKET_MS = 15_000

export interface Answered {
  readonly outcome: "answered"
  readonly status: number
  /** The beginning of the body as text, at most 512 bytes of it; NUL, which PostgreSQL cannot keep, replaced. */
  readonly firstBytes: string
  /** The `Retry-After` of a 429 or 503, in milliseconds, at most {@link WEBHOOK_RETRY_AFTER_MS}. */
  readonly retryAfterMs?: number | undefined
}

/** What became of one try. Any status is an answer, also 302 and 500: the caller decides what counts as delivered. */
export type Attempt = (Answered | Failed) & { readonly durationMs: number }

interface Addressed {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** For the whole try, from the look-up to the last byte of the answer; 10 s unless told. */
  readonly timeout?: Duration.Input
}

/** What is sent. */
export interface Outgoing extends Addressed {
  readonly body: string
}

/** What is asked for; of the answer's body at most so many bytes are read. */
export interface Asking extends Addressed {
  readonly method: "GET" | "POST"
  readonly body?: string
  readonly most: number
}

/** 2xx is the only answer that says the receiver has the event (contract facts 11.2). */
export const isDelivered = (attempt: Attempt): boolean =>
  attempt.outcome === "answered" && attempt.status >= 200 && attempt.status < 300

const release = packageJson.version.split(".").slice(0, 2).join(".")

const userAgent = (name: string, documentation: string | undefined): string =>
  documentation === undefined ? `${name}/${release}` : `${name}/${release} (+${documentation})`

const inWords: Record<Progress["phase"], string> = {
  connecting: "no connection",
  securing: "no TLS session",
  sent: "no answer",
  answering: "no complete answer"
}

/** Connections of one kind, closed with the scope. Node files them under scheme, host and port: never lent to another host. */
const agents = (options: https.AgentOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => ({ "http:": new http.Agent(options), "https:": new https.Agent(options) })),
    (made) =>
      Effect.sync(() => {
        made["http:"].destroy()
        made["https:"].destroy()
      })
  )

const requestUrl = (text: string, allowed: AllowedHosts): Option.Option<URL> =>
  Option.fromNullishOr(URL.parse(text)).pipe(
    Option.filter((url) => url.protocol === "https:" || (url.protocol === "http:" && allowsHost(allowed, url.hostname)))
  )

/** Response statuses whose `Retry-After` a retry respects. */
const OVERLOADED = new Set([429, 503])

const toAnswered = ({ outcome, status, headers, bytes }: Read, now: number): Answered => ({
  outcome,
  status,
  ...(OVERLOADED.has(status) ? { retryAfterMs: retryAfterOf(headers, now, WEBHOOK_RETRY_AFTER_MS) } : {}),
  // `stream` keeps a character that the cut went through out of the text.
  firstBytes: new TextDecoder()
    .decode(bytes.subarray(0, WEBHOOK_ANSWER_KEPT_BYTES), { stream: true })
    .replaceAll("\0", "\uFFFD")
})

const failed = (reason: Failed["reason"], detail: string): Failed => ({ outcome: "failed", reason, detail })

/** The header of the trace a try is part of, if any. */
const traced = Effect.map(traceparentNow, (traceparent) => (traceparent === undefined ? {} : { traceparent }))

/**
 * The request as a part of its trace: to which host, and how it ended. The rest of an address may be a credential, as
 * those of calendars are.
 */
const inTrace = (method: Asking["method"], { hostname, port, protocol }: URL) =>
  inSpan(
    method,
    {
      "http.request.method": method,
      "server.address": hostname,
      "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
    },
    "client"
  )

const recordEnd = (end: Read | Failed) => {
  if (end.outcome === "failed") return record("error.type", end.reason)
  const answered = record("http.response.status_code", end.status)
  return end.status < 400 ? answered : Effect.andThen(answered, record("error.type", String(end.status)))
}

/** Sends over a connection that is kept, or a new one if need be. */
const makeSend = Effect.fnUntraced(function* (allowed: AllowedHosts) {
  const connection = {
    lookup: checkedLookup(yield* Effect.context<AddressResolver>(), allowed),
    autoSelectFamilyAttemptTimeout: CONNECT_TRY_MS
  }
  const kept = yield* agents({ ...connection, keepAlive: true, maxFreeSockets: IDLE_SOCKETS, timeout: IDLE_SOCKET_MS })
  const single = yield* agents(connection)

  return Effect.fnUntraced(function* (request: Omit<HttpCall, "agent">, progress: Progress) {
    yield* checkLiteral(request.url.hostname, allowed)
    const scheme = request.url.protocol === "https:" ? "https:" : "http:"
    const result = yield* httpCall({ ...request, agent: kept[scheme] }, progress)
    // A receiver closing an idle connection in the moment it is used again says nothing about the receiver.
    const unlucky =
      result.outcome === "failed" && result.reason === "closed" && progress.reused && progress.phase === "sent"
    if (unlucky) return yield* httpCall({ ...request, agent: single[scheme] }, progress)
    // Node hands the connection back one tick after the answer ended: without this the next delivery opens another.
    yield* Effect.yieldNow
    return result
  })
})

const make = Effect.fnUntraced(function* (allowed: AllowedHosts, documentation: string | undefined) {
  const send = yield* makeSend(allowed)

  /** Sends within the time of a try; every end is a result. */
  const tried = (request: Omit<HttpCall, "agent">, timeout: Duration.Duration) => {
    const progress: Progress = { phase: "connecting", reused: false }
    return send(request, progress).pipe(
      Effect.catchTag("RefusedAddress", ({ detail }) => Effect.succeed(failed("refused_address", detail))),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.succeed(failed("timeout", `${inWords[progress.phase]} within ${Duration.format(timeout)}`))
      })
    )
  }

  const askAs = (name: string) => {
    const agent = userAgent(name, documentation)
    return Effect.fnUntraced(function* ({ url: text, headers, timeout = WEBHOOK_TRY_MS, ...asked }: Asking) {
      const url = requestUrl(text, allowed)
      if (Option.isNone(url)) return failed("refused_url", "not an https address")
      const part = inTrace(asked.method, url.value)
      return yield* part(
        Effect.flatMap(traced, (trace) => {
          const all = { ...headers, "user-agent": agent, ...trace }
          return Effect.tap(
            tried({ url: url.value, headers: all, ...asked }, Duration.fromInputUnsafe(timeout)),
            recordEnd
          )
        })
      )
    })
  }

  const delivered = askAs("Latchkey-Webhooks")
  const post = Effect.fnUntraced(function* (outgoing: Outgoing) {
    const started = yield* Clock.currentTimeMillis
    const result = yield* delivered({ ...outgoing, method: "POST", most: WEBHOOK_ANSWER_BYTES })
    const ended = yield* Clock.currentTimeMillis
    return { ...(result.outcome === "answered" ? toAnswered(result, ended) : result), durationMs: ended - started }
  })

  return { post, ask: askAs("Latchkey") }
})

/**
 * The only door through which anything leaves for an address that somebody gave us. It opens no connection to a forbidden
 * address and follows no redirect, and whoever answers can cost at most the time of a try and so many bytes. It never fails.
 */
export class Outbound extends Context.Service<
  Outbound,
  {
    /** Delivers; 64 KiB of an answer are read. */
    readonly post: (outgoing: Outgoing) => Effect.Effect<Attempt>
    /** Asks, and answers what came back. */
    readonly ask: (asking: Asking) => Effect.Effect<Read | Failed>
  }
>()("latchkey/deliveries/Outbound") {
  /** `documentation` is the page the User-Agent points receivers to. */
  static readonly layer = (
    allowed: AllowedHosts,
    documentation?: string
  ): Layer.Layer<Outbound, never, AddressResolver> => Layer.effect(Outbound, make(allowed, documentation))
}
