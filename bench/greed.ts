import http from "node:http"
import { parentPort, Worker, workerData } from "node:worker_threads"

// A greedy caller: a thread that sends the next request over each of many connections as soon as the response to the last arrives.

/** One request of a greedy caller: a GET, or a POST of its body. */
export interface GreedyRequest {
  readonly path: string
  readonly body?: string
}

/** The requests of a greedy caller and how it sends them. */
export interface Greed {
  readonly url: string
  /** Each connection sends these in turn, in a loop. */
  readonly requests: ReadonlyArray<GreedyRequest>
  readonly headers: Record<string, string>
  readonly connections: number
  /** A text within the first bytes of an expected response. Default: a success. */
  readonly expected?: string
}

/** The first bytes of a response, in which the expected text is searched. */
const BEGINNING_BYTES = 200

/** Starts a greedy caller. `stop` returns its expected responses per second, and the number of other or missing ones. */
export const greed = (wanted: Greed) => {
  const worker = new Worker(new URL(import.meta.url), { workerData: wanted })
  const startedAt = performance.now()
  return {
    stop: () =>
      new Promise<{ readonly perSecond: number; readonly failures: number }>((resolve) => {
        worker.once("message", async ({ answers, failures }: { answers: number; failures: number }) => {
          const seconds = (performance.now() - startedAt) / 1_000
          await worker.terminate()
          resolve({ perSecond: answers / seconds, failures })
        })
        worker.postMessage("stop")
      })
  }
}

const ask = (
  agent: http.Agent,
  { url, headers, expected = '"error_code":0' }: Greed,
  { path, body }: GreedyRequest
): Promise<boolean> =>
  new Promise((resolve) => {
    const method = body === undefined ? "GET" : "POST"
    const request = http.request(`${url}${path}`, { method, agent, headers }, (response) => {
      let beginning = ""
      response.on("data", (chunk: Buffer) => {
        if (beginning.length < BEGINNING_BYTES) beginning += chunk.toString("utf8", 0, BEGINNING_BYTES)
      })
      response.once("end", () => resolve(beginning.includes(expected)))
    })
    request.once("error", () => resolve(false))
    request.end(body)
  })

const run = (wanted: Greed) => {
  const { requests, connections } = wanted
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  let answers = 0
  let failures = 0
  const askOn = async (first: number) => {
    for (let n = first; ; n++) {
      const request = requests[n % requests.length]
      if (request === undefined) return
      if (await ask(agent, wanted, request)) answers++
      else failures++
    }
  }
  for (let n = 0; n < connections; n++) void askOn(n)
  parentPort?.once("message", () => parentPort?.postMessage({ answers, failures }))
}

if (parentPort !== null) run(workerData)
