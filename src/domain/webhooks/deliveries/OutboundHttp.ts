import http from "node:http"
import https from "node:https"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import packageJson from "../../../../package.json" with { type: "json" }
import {
  WEBHOOK_RESPONSE_BYTES,
  WEBHOOK_RESPONSE_STORED_BYTES,
  WEBHOOK_RETRY_AFTER_MS,
  WEBHOOK_TRY_MS
} from "../../../platform/limits.ts"
import { annotateSpan, withChildSpan } from "../../../platform/telemetry/spans.ts"
import { currentTraceparent } from "../../../platform/telemetry/traceparent.ts"
import type { AddressResolver } from "./AddressResolver.ts"
import { type AllowedHosts, allowsHost } from "./allowed-hosts.ts"
import { checkLiteralAddress, makeCheckedLookup } from "./checked-lookup.ts"
import { type HttpCall, type HttpCallProgress, type HttpFailure, type HttpResponse, sendHttpCall } from "./http-call.ts"
import { parseRetryAfter } from "./retry-after.ts"

/** After this time, the next address of the name is tried. */
const CONNECT_ATTEMPT_MS = 1_000
/** Idle connections per receiver. */
export const MAX_IDLE_SOCKETS = 4
const IDLE_SOCKET_MS = 15_000

interface ReceiverResponse {
  readonly outcome: "answered"
  readonly status: number
  /** The first 512 bytes of the body. NUL is replaced, because PostgreSQL cannot store it. */
  readonly firstBytes: string
  /** Only with status 429 or 503. At most {@link WEBHOOK_RETRY_AFTER_MS}. */
  readonly retryAfterMs?: number | undefined
}

/** Any status counts as `answered`. */
export type DeliveryResult = (ReceiverResponse | HttpFailure) & { readonly durationMs: number }

interface OutboundTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** From the look-up to the last byte. Default: 10 s. */
  readonly timeout?: Duration.Input
}

export interface OutboundPost extends OutboundTarget {
  readonly body: string
}

interface OutboundRequest extends OutboundTarget {
  readonly method: "GET" | "POST"
  readonly body?: string
  readonly maxBytes: number
}

/** Only 2xx confirms delivery (contract facts 11.2). */
export const isDelivered = (result: DeliveryResult): boolean =>
  result.outcome === "answered" && result.status >= 200 && result.status < 300

const serviceVersion = packageJson.version.split(".").slice(0, 2).join(".")

const buildUserAgent = (name: string, documentation: string | undefined): string =>
  documentation === undefined ? `${name}/${serviceVersion}` : `${name}/${serviceVersion} (+${documentation})`

const TIMEOUT_DESCRIPTIONS: Record<HttpCallProgress["phase"], string> = {
  connecting: "no connection",
  securing: "no TLS session",
  sent: "no answer",
  answering: "no complete answer"
}

const makeAgents = (options: https.AgentOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => ({ "http:": new http.Agent(options), "https:": new https.Agent(options) })),
    (pair) =>
      Effect.sync(() => {
        pair["http:"].destroy()
        pair["https:"].destroy()
      })
  )

const parseRequestUrl = (text: string, allowedHosts: AllowedHosts): Option.Option<URL> =>
  Option.fromNullishOr(URL.parse(text)).pipe(
    Option.filter(
      (url) => url.protocol === "https:" || (url.protocol === "http:" && allowsHost(allowedHosts, url.hostname))
    )
  )

const OVERLOAD_STATUSES = new Set([429, 503])

const toReceiverResponse = ({ outcome, status, headers, bytes }: HttpResponse, now: number): ReceiverResponse => ({
  outcome,
  status,
  ...(OVERLOAD_STATUSES.has(status) ? { retryAfterMs: parseRetryAfter(headers, now, WEBHOOK_RETRY_AFTER_MS) } : {}),
  // With `stream`, the decoder omits a character that is cut off at the end.
  firstBytes: new TextDecoder()
    .decode(bytes.subarray(0, WEBHOOK_RESPONSE_STORED_BYTES), { stream: true })
    .replaceAll("\0", "\uFFFD")
})

const makeHttpFailure = (reason: HttpFailure["reason"], detail: string): HttpFailure => ({
  outcome: "failed",
  reason,
  detail
})

const traceHeaders = Effect.map(currentTraceparent, (traceparent) => (traceparent === undefined ? {} : { traceparent }))

/** The span omits path and query, which may be a credential. */
const withRequestSpan = (method: OutboundRequest["method"], { hostname, port, protocol }: URL) =>
  withChildSpan(
    method,
    {
      "http.request.method": method,
      "server.address": hostname,
      "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
    },
    "client"
  )

const recordResult = (result: HttpResponse | HttpFailure) => {
  if (result.outcome === "failed") return annotateSpan("error.type", result.reason)
  const recordStatus = annotateSpan("http.response.status_code", result.status)
  return result.status < 400
    ? recordStatus
    : Effect.andThen(recordStatus, annotateSpan("error.type", String(result.status)))
}

