import { Context, Effect, Layer } from "effect"
import { clearAfterReset } from "../../platform/database/ResetListeners.ts"
import { rateWindowRejections } from "../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../platform/telemetry/metrics/metric-updates.ts"
import { decideAdmission, type WindowsDecision } from "./admission.ts"
import { MemoryCounters } from "./memory-counters.ts"
import { type Bucket, bucketsStillOpen, windowOf } from "./rate-window.ts"

/**
 * Counts that several processes share. Each method returns the counts before this call in the given order, or undefined
 * while the counts are unavailable.
 */
export interface SharedCounters {
  readonly admit: (
    buckets: ReadonlyArray<Bucket>,
    peek: ReadonlyArray<Bucket>,
    nowMillis: number
  ) => Effect.Effect<ReadonlyArray<number> | undefined>
  readonly count: (
    buckets: ReadonlyArray<Bucket>,
    nowMillis: number
  ) => Effect.Effect<ReadonlyArray<number> | undefined>
  readonly giveBack: (
    buckets: ReadonlyArray<Bucket>,
    nowMillis: number
  ) => Effect.Effect<ReadonlyArray<number> | undefined>
}

export class RateWindows extends Context.Service<
  RateWindows,
  {
    /**
     * Checks `buckets` and `peek`, and counts `buckets`, in one atomic step. A rejected call is not counted. No key may
     * occur twice.
     */
    readonly admit: (buckets: ReadonlyArray<Bucket>, peek: ReadonlyArray<Bucket>) => Effect.Effect<WindowsDecision>
    readonly count: (buckets: ReadonlyArray<Bucket>) => Effect.Effect<void>
    /**
     * Takes back one count of each bucket of a call that was admitted at `at` (milliseconds). Windows that have ended
     * are ignored.
     */
    readonly giveBack: (buckets: ReadonlyArray<Bucket>, at: number) => Effect.Effect<void>
  }
>()("latchkey/admission/windows/RateWindows") {
  /** For benchmarks and tests. */
  static readonly layerUnbounded: Layer.Layer<RateWindows> = Layer.succeed(RateWindows, {
    admit: () => Effect.succeed({ _tag: "Admitted", at: 0, remaining: [] }),
    count: () => Effect.void,
    giveBack: () => Effect.void
  })

  static readonly layerMemory: Layer.Layer<RateWindows> = Layer.effect(
    RateWindows,
    Effect.gen(function* () {
      const counters = new MemoryCounters()
      yield* clearAfterReset(Effect.sync(() => counters.clear()))
      return withRejectionMetric({
        admit: (buckets, peek) =>
          Effect.clockWith((clock) => Effect.succeed(counters.admit(buckets, peek, clock.currentTimeMillisUnsafe()))),
        count: (buckets) =>
          Effect.clockWith((clock) => Effect.succeed(counters.count(buckets, clock.currentTimeMillisUnsafe()))),
        giveBack: (buckets, at) =>
          Effect.clockWith((clock) => {
            const now = clock.currentTimeMillisUnsafe()
            return Effect.succeed(counters.giveBack(bucketsStillOpen(buckets, at, now), now))
          })
      })
    })
  )

  /**
   * For several processes. Each process uses its own clock, so that Retry-After, the window and the local fallback
   * agree.
   *
   * While the shared counts are unavailable, each process counts for itself from 0, so a limit applies per process.
   */
  static readonly layerShared = <R>(makeCounters: Effect.Effect<SharedCounters, never, R>) =>
    Layer.effect(
      RateWindows,
      Effect.map(makeCounters, (shared) => {
        const localCounters = new MemoryCounters()
        return withRejectionMetric({
          admit: (buckets, peek) =>
            Effect.clockWith((clock) => {
              const now = clock.currentTimeMillisUnsafe()
              return Effect.map(shared.admit(buckets, peek, now), (previousCounts) =>
                previousCounts === undefined
                  ? localCounters.admit(buckets, peek, now)
                  : decideAdmission(buckets, peek, previousCounts, now)
              )
            }),
          count: (buckets) =>
            Effect.clockWith((clock) => {
              const now = clock.currentTimeMillisUnsafe()
              return Effect.map(shared.count(buckets, now), (previousCounts) => {
                if (previousCounts === undefined) localCounters.count(buckets, now)
              })
            }),
          giveBack: (buckets, at) =>
            Effect.clockWith((clock) => {
              const now = clock.currentTimeMillisUnsafe()
              const openBuckets = bucketsStillOpen(buckets, at, now)
              return Effect.map(shared.giveBack(openBuckets, now), (previousCounts) => {
                if (previousCounts === undefined) localCounters.giveBack(openBuckets, now)
              })
            })
        })
      })
    )

  static readonly layerRedis = (url: string, options?: { readonly prefix?: string }) =>
    RateWindows.layerShared(
      Effect.gen(function* () {
        // Loaded on demand, because the Redis client has hundreds of modules.
        const { admitInput, countInput, giveBackInput } = yield* Effect.promise(
          () => import("./redis-counter-script.ts")
        )
        const { makeRedisLink } = yield* Effect.promise(() => import("./redis-link.ts"))
        const prefix = options?.prefix ?? "latchkey:"
        const link = yield* makeRedisLink(url, (nowMillis) => countInput(prefix, [probe], nowMillis))
        return {
          admit: (buckets, peek, nowMillis) => link.run(admitInput(prefix, buckets, peek, nowMillis)),
          count: (buckets, nowMillis) => link.run(countInput(prefix, buckets, nowMillis)),
          giveBack: (buckets, nowMillis) => link.run(giveBackInput(prefix, buckets, nowMillis))
        } satisfies SharedCounters
      })
    )
}

const withRejectionMetric = (windows: RateWindows["Service"]): RateWindows["Service"] => ({
  ...windows,
  admit: (buckets, peek) =>
    Effect.tap(windows.admit(buckets, peek), (admission) =>
      admission._tag === "Refused"
        ? incrementCounter(rateWindowRejections.withLabels({ scope: admission.bucket.scope }))
        : Effect.void
    )
})

const probe: Bucket = { key: "probe", scope: "user", window: windowOf("1m"), max: Number.MAX_SAFE_INTEGER }
