import { Clock, Effect, Semaphore } from "effect"
import { workersDied } from "../../platform/telemetry/metrics/declared.ts"
import { countOne } from "../../platform/telemetry/metrics/measuring.ts"
import { type Lives, makeLives, served } from "./lives.ts"
import type { Ended, WorkerProcess } from "./WorkerProcesses.ts"

/** Milliseconds that a worker must have lived for its end to be an accident: the next is started at once. */
export const SETTLED_MS = 10_000
/** Milliseconds until the next start of one that ended sooner, twice as long each time, and the longest. */
export const FIRST_PAUSE_MS = 1_000
export const LONGEST_PAUSE_MS = 30_000
/** Milliseconds that a worker of a rolling restart has until it serves: it may have to migrate the database first. */
export const START_MS = 10 * 60_000

/** How long to wait before the next start after a worker that lived so long, and how long it was the last time. */
export const pauseAfter = (livedMs: number, lastPauseMs: number): number => {
  if (livedMs >= SETTLED_MS) return 0
  return lastPauseMs === 0 ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, 2 * lastPauseMs)
}

/** Where one worker after the other is. */
interface Place {
  readonly number: number
  current: WorkerProcess
  /** Held by who puts another in the place of the current one. */
  readonly replacing: Semaphore.Semaphore
}

const placeOf = (number: number, current: WorkerProcess): Effect.Effect<Place> =>
  Effect.map(Semaphore.make(1), (replacing) => ({ number, current, replacing }))

const wordsOf = ({ code, signal }: Ended) => (signal === null ? `with status ${code}` : `by ${signal}`)

/** Starts another worker whenever the one in the place has ended and nobody else has seen to it. */
const keeping = Effect.fnUntraced(function* (place: Place, { begin }: Lives) {
  let pause = 0
  while (true) {
    const watched = place.current
    const from = yield* Clock.currentTimeMillis
    const ended = yield* watched.ended
    if (place.current !== watched) continue
    pause = pauseAfter((yield* Clock.currentTimeMillis) - from, pause)
    yield* countOne(workersDied.of({}))
    const next = pause === 0 ? "now" : `in ${pause / 1_000} s`
    yield* Effect.logWarning(
      `worker ${place.number} (process ${watched.pid}) ended ${wordsOf(ended)}; another starts ${next}`
    )
    yield* Effect.sleep(pause)
    const another = Effect.suspend(() =>
      place.current === watched
        ? Effect.tap(begin, (worker) => {
            place.current = worker
            return Effect.logInfo(`worker ${place.number} is process ${worker.pid}`)
          })
        : Effect.void
    )
    yield* place.replacing.withPermit(another)
  }
})

/** A new worker in the place, the last one asked to go once it serves; whether it came to that. */
const replace = (place: Place, { begin, ending }: Lives) =>
  Effect.gen(function* () {
    const next = yield* begin
    const serves = yield* Effect.isSuccess(Effect.timeout(served(next), START_MS))
    if (!serves) {
      yield* Effect.andThen(next.kill, next.ended)
      return false
    }
    const last = place.current
    place.current = next
    yield* Effect.andThen(last.retire, ending(last))
    yield* Effect.logInfo(`worker ${place.number} is process ${next.pid}, replacing ${last.pid}`)
    return true
  }).pipe(place.replacing.withPermit)

const rolling = Effect.fnUntraced(function* (places: ReadonlyArray<Place>, lives: Lives) {
  yield* Effect.logInfo(`the rolling restart of ${places.length} workers begins`)
  for (const place of places) {
    if (yield* replace(place, lives)) continue
    yield* Effect.logError(
      `the rolling restart stopped at worker ${place.number}: its new process did not start serving; the other workers keep running`
    )
    return
  }
  yield* Effect.logInfo("the rolling restart finished: all workers are new")
})

export interface Supervised {
  /** What the first worker printed when it served. */
  readonly greeting: string
  /**
   * Puts a new worker in the place of each, one after the other and the new one first: somebody always serves. Where a new one
   * does not come to serve, the others stay as they are.
   */
  readonly roll: Effect.Effect<void>
}

/**
 * Keeps so many workers at work until the scope closes, which stops them all and waits for it. The first starts alone: it
 * brings the database up to date, and where it cannot serve, nobody could.
 */
export const supervising = Effect.fnUntraced(function* (workers: number, drainSeconds: number) {
  const lives = yield* makeLives(drainSeconds)
  const first = yield* lives.begin
  const greeting = yield* served(first)
  const places = [yield* placeOf(1, first)]
  while (places.length < workers) places.push(yield* placeOf(places.length + 1, yield* lives.begin))
  for (const place of places) yield* Effect.forkScoped(keeping(place, lives))
  return { greeting, roll: rolling(places, lives) } satisfies Supervised
})
