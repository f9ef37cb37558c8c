import http from "node:http"
import type { AddressInfo } from "node:net"
import { isMainThread, parentPort, Worker } from "node:worker_threads"
import { Effect } from "effect"

/** What came since it was last asked: the `transaction_id` of each event, and when, by the clock both threads share. */
type Arrivals = ReadonlyArray<readonly [id: number, nanoseconds: bigint]>

interface Wanted {
  readonly requests: number
}

const BODY = /"transaction_id":(\d+)/

/** Answers 200 to everything, counts, and notes what came when. */
const receive = () => {
  let arrivals: Array<readonly [number, bigint]> = []
  let wanted = Number.POSITIVE_INFINITY
  const server = http.createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk
    })
    request.on("end", () => {
      arrivals.push([Number(BODY.exec(body)?.[1]), process.hrtime.bigint()])
      response.end()
      if (arrivals.length === wanted) parentPort?.postMessage({ arrivals })
    })
  })
  parentPort?.on("message", ({ requests }: Wanted) => {
    arrivals = []
    wanted = requests
  })
  server.listen(0, "127.0.0.1", () => parentPort?.postMessage({ port: (server.address() as AddressInfo).port }))
}

const said = (worker: Worker) =>
  Effect.callback<{ readonly port?: number; readonly arrivals?: Arrivals }>((resume) => {
    worker.once("message", (message) => resume(Effect.succeed(message)))
  })

/** A receiver on a thread of its own. */
export const startReceiver = Effect.gen(function* () {
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(new URL(import.meta.url))),
    (made) => Effect.promise(() => made.terminate())
  )
  const { port = 0 } = yield* said(worker)
  return {
    port,
    /** Counts from zero until so many have come. */
    expect: (requests: number) => Effect.sync(() => worker.postMessage({ requests } satisfies Wanted)),
    /** Waits for what is expected. */
    arrivals: Effect.map(said(worker), ({ arrivals = [] }) => arrivals)
  }
})

export type Receiver = Effect.Success<typeof startReceiver>

if (!isMainThread) receive()
