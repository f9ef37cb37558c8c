import { Clock, Context, Effect, Layer, Ref } from "effect"
import { repeatPeriodically } from "./loop.ts"

// Releases memory when the process has become quiet. V8 collects garbage when it allocates. A quiet process allocates nothing, so it would
// keep the memory that it grew to under load.

/** Milliseconds between two polls. */
export const IDLE_POLL_MS = 10_000
/**
 * The share of one processor up to which a process is quiet. On the embedded database, polls and maintenance alone take 3 to 6 %, and
 * more just after a load.
 */
export const QUIET_SHARE = 0.1
/** Consecutive quiet polls before memory is released. Compiled code is released too, and would be needed again after a short pause. */
export const QUIET_POLLS = 4
/** Quiet polls before the first release, which mostly frees the memory of the migration and the start. */
export const FIRST_QUIET_POLLS = 1
/** Bytes by which the process must have grown since the last release. Less is not worth the pause of all requests. */
export const MIN_GROWTH_BYTES = 64 * 1024 * 1024

/** Returns whether the process was quiet, by the processor time of all its threads. */
export const isQuiet = (processorMs: number, elapsedMs: number): boolean => processorMs <= QUIET_SHARE * elapsedMs

/** The state that is kept between two polls. */
interface MemoryState {
  readonly polledAt: number
  readonly processorMs: number
  readonly quietPolls: number
  /** The size after the last release. Undefined: there was none. */
  readonly baseBytes: number | undefined
}

/** Returns whether a process of `bytes` should release memory now. */
export const shouldReleaseMemory = (
  { quietPolls, baseBytes }: Pick<MemoryState, "quietPolls" | "baseBytes">,
  bytes: number
): boolean =>
  baseBytes === undefined
    ? quietPolls >= FIRST_QUIET_POLLS
    : quietPolls >= QUIET_POLLS && bytes - baseBytes >= MIN_GROWTH_BYTES

/** The memory and the processor time of this process. */
export class ProcessMemory extends Context.Service<
  ProcessMemory,
  {
    /** Milliseconds of processor time of all threads since the process began. */
    readonly processorMs: Effect.Effect<number>
    readonly residentBytes: Effect.Effect<number>
    /** Releases unused memory and blocks the process for 50 to 150 ms. Undefined: the process runs without `--expose-gc`. */
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
      // Any other flavor collects garbage but keeps the memory of the heap.
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

/** Releases memory whenever the process has become quiet, for as long as it runs. */
export const layerIdleMemory = Layer.effectDiscard(watchMemory)
