import { readdirSync } from "node:fs"
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from "node:perf_hooks"
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8"
import { Effect, Layer, Metric, Result, type Scope } from "effect"
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
  OUTCOMES,
  openFiles,
  residentBytes,
  uptime,
  workersDied
} from "./declared.ts"
import { fromNothing, watched } from "./family.ts"
import { flagsOfProcess, heapFullness, nurseryBytes } from "./heap.ts"
import { note, standsAt } from "./measuring.ts"

/** Milliseconds that one look at the event loop is about. */
export const LOOP_LOOK_MS = 10_000
/** Milliseconds between two times that the delay of the event loop is taken. */
const LOOP_RESOLUTION_MS = 20

const secondsOf = (nanos: number): number => (Number.isFinite(nanos) ? nanos / 1e9 : 0)

/**
 * How late the loop came by since the last look: what its timer took beyond its own time. The longest time is taken anew with
 * each look, so what was once slow does not stand for ever.
 */
const watchingLoop = Effect.gen(function* () {
  const delay = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const monitor = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
      monitor.enable()
      return monitor
    }),
    (monitor) => Effect.sync(() => monitor.disable())
  )
  const late = (nanos: number) => Math.max(0, secondsOf(nanos) - LOOP_RESOLUTION_MS / 1000)
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  const look = Effect.gen(function* () {
    yield* standsAt(loopDelayP50.of({}), late(delay.percentile(50)))
    yield* standsAt(loopDelayP99.of({}), late(delay.percentile(99)))
    yield* standsAt(loopDelayMax.of({}), late(delay.max))
    delay.reset()
    const now = performance.eventLoopUtilization()
    yield* standsAt(loopUtilization.of({}), performance.eventLoopUtilization(now, before).utilization)
    before = now
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(LOOP_LOOK_MS), look)))
})

/** What is open, as Linux lists it. */
const OPEN = "/proc/self/fd"
const countOpen = () => Result.try(() => readdirSync(OPEN).length)

/** A counter that the system keeps: asked when somebody looks. */
const kept = (mode: "user" | "system"): Effect.Effect<void, never, Scope.Scope> =>
  Effect.contextWith((context) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() =>
          Metric.registerUnsafe(cpuTime.of({ "cpu.mode": mode }), context, {
            get: () => ({ count: process.cpuUsage()[mode] / 1e6, incremental: true }),
            update: () => {},
            modify: () => {}
          })
        ),
        (registration) => Effect.sync(() => registration.remove())
      )
    )
  )

const watchedUptime = watched(uptime.of({}), () => process.uptime())

/** What the parent of workers says of itself: it lives as long as the service does, whichever worker is replaced. */
export const layerParentMetrics: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* watchedUptime
    const died = workersDied.of({})
    // From 0 on, as the first is an increase.
    yield* Effect.withFiber((fiber) => Effect.sync(() => note(fiber, died, 0)))
  })
)

/** What the process is and takes, for as long as it runs. `version`: its release. */
export const layerProcessMetrics = (version: string): Layer.Layer<never> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      yield* fromNothing(OUTCOMES)
      yield* watched(buildInfo.of({ version, node: process.version }), () => 1)
      yield* watched(residentBytes.of({}), () => process.memoryUsage.rss())
      yield* watched(heapUsedBytes.of({}), () => process.memoryUsage().heapUsed)
      yield* watched(heapLimitBytes.of({}), () => getHeapStatistics().heap_size_limit)
      const nursery = nurseryBytes(flagsOfProcess())
      yield* watched(heapUtilization.of({}), () =>
        heapFullness(getHeapSpaceStatistics(), getHeapStatistics().heap_size_limit - nursery)
      )
      yield* watched(externalBytes.of({}), () => process.memoryUsage().external)
      yield* watchedUptime
      yield* kept("user")
      yield* kept("system")
      if (Result.isSuccess(countOpen())) {
        yield* watched(openFiles.of({}), () => Result.getOrElse(countOpen(), () => 0))
      }
      yield* watchingLoop
    })
  )
