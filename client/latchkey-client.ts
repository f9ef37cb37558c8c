// The client of Latchkey's open API as it is packed: what follows runs in Node 18 and later, and in browsers, and needs nothing
// else. `npm run client` writes it down as JavaScript, with the routes as a text beside it.
import { ROUTES } from "./routes.ts"

export interface ClientOptions {
  /** Where the service is, without `/v3`: `https://api.example.com`. */
  readonly baseUrl: string
  /** An access token of the console or of OAuth, or what gives one. */
  readonly token: string | (() => string | Promise<string>)
  /** How often a call that may be repeated is, at most, after the first time; 4 if not said. */
  readonly retries?: number
  /** Milliseconds one try may take; 40,000 if not said, which is more than the service's own limits. */
  readonly timeoutMs?: number
  /** Milliseconds that are waited between two tries at most, whatever is asked for; 60,000 if not said. */
  readonly longestWaitMs?: number
  /** For tests, and for who has another. */
  readonly fetch?: typeof globalThis.fetch
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  readonly random?: () => number
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** The key under which a change happens once; the client makes one for each call that changes something. */
  readonly idempotencyKey?: string
}

/** A call that came to nothing: `code` is the service's error_code; 0 where no answer of the service came. */
export class LatchkeyError extends Error {
  readonly code: number
  readonly requestId: string
  /** Seconds after which the call may be repeated, where the service says so. */
  readonly retryAfter: number | undefined
  /** Of a 429: which limit is used up. */
  readonly scope: string | undefined
  readonly operation: string

  constructor(operation: string, code: number, message: string, requestId = "", headers?: Headers, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = new.target.name
    this.operation = operation
    this.code = code
    this.requestId = requestId
    const after = headers?.get("retry-after")
    this.retryAfter = after === null || after === undefined ? undefined : Number(after)
    this.scope = headers?.get("x-ratelimit-scope") ?? undefined
  }
}

/** 400. */
export class BadRequest extends LatchkeyError {}
/** 401. */
export class Unauthenticated extends LatchkeyError {}
/** 403. */
export class Forbidden extends LatchkeyError {}
/** 404. */
export class NotFound extends LatchkeyError {}
/** 409. */
export class Conflict extends LatchkeyError {}
/** 420. */
export class SubscriptionRequired extends LatchkeyError {}
/** 422. */
export class ValidationFailed extends LatchkeyError {}
/** 429. */
export class RateLimited extends LatchkeyError {}
/** 500. */
export class ServerError extends LatchkeyError {}
/** 501. */
export class NotImplemented extends LatchkeyError {}
/** 502, 503 and 504. */
export class UpstreamFailed extends LatchkeyError {}
/** No answer of the service came: the network failed, or the time was up. */
export class NoAnswer extends LatchkeyError {}

const CLASSES = new Map<number, typeof LatchkeyError>([
  [400, BadRequest],
  [401, Unauthenticated],
  [403, Forbidden],
  [404, NotFound],
  [409, Conflict],
  [420, SubscriptionRequired],
  [422, ValidationFailed],
  [429, RateLimited],
  [500, ServerError],
  [501, NotImplemented],
  [502, UpstreamFailed],
  [503, UpstreamFailed],
  [504, UpstreamFailed]
])

type Fields = Readonly<Record<string, unknown>>

/** What the service answers. */
interface Envelope {
  readonly request_id: string
  readonly error_code: number
  readonly error_msg: string
  // biome-ignore lint/suspicious/noExplicitAny: what it is, index.d.ts says of each operation.
  readonly data: any
}

interface Route {
  readonly name: string
  readonly method: string
  readonly path: string
  /** `r`: reads; `k`: changes and takes a key; `o`: needs no token, and is not repeated. */
  readonly kind: string
  /** The list its answer pages through. */
  readonly list: string | undefined
}

const routes = new Map<string, Route>(
  ROUTES.split("\n").map((line) => {
    const [name = "", method = "", path = "", kind = "", list] = line.split(" ")
    return [name, { name, method, path, kind, list }]
  })
)

const FIRST_WAIT_MS = 500
/** Part of a pause by which it is longer or shorter, so that clients do not come back together. */
const JITTER = 0.25
const PAGE = 100
const FEED_WAIT_SECONDS = 20

const sleeping = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, ms)
    if (signal?.aborted === true) end()
    else signal?.addEventListener("abort", end, { once: true })
  })

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))

/** In a path these lead to another operation: an empty one to the list, dots to what is above. */
const LEADING_ELSEWHERE = new Set(["", ".", ".."])

const requestOf = ({ name: operation, method, path, kind }: Route, fields: Fields) => {
  const rest: Record<string, unknown> = { ...fields }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const { [name]: value } = rest
    delete rest[name]
    const text = textOf(value ?? "")
    if (LEADING_ELSEWHERE.has(text)) throw new TypeError(`${operation}: ${name} must not be ${JSON.stringify(text)}`)
    return encodeURIComponent(text)
  })
  if (method !== "GET" && method !== "DELETE") return { target: filled, body: JSON.stringify(rest), kind }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined && value !== null) query.set(name, textOf(value))
  const asked = query.toString()
  return { target: asked === "" ? filled : `${filled}?${asked}`, body: undefined, kind }
}

