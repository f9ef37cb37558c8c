import autocannon from "autocannon"
import { longestHoldAt, processorMsAt } from "./servers.ts"

/** What one round of load said. Latencies in milliseconds. */
export interface Round {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Microseconds of processor the server took for a request: what other work on the machine spoils least. */
  readonly processor: number
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
  readonly seconds: number
  readonly connections: number
}

/** One round of load on a server of this machine. Whatever was not answered with error_code 0 is a failure. */
export const round = async (load: Load): Promise<Round> => {
  let failures = 0
  const { body: given } = load
  const before = await processorMsAt(load.url)
  await longestHoldAt(load.url)
  const instance = autocannon({
    url: load.url,
    method: load.method ?? "GET",
    headers: load.headers,
    ...(typeof given === "string" ? { body: given } : {}),
    ...(typeof given === "function" ? { requests: [{ setupRequest: (next) => ({ ...next, body: given() }) }] } : {}),
    connections: load.connections,
    duration: load.seconds,
    setupClient: (client) => {
      client.on("body", (body) => {
        if (!body.toString().includes('"error_code":0') && !body.toString().includes('\\"error_code\\":0')) failures++
      })
    }
  })
  const result = await instance
  return {
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    processor: ((await processorMsAt(load.url)) - before) * (1_000 / result.requests.total),
    failures: failures + result.errors + result.non2xx,
    hold: (await longestHoldAt(load.url)).processor
  }
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

export const medianRound = (rounds: ReadonlyArray<Round>): Round => ({
  perSecond: median(rounds.map((each) => each.perSecond)),
  p50: median(rounds.map((each) => each.p50)),
  p99: median(rounds.map((each) => each.p99)),
  processor: median(rounds.map((each) => each.processor)),
  failures: rounds.reduce((sum, each) => sum + each.failures, 0),
  hold: Math.max(...rounds.map((each) => each.hold))
})
