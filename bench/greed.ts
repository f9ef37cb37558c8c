import http from "node:http"
import { parentPort, Worker, workerData } from "node:worker_threads"

// A caller that asks for more as soon as it is answered, over many connections, on a thread of its own.

/** One request of a greedy caller: a GET, or a POST of its body. */
export interface GreedyRequest {
  readonly path: string
  readonly body?: string
}

export interface Greed {
  readonly url: string
  /** What each connection sends in turn, again and again. */
  readonly requests: ReadonlyArray<GreedyRequest>
  readonly headers: Record<string, string>
  readonly connections: number
  /** A text that the beginning of an expected answer has; a success if absent. */
  readonly expected?: string
}

/** Bytes of an answer that are looked at for the expected text. */
const BEGINNING_BYTES = 200

/** Begins to ask; ends with how many expected answers a second it got, and how many were others or none. */
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
