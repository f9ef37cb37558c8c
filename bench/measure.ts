import autocannon from "autocannon"
import { isSteady, median, type Taken, windowsToFullSpeed } from "./figures.ts"
import { allocatedAt, countAllocationAt, longestHoldAt, processorMsAt } from "./servers.ts"

/** What rounds of load said. Latencies in milliseconds. Processor time is what other work on the machine spoils least. */
export interface Round extends Taken {
  readonly p50: number
  readonly p99: number
  readonly failures: number
  /** Milliseconds the server computed at most without letting anything else have its event loop. */
  readonly hold: number
}

export interface Load {
  readonly url: string
  readonly method?: "GET" | "POST"
  readonly headers: Record<string, string>
  /** A function is asked for the body of each request. */
  readonly body?: string | (() => string)
  readonly connections: number
  /** The error_code that each answer must have; 0 if it is not said. */
  readonly expected?: number
}

/** Load for so many seconds. Whatever is not answered as expected counts as a failure. */
const begin = (
  { url, method = "GET", headers, body, connections, expected = 0 }: Load,
  seconds: number,
  sampleInt = 1_000
) => {
  const code = new RegExp(`\\\\?"error_code\\\\?":${expected}\\b`)
  let unexpected = 0
  const options: autocannon.Options = {
    url,
    method,
    headers,
    ...(typeof body === "string" ? { body } : {}),
    ...(typeof body === "function" ? { requests: [{ setupRequest: (next) => ({ ...next, body: body() }) }] } : {}),
    connections,
    duration: seconds,
    sampleInt,
    setupClient: (client) => {
      client.on("body", (text) => {
        if (!code.test(text.toString())) unexpected++
      })
    }
  }
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>()
  const running = autocannon(options, (error, result) => (error === null ? resolve(result) : reject(error)))
  const ended = promise.then((result) => ({ ...result, failures: unexpected + result.errors + result.non2xx }))
  return { running, ended }
}

/** One round of load on a server of this machine. */
export const round = async (load: Load, seconds: number): Promise<Round> => {
  const before = await processorMsAt(load.url)
  await longestHoldAt(load.url)
  const { requests, latency, failures } = await begin(load, seconds).ended
  const processorMs = (await processorMsAt(load.url)) - before
  return {
    perSecond: requests.average,
    p50: latency.p50,
    p99: latency.p99,
    processor: processorMs * (1_000 / requests.total),
    failures,
    hold: (await longestHoldAt(load.url)).processor
  }
}

/** Bytes of objects the server makes for a request: a round of its own, because counting costs the server time. */
export const allocation = async (load: Load, seconds: number) => {
  countAllocationAt(load.url)
  const { requests, failures } = await begin(load, seconds).ended
  return { allocated: (await allocatedAt(load.url)) / requests.total, failures }
}

export const medianRound = (rounds: ReadonlyArray<Round>): Round => ({
  perSecond: median(rounds.map((each) => each.perSecond)),
  p50: median(rounds.map((each) => each.p50)),
  p99: median(rounds.map((each) => each.p99)),
  processor: median(rounds.map((each) => each.processor)),
  failures: rounds.reduce((sum, each) => sum + each.failures, 0),
  hold: Math.max(...rounds.map((each) => each.hold))
})

export interface WarmUpLimits {
  /** What is one figure of the row that is to become steady. */
  readonly windowSeconds: number
  readonly mostSeconds: number
}

export interface WarmUp {
  readonly seconds: number
  /** Whether it became steady in this time. */
  readonly steady: boolean
  /** Until the first window at full speed: seconds, and requests answered in them. */
  readonly toFullSpeed: { readonly seconds: number; readonly requests: number }
  readonly failures: number
}

/** It hears that it is to stop when it takes its next sample. */
const STOPPED_WITHIN_MS = 100

/** Load until its rate is steady and what a request costs is too, or for so many seconds. */
export const warmUp = async (load: Load, { windowSeconds, mostSeconds }: WarmUpLimits): Promise<WarmUp> => {
  const { running, ended } = begin(load, mostSeconds + 2, STOPPED_WITHIN_MS)
  const rates: Array<number> = []
  /** Requests a millisecond of processor: on a busy machine the rate may stand still while the compiler is at work. */
  const yields: Array<number> = []
  let answered = 0
  running.on("response", () => {
    answered++
  })
  const steady = () => isSteady(rates) && isSteady(yields)
  let before = await processorMsAt(load.url)
  while (!steady() && rates.length * windowSeconds < mostSeconds) {
    answered = 0
    await new Promise((resolve) => setTimeout(resolve, windowSeconds * 1_000))
    const now = await processorMsAt(load.url)
    rates.push(answered / windowSeconds)
    yields.push(answered / (now - before))
    before = now
  }
  running.stop()
  const { failures } = await ended
  const slow = rates.slice(0, windowsToFullSpeed(rates))
  return {
    seconds: rates.length * windowSeconds,
    steady: steady(),
    toFullSpeed: {
      seconds: slow.length * windowSeconds,
      requests: slow.reduce((sum, rate) => sum + rate * windowSeconds, 0)
    },
    failures
  }
}
