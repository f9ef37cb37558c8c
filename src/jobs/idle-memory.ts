import { Clock, Context, Effect, Layer, Ref } from "effect"
import { repeatPeriodically } from "./loop.ts"

// Memory given back when the process has become quiet. While there is work, V8 keeps what it grew to; left alone afterwards
// it allocates nothing, and so has no occasion to find out that most of it could go.

/** Milliseconds between two looks. */
export const IDLE_POLL_MS = 10_000
/**
 * The share of one processor up to which a process is quiet. On the embedded database polls and upkeep alone take 3 to 6 %,
 * more just after a load.
 */
export const QUIET_SHARE = 0.1
/** Quiet looks in a row before memory is given back: compiled code goes with it, which is wanted again after a short pause. */
export const QUIET_POLLS = 4
/** The same for the first time, when most of what goes is what migrating and starting left behind. */
export const FIRST_QUIET_POLLS = 1
/** Bytes by which the process must have grown since the last time: less is not worth holding everybody up. */
export const MIN_GROWTH_BYTES = 64 * 1024 * 1024

/** Whether so much processor time, of all threads, makes a quiet look. */
export const isQuiet = (processorMs: number, elapsedMs: number): boolean => processorMs <= QUIET_SHARE * elapsedMs

/** What is kept from one look to the next. */
interface MemoryState {
  readonly polledAt: number
  readonly processorMs: number
  readonly quietPolls: number
  /** The size after memory was given back last; undefined: never yet. */
  readonly baseBytes: number | undefined
}

/** Whether it is time to give memory back, from a process of that size. */
export const shouldReleaseMemory = (
  { quietPolls, baseBytes }: Pick<MemoryState, "quietPolls" | "baseBytes">,
  bytes: number
): boolean =>
  baseBytes === undefined
    ? quietPolls >= FIRST_QUIET_POLLS
    : quietPolls >= QUIET_POLLS && bytes - baseBytes >= MIN_GROWTH_BYTES

/** The memory of this process, and what it has cost in processor time. */
export class ProcessMemory extends Context.Service<
  ProcessMemory,
  {
    /** Milliseconds of processor time of all threads since the process began. */
    readonly processorMs: Effect.Effect<number>
    readonly residentBytes: Effect.Effect<number>
    /** Gives back all that can be, and holds everything up meanwhile (50 to 150 ms). Undefined: the process was not given the means. */
    readonly releaseMemory: Effect.Effect<void> | undefined
  }
>()("latchkey/jobs/ProcessMemory") {
  static readonly layer = Layer.sync(ProcessMemory, () => {
    const { gc } = globalThis
    return {
      processorMs: Effect.sync(() => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1000
      }),
      residentBytes: Effect.sync(() => process.memoryUsage.rss()),
      // Any other flavour collects what is dead and keeps the room.
      releaseMemory: gc && Effect.sync(() => gc({ type: "major", execution: "sync", flavor: "last-resort" }))
    }
  })
}

const poll = Effect.fnUntraced(function* (
  memory: ProcessMemory["Service"],
  state: MemoryState,
  releaseMemory: Effect.Effect<void>
) {
  const polledAt = yield* Clock.currentTimeMillis
  const processorMs = yield* memory.processorMs
  const quietPolls = isQuiet(processorMs - state.processorMs, polledAt - state.polledAt) ? state.quietPolls + 1 : 0
  const bytes = yield* memory.residentBytes
  if (!shouldReleaseMemory({ ...state, quietPolls }, bytes)) return { ...state, polledAt, processorMs, quietPolls }
  yield* releaseMemory
  const baseBytes = yield* memory.residentBytes
  yield* Effect.logDebug("the process released idle memory").pipe(
    Effect.annotateLogs({ before: bytes, after: baseBytes })
  )
  return { polledAt, processorMs, quietPolls, baseBytes }
})

const watchMemory = Effect.gen(function* () {
  const memory = yield* ProcessMemory
  const { releaseMemory } = memory
  if (releaseMemory === undefined) return
  const state = yield* Ref.make<MemoryState>({
    polledAt: yield* Clock.currentTimeMillis,
    processorMs: yield* memory.processorMs,
    quietPolls: 0,
    baseBytes: undefined
  })
  yield* repeatPeriodically("releasing idle memory", IDLE_POLL_MS, () =>
    Effect.flatMap(Ref.get(state), (last) =>
      Effect.flatMap(poll(memory, last, releaseMemory), (next) => Ref.set(state, next))
    )
  )
})

/** Gives memory back whenever the process has become quiet, for as long as it runs. */
export const layerIdleMemory = Layer.effectDiscard(watchMemory)
