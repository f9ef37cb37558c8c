import { readdirSync } from "node:fs"
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from "node:perf_hooks"
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8"
import { Effect, Layer, Metric, Result, type Scope } from "effect"
import { computeHeapUtilization, computeYoungGenerationBytes, listProcessFlags } from "./heap-utilization.ts"
import {
  buildInfo,
  cpuTime,
  externalBytes,
  heapLimitBytes,
  heapUsedBytes,
  heapUtilization,
  loopDelayMax,
  loopDelayP50,
  loopDelayP99,
  loopUtilization,
  OUTCOME_COUNTERS,
  openFiles,
  residentBytes,
  uptime,
  workersDied
} from "./metric-definitions.ts"
import { initializeOutcomes, registerGauge } from "./metric-family.ts"
import { setGauge, updateSeries } from "./metric-updates.ts"

const LOOP_SAMPLE_MS = 10_000
const LOOP_RESOLUTION_MS = 20

const toSeconds = (nanos: number): number => (Number.isFinite(nanos) ? nanos / 1e9 : 0)

/** Measures the event-loop delay without the timer's own interval. */
const watchEventLoop = Effect.gen(function* () {
  const delay = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const monitor = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
      monitor.enable()
      return monitor
    }),
    (monitor) => Effect.sync(() => monitor.disable())
  )
  const toDelaySeconds = (nanos: number) => Math.max(0, toSeconds(nanos) - LOOP_RESOLUTION_MS / 1000)
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  const sample = Effect.gen(function* () {
    yield* setGauge(loopDelayP50.withLabels({}), toDelaySeconds(delay.percentile(50)))
    yield* setGauge(loopDelayP99.withLabels({}), toDelaySeconds(delay.percentile(99)))
    yield* setGauge(loopDelayMax.withLabels({}), toDelaySeconds(delay.max))
    delay.reset()
    const now = performance.eventLoopUtilization()
    yield* setGauge(loopUtilization.withLabels({}), performance.eventLoopUtilization(now, before).utilization)
    before = now
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(LOOP_SAMPLE_MS), sample)))
})

/** Linux only. */
const OPEN_FILES_FOLDER = "/proc/self/fd"
const countOpenFiles = () => Result.try(() => readdirSync(OPEN_FILES_FOLDER).length)

const registerCpuTime = (mode: "user" | "system"): Effect.Effect<void, never, Scope.Scope> =>
  Effect.contextWith((context) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() =>
          Metric.registerUnsafe(cpuTime.withLabels({ "cpu.mode": mode }), context, {
            get: () => ({ count: process.cpuUsage()[mode] / 1e6, incremental: true }),
            update: () => {},
            modify: () => {}
          })
        ),
        (registration) => Effect.sync(() => registration.remove())
      )
    )
  )

const registerUptime = registerGauge(uptime.withLabels({}), () => process.uptime())

export const layerSupervisorMetrics: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* registerUptime
    const died = workersDied.withLabels({})
    // Starts at 0, so that the first death is an increase.
    yield* Effect.withFiber((fiber) => Effect.sync(() => updateSeries(fiber, died, 0)))
  })
)

export const layerProcessMetrics = (version: string): Layer.Layer<never> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      yield* initializeOutcomes(OUTCOME_COUNTERS)
      yield* registerGauge(buildInfo.withLabels({ version, node: process.version }), () => 1)
      yield* registerGauge(residentBytes.withLabels({}), () => process.memoryUsage.rss())
      yield* registerGauge(heapUsedBytes.withLabels({}), () => process.memoryUsage().heapUsed)
      yield* registerGauge(heapLimitBytes.withLabels({}), () => getHeapStatistics().heap_size_limit)
      const youngGenerationBytes = computeYoungGenerationBytes(listProcessFlags())
      yield* registerGauge(heapUtilization.withLabels({}), () =>
        computeHeapUtilization(getHeapSpaceStatistics(), getHeapStatistics().heap_size_limit - youngGenerationBytes)
      )
      yield* registerGauge(externalBytes.withLabels({}), () => process.memoryUsage().external)
      yield* registerUptime
      yield* registerCpuTime("user")
      yield* registerCpuTime("system")
      if (Result.isSuccess(countOpenFiles())) {
        yield* registerGauge(openFiles.withLabels({}), () => Result.getOrElse(countOpenFiles(), () => 0))
      }
      yield* watchEventLoop
    })
  )
