import { Clock, Context, Effect, Layer, Ref } from "effect"
import { repeatForever } from "./loop.ts"

// V8 collects garbage only when it allocates. A quiet process would keep the memory that it used under load.

export const IDLE_POLL_MS = 10_000
/** Largest share of one processor that counts as quiet. */
export const QUIET_SHARE = 0.1
/** Quiet polls in a row before a release. A release also drops compiled code, which a busy process needs again. */
export const QUIET_POLLS = 4
/** Quiet polls before the first release, which frees the memory of migration and start. */
export const FIRST_QUIET_POLLS = 1
/** A smaller growth is not worth the pause of all requests. */
export const MIN_GROWTH_BYTES = 64 * 1024 * 1024

export const isQuiet = (processorMs: number, elapsedMs: number): boolean => processorMs <= QUIET_SHARE * elapsedMs

interface MemoryState {
  readonly polledAt: number
  readonly processorMs: number
  readonly quietPolls: number
  readonly baseBytes: number | undefined
}

export const shouldReleaseMemory = (
  { quietPolls, baseBytes }: Pick<MemoryState, "quietPolls" | "baseBytes">,
  bytes: number
): boolean =>
  baseBytes === undefined
    ? quietPolls >= FIRST_QUIET_POLLS
    : quietPolls >= QUIET_POLLS && bytes - baseBytes >= MIN_GROWTH_BYTES

export class ProcessMemory extends Context.Service<
  ProcessMemory,
  {
    readonly processorMs: Effect.Effect<number>
    readonly residentBytes: Effect.Effect<number>
    /** Releases unused memory and blocks the process for 50 to 150 ms. Undefined without `--expose-gc`. */
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
      // Other flavors do not release the memory of the heap.
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
  const pollOnce = Effect.flatMap(Ref.get(state), (last) =>
    Effect.flatMap(poll(memory, last, releaseMemory), (next) => Ref.set(state, next))
  )
  yield* Effect.forkScoped(repeatForever("releasing idle memory", Effect.andThen(Effect.sleep(IDLE_POLL_MS), pollOnce)))
})

export const layerIdleMemory = Layer.effectDiscard(watchMemory)