const makeSendRequest = Effect.fnUntraced(function* (allowedHosts: AllowedHosts) {
  const connection = {
    lookup: makeCheckedLookup(yield* Effect.context<AddressResolver>(), allowedHosts),
    autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS
  }
  const keepAliveAgents = yield* makeAgents({
    ...connection,
    keepAlive: true,
    maxFreeSockets: MAX_IDLE_SOCKETS,
    timeout: IDLE_SOCKET_MS
  })
  const singleUseAgents = yield* makeAgents(connection)

  return Effect.fnUntraced(function* (request: Omit<HttpCall, "agent">, progress: HttpCallProgress) {
    yield* checkLiteralAddress(request.url.hostname, allowedHosts)
    const scheme = request.url.protocol === "https:" ? "https:" : "http:"
    const result = yield* sendHttpCall({ ...request, agent: keepAliveAgents[scheme] }, progress)
    // The receiver may close an idle connection just before its reuse. That is no failure.
    const isStaleConnection =
      result.outcome === "failed" && result.reason === "closed" && progress.reused && progress.phase === "sent"
    if (isStaleConnection) return yield* sendHttpCall({ ...request, agent: singleUseAgents[scheme] }, progress)
    // Node returns the connection to the pool one tick later. Without this yield the next delivery would open another.
    yield* Effect.yieldNow
    return result
  })
})

const make = Effect.fnUntraced(function* (allowedHosts: AllowedHosts, documentation: string | undefined) {
  const sendRequest = yield* makeSendRequest(allowedHosts)

  const sendWithTimeout = (request: Omit<HttpCall, "agent">, timeout: Duration.Duration) => {
    const progress: HttpCallProgress = { phase: "connecting", reused: false }
    return sendRequest(request, progress).pipe(
      Effect.catchTag("RefusedAddress", ({ detail }) => Effect.succeed(makeHttpFailure("refused_address", detail))),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.succeed(
            makeHttpFailure("timeout", `${TIMEOUT_DESCRIPTIONS[progress.phase]} within ${Duration.format(timeout)}`)
          )
      })
    )
  }

  const makeRequester = (name: string) => {
    const agentName = buildUserAgent(name, documentation)
    return Effect.fnUntraced(function* ({ url: text, headers, timeout = WEBHOOK_TRY_MS, ...input }: OutboundRequest) {
      const url = parseRequestUrl(text, allowedHosts)
      if (Option.isNone(url)) return makeHttpFailure("refused_url", "not an https address")
      const inSpanOfRequest = withRequestSpan(input.method, url.value)
      return yield* inSpanOfRequest(
        Effect.flatMap(traceHeaders, (traceHeader) => {
          const allHeaders = { ...headers, "user-agent": agentName, ...traceHeader }
          return Effect.tap(
            sendWithTimeout({ url: url.value, headers: allHeaders, ...input }, Duration.fromInputUnsafe(timeout)),
            recordResult
          )
        })
      )
    })
  }

  const requestAsWebhooks = makeRequester("Latchkey-Webhooks")
  const post = Effect.fnUntraced(function* (request: OutboundPost) {
    const started = yield* Clock.currentTimeMillis
    const result = yield* requestAsWebhooks({ ...request, method: "POST", maxBytes: WEBHOOK_RESPONSE_BYTES })
    const ended = yield* Clock.currentTimeMillis
    return {
      ...(result.outcome === "answered" ? toReceiverResponse(result, ended) : result),
      durationMs: ended - started
    }
  })

  return { post, request: makeRequester("Latchkey") }
})

/**
 * Sends requests to user-supplied addresses. It never connects to forbidden addresses, follows no redirects, limits
 * time and bytes, and never fails.
 */
export class OutboundHttp extends Context.Service<
  OutboundHttp,
  {
    /** Reads at most 64 KiB of the response. */
    readonly post: (request: OutboundPost) => Effect.Effect<DeliveryResult>
    readonly request: (request: OutboundRequest) => Effect.Effect<HttpResponse | HttpFailure>
  }
>()("latchkey/domain/webhooks/deliveries/OutboundHttp") {
  /** `documentation` is a page that the User-Agent links to. */
  static readonly layer = (
    allowedHosts: AllowedHosts,
    documentation?: string
  ): Layer.Layer<OutboundHttp, never, AddressResolver> => Layer.effect(OutboundHttp, make(allowedHosts, documentation))

  /** For tests and benchmarks. */
  static readonly layerNoContent: Layer.Layer<OutboundHttp> = Layer.succeed(OutboundHttp, {
    post: () => Effect.succeed({ outcome: "answered", status: 204, firstBytes: "", durationMs: 0 }),
    request: () =>
      Effect.succeed({ outcome: "answered", status: 204, headers: {}, bytes: Buffer.alloc(0), isComplete: true })
  })
}
