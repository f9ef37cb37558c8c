import { Deferred, Effect, Layer } from "effect"
import { WorkerMetrics } from "../../../../src/tools/workers/WorkerMetrics.ts"
import { type ProcessEnd, type WorkerProcess, WorkerProcesses } from "../../../../src/tools/workers/WorkerProcesses.ts"

/** A worker that does what the test says, and notes what it is asked. */
export interface FakeWorker extends WorkerProcess {
  readonly pid: number
  /** What it was asked: "stop", "retire", "kill". */
  readonly asked: Array<string>
  readonly serves: Effect.Effect<unknown>
  readonly ends: (ended?: Partial<ProcessEnd>) => Effect.Effect<unknown>
}

const OVER: ProcessEnd = { code: 0, signal: null }

const fakeWorker = (pid: number, obeys: () => boolean): FakeWorker => {
  const ready = Deferred.makeUnsafe<string>()
  const over = Deferred.makeUnsafe<ProcessEnd>()
  const asked: Array<string> = []
  const ends = (ended: Partial<ProcessEnd> = {}) => Deferred.succeed(over, { ...OVER, ...ended })
  const asks = (what: string) =>
    Effect.suspend(() => {
      asked.push(what)
      if (what === "kill") return Effect.asVoid(ends({ code: null, signal: "SIGKILL" }))
      return obeys() ? Effect.asVoid(ends()) : Effect.void
    })
  return {
    pid,
    asked,
    serves: Deferred.succeed(ready, `greeting of ${pid}`),
    ends,
    awaitReady: Deferred.await(ready),
    awaitEnd: Deferred.await(over),
    stop: asks("stop"),
    retire: asks("retire"),
    kill: asks("kill")
  }
}

/** Workers as they are started, and whether they end when they are asked to. */
export const makeFakeWorkers = () => {
  const started: Array<FakeWorker> = []
  let obey = true
  const start = Effect.sync(() => {
    const worker = fakeWorker(started.length + 1, () => obey)
    started.push(worker)
    return worker
  })
  return {
    started,
    refuseToEnd: () => {
      obey = false
    },
    layer: Layer.succeed(WorkerProcesses, { start, metrics: new WorkerMetrics() })
  }
}
