import http from "node:http"
import { parentPort, Worker, workerData } from "node:worker_threads"

// A caller that asks for more as soon as it is answered, over many connections, on a thread of its own.

export interface Greed {
  readonly url: string
  readonly paths: ReadonlyArray<string>
  readonly headers: Record<string, string>
  readonly connections: number
}

/** Begins to ask; ends with how many answers a second it got, and how many calls were refused or failed. */
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

const ask = (agent: http.Agent, url: string, headers: Record<string, string>): Promise<boolean> =>
  new Promise((resolve) => {
    const request = http.get(url, { agent, headers }, (response) => {
      let beginning = ""
      response.on("data", (chunk: Buffer) => {
        if (beginning.length < 200) beginning += chunk.toString("utf8", 0, 200)
      })
      response.once("end", () => resolve(beginning.includes('"error_code":0')))
    })
    request.once("error", () => resolve(false))
  })

const run = ({ url, paths, headers, connections }: Greed) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  let answers = 0
  let failures = 0
  const askOn = async (first: number) => {
    for (let n = first; ; n++) {
      if (await ask(agent, `${url}${paths[n % paths.length]}`, headers)) answers++
      else failures++
    }
  }
  for (let n = 0; n < connections; n++) void askOn(n)
  parentPort?.once("message", () => parentPort?.postMessage({ answers, failures }))
}

if (parentPort !== null) run(workerData)