/** Whether a repeat may help: it does no harm, as it reads or has a key. A 409 is repeated where the service asks for it. */
const mayHelp = (error: LatchkeyError): boolean =>
  error.code === 0 ||
  error.code === 429 ||
  error.code === 500 ||
  (error.code >= 502 && error.code <= 504) ||
  (error.code === 409 && error.retryAfter !== undefined)

// biome-ignore lint/suspicious/noExplicitAny: index.d.ts says what each takes and answers, made from the contracts.
type Method = (...given: any) => any
type Methods = Record<string, Method> & Record<"call" | "pages" | "events", Method>

/** Calls operations by name. Typed by `Client` of index.d.ts. */
export const createClient = (options: ClientOptions) => {
  const { baseUrl, token, retries = 4, timeoutMs = 40_000, longestWaitMs = 60_000 } = options
  const { fetch: send = globalThis.fetch, sleep = sleeping, random = Math.random } = options
  const base = `${baseUrl.replace(/\/+$/, "")}/v3`

  const once = async (route: Route, fields: Fields, key: string | undefined, signal: AbortSignal | undefined) => {
    const { target, body } = requestOf(route, fields)
    const headers: Record<string, string> = {}
    if (route.kind !== "o") headers["Authorization"] = `Bearer ${typeof token === "string" ? token : await token()}`
    if (body !== undefined) headers["Content-Type"] = "application/json"
    if (key !== undefined) headers["Idempotency-Key"] = key
    const timeUp = new AbortController()
    const timer = setTimeout(() => timeUp.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    const give = () => timeUp.abort(signal?.reason)
    if (signal?.aborted === true) give()
    signal?.addEventListener("abort", give, { once: true })
    try {
      const init = { method: route.method, headers, signal: timeUp.signal, ...(body === undefined ? {} : { body }) }
      const response = await send(`${base}${target}`, init)
      const envelope = (await response.json()) as Partial<Envelope> | null
      const {
        error_code: code,
        error_msg: message = "",
        request_id: requestId,
        data
      }: Partial<Envelope> = envelope ?? {}
      if (typeof code !== "number") throw new Error(`HTTP ${response.status} without an envelope`)
      if (code === 0) return data
      throw new (CLASSES.get(code) ?? LatchkeyError)(route.name, code, message, requestId, response.headers)
    } catch (cause) {
      if (cause instanceof LatchkeyError) throw cause
      if (signal?.aborted === true) throw signal.reason
      throw new NoAnswer(route.name, 0, cause instanceof Error ? cause.message : String(cause), "", undefined, cause)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener("abort", give)
    }
  }

  /** Milliseconds before the next try: what the service asks for or twice the last pause, a quarter more or less; never less than asked. */
  const pause = (tried: number, { retryAfter }: LatchkeyError): number => {
    const spread = 1 + JITTER * (2 * random() - 1)
    if (retryAfter !== undefined && Number.isFinite(retryAfter)) return retryAfter * 1000 * (1 + JITTER * random())
    return Math.min(longestWaitMs, FIRST_WAIT_MS * 2 ** tried) * spread
  }

  const call = async (name: string, fields: Fields = {}, { signal, idempotencyKey }: CallOptions = {}) => {
    const route = routes.get(name)
    if (route === undefined) throw new TypeError(`there is no operation ${name}`)
    const key = route.kind === "k" ? (idempotencyKey ?? globalThis.crypto.randomUUID()) : undefined
    for (let tried = 0; ; tried++) {
      try {
        return await once(route, fields, key, signal)
      } catch (error) {
        if (!(error instanceof LatchkeyError) || route.kind === "o" || tried >= retries || !mayHelp(error)) throw error
        const ms = pause(tried, error)
        // Who is asked to wait longer than he will is told so now.
        if (ms > longestWaitMs * (1 + JITTER)) throw error
        await sleep(ms, signal)
      }
    }
  }

  /** The rows of a list, page by page, until there are no more. */
  async function* pages(name: string, fields: Fields = {}, given: CallOptions = {}) {
    const list = routes.get(name)?.list
    if (list === undefined) throw new TypeError(`${name} has no pages`)
    const limit = typeof fields["limit"] === "number" ? fields["limit"] : PAGE
    let offset = typeof fields["offset"] === "number" ? fields["offset"] : 0
    for (;;) {
      const data = await call(name, { ...fields, offset, limit }, given)
      const rows = data[list]
      yield* rows
      offset += rows.length
      if (rows.length < limit || (typeof data.total === "number" && offset >= data.total)) return
    }
  }

  /**
   * What happens, oldest first and without end: waits for more where there is none. `consumer` begins where the consumer of that name
   * has read up to, and acknowledges each event once the next is asked for.
   */
  async function* events(fields: Fields = {}, given: CallOptions = {}) {
    const { consumer, ...asked } = fields
    let after = asked["after"]
    if (after === undefined && consumer !== undefined) {
      const { event_consumers: known } = await call("list_event_consumers", {}, given)
      after = known.find((each: { readonly name: string }) => each.name === consumer)?.cursor
    }
    for (;;) {
      const data = await call("list_events", { wait: FEED_WAIT_SECONDS, ...asked, after }, given)
      for (const event of data.events) {
        yield event
        after = event.cursor
        if (consumer !== undefined) await call("put_event_consumer", { name: consumer, cursor: after }, given)
      }
      after = data.next_cursor
    }
  }

  const methods: Methods = { call, pages, events }
  for (const name of routes.keys()) methods[name] = (fields?: Fields, given?: CallOptions) => call(name, fields, given)
  return methods
}
