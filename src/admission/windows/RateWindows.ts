import { Context, Effect, Layer } from "effect"
import { rateWindowRejections } from "../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../platform/telemetry/metrics/metric-updates.ts"
import { decideAdmission, type WindowsDecision } from "./admission.ts"
import { MemoryCounters } from "./memory-counters.ts"
import { type Bucket, bucketsStillOpen, windowOf } from "./rate-window.ts"

/**
 * Counts that several processes share. Each answers the counts before this call, in the order given, or undefined while
 * whoever keeps them is away; none fails.
 */
export interface SharedCounters {
  /** Counts `buckets` in one step, if they and `peek` have room. */
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

/** Counts calls in fixed windows (specification, Limits). */
export class RateWindows extends Context.Service<
  RateWindows,
  {
    /**
     * All of `buckets` and `peek` are checked and `buckets` counted in one step that no other call comes between; a
     * refused call is counted nowhere. No key may occur twice.
     */
    readonly admit: (buckets: ReadonlyArray<Bucket>, peek: ReadonlyArray<Bucket>) => Effect.Effect<WindowsDecision>
    /** Counts without asking whether there was room: what layer 4 does after a call failed. */
    readonly count: (buckets: ReadonlyArray<Bucket>) => Effect.Effect<void>
    /**
     * Takes back one count of each, of a call that was admitted `at` that time (milliseconds): nothing where the window has
     * ended since, and never below 0.
     */
    readonly giveBack: (buckets: ReadonlyArray<Bucket>, at: number) => Effect.Effect<void>
  }
>()("latchkey/admission/windows/RateWindows") {
  /** Admits every call: what a bench compares with, and tests that make more calls than a host may. */
  static readonly layerUnbounded: Layer.Layer<RateWindows> = Layer.succeed(RateWindows, {
    admit: () => Effect.succeed({ _tag: "Admitted", at: 0, remaining: [] }),
    count: () => Effect.void,
    giveBack: () => Effect.void
  })

  /** For one process: exact there, forgotten when it ends. */
  static readonly layerMemory = Layer.sync(RateWindows, () => {
    const counters = new MemoryCounters()
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

  /**
   * For several processes that count together, somewhere that may be away. The clock that decides is the process's: the
   * answer's Retry-After, the window counted in and the memory this falls back to then agree, and a cluster's nodes need no
   * common clock. Processes whose clocks differ by a second count that second around a boundary in different windows; each
   * window still holds no more than its limit.
   *
   * While the common counts are away each process counts for itself, from 0, so that a limit holds a process instead of a
   * deployment. A call that ran into the timeout may have been counted there too, and one that was counted on one side of
   * their going away be given back on the other.
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

  /**
   * For several processes on one Redis: one script, one round trip a call; calls of one turn of the event loop share a
   * write to the socket.
   */
  static readonly layerRedis = (url: string, options?: { readonly prefix?: string }) =>
    RateWindows.layerShared(
      Effect.gen(function* () {
        // Loaded when asked for: the client of Redis is hundreds of modules.
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

/** The same, counting what is refused by the scope of the window that was full. */
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
