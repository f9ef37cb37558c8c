import { Deferred, Effect, Layer } from "effect"
import { WorkerMetrics } from "../../../../src/tools/workers/WorkerMetrics.ts"
import { type ProcessEnd, type WorkerProcess, WorkerProcesses } from "../../../../src/tools/workers/WorkerProcesses.ts"

/** A worker that does what the test says, and notes what it is asked. */
export interface FakeWorker extends WorkerProcess {
  readonly pid: number
  /** What it was asked: "stop", "retire", "kill". */
  readonly commands: Array<string>
  readonly becomeReady: Effect.Effect<unknown>
  readonly end: (result?: Partial<ProcessEnd>) => Effect.Effect<unknown>
}

const NORMAL_END: ProcessEnd = { code: 0, signal: null }

const makeFakeWorker = (pid: number, isObeying: () => boolean): FakeWorker => {
  const ready = Deferred.makeUnsafe<string>()
  const processEnd = Deferred.makeUnsafe<ProcessEnd>()
  const commands: Array<string> = []
  const end = (result: Partial<ProcessEnd> = {}) => Deferred.succeed(processEnd, { ...NORMAL_END, ...result })
  const recordCommand = (command: string) =>
    Effect.suspend(() => {
      commands.push(command)
      if (command === "kill") return Effect.asVoid(end({ code: null, signal: "SIGKILL" }))
      return isObeying() ? Effect.asVoid(end()) : Effect.void
    })
  return {
    pid,
    commands,
    becomeReady: Deferred.succeed(ready, `greeting of ${pid}`),
    end,
    awaitReady: Deferred.await(ready),
    awaitEnd: Deferred.await(processEnd),
    stop: recordCommand("stop"),
    retire: recordCommand("retire"),
    kill: recordCommand("kill")
  }
}

/** Workers as they are started, and whether they end when they are asked to. */
export const makeFakeWorkers = () => {
  const startedWorkers: Array<FakeWorker> = []
  let isObeying = true
  const start = Effect.sync(() => {
    const worker = makeFakeWorker(startedWorkers.length + 1, () => isObeying)
    startedWorkers.push(worker)
    return worker
  })
  return {
    startedWorkers,
    refuseToEnd: () => {
      isObeying = false
    },
    layer: Layer.succeed(WorkerProcesses, { start, metrics: new WorkerMetrics() })
  }
}
