import { Clock, Context, Effect, Layer } from "effect"

/**
 * The wall clock of a test server. It runs like the system clock, and a test can move it. Sleeps, time-outs and
 * measured durations follow the system's monotonic clock, so a move does not end them.
 */
export class MovableClock extends Context.Service<
  MovableClock,
  {
    readonly now: Effect.Effect<number>
    /** Stops the clock at `time`, in milliseconds, or leaves it where it is if it is already later. */
    readonly stopAt: (time: number) => Effect.Effect<void>
    /** Stops the clock at `time`, which may be in the past. */
    readonly setTo: (time: number) => Effect.Effect<void>
    /** Lets a stopped clock run on. */
    readonly run: Effect.Effect<void>
  }
>()("latchkey/platform/MovableClock") {
  /** Replaces the `Clock` of all layers and fibers below. `start` is in milliseconds; by default it is the present. */
  static readonly layer = (start?: number): Layer.Layer<MovableClock> =>
    Layer.effectContext(
      Effect.map(Clock.Clock, (system) => {
        const clock = new OffsetClock(system, start)
        return Context.empty().pipe(
          Context.add(Clock.Clock, clock),
          Context.add(MovableClock, {
            now: clock.currentTimeMillis,
            stopAt: (time) => Effect.sync(() => clock.stopAt(Math.max(time, clock.currentTimeMillisUnsafe()))),
            setTo: (time) => Effect.sync(() => clock.stopAt(time)),
            run: Effect.sync(() => clock.run())
          })
        )
      })
    )
}

const NANOS_PER_MILLI = 1_000_000n

class OffsetClock implements Clock.Clock {
  readonly #system: Clock.Clock
  #offset: number
  #stoppedAt: number | undefined

  constructor(system: Clock.Clock, start: number | undefined) {
    this.#system = system
    this.#offset = start === undefined ? 0 : start - system.currentTimeMillisUnsafe()
  }

  stopAt(time: number): void {
    this.#stoppedAt = time
  }

  run(): void {
    if (this.#stoppedAt === undefined) return
    this.#offset = this.#stoppedAt - this.#system.currentTimeMillisUnsafe()
    this.#stoppedAt = undefined
  }

  currentTimeMillisUnsafe(): number {
    return this.#stoppedAt ?? this.#system.currentTimeMillisUnsafe() + this.#offset
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())

  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.trunc(this.currentTimeMillisUnsafe())) * NANOS_PER_MILLI
  }

  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())

  monotonicTimeNanosUnsafe(): bigint {
    return this.#system.monotonicTimeNanosUnsafe()
  }

  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  sleep(duration: Parameters<Clock.Clock["sleep"]>[0]): Effect.Effect<void> {
    return this.#system.sleep(duration)
  }
}
