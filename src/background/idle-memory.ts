import { Clock, Context, Effect, Layer, Ref } from "effect"
import { periodically } from "./loop.ts"

// Memory given back when the process has become quiet. While there is work, V8 keeps what it grew to; left alone afterwards
// it allocates nothing, and so has no occasion to find out that most of it could go.

/** Milliseconds between two looks. */
export const LOOK_MS = 10_000
/** The share of one processor up to which a process is quiet: polls and upkeep take a part of it. */
export const QUIET_SHARE = 0.05
/** Quiet looks in a row before memory is given back: with it goes compiled code, which a pause between two crowds needs again. */
export const QUIET_LOOKS = 4
/** Bytes by which the process must have grown since the last time: less is not worth holding everybody up. */
export const GROWN_BYTES = 96 * 1024 * 1024

/** What a look finds. */
export interface Look {
  /** Milliseconds since the look before, and the processor time of all threads in them. */
  readonly elapsedMs: number
  readonly processorMs: number
  readonly residentBytes: number
}

/** What is kept from one look to the next: quiet looks in a row, and the size after memory was given back last. */
export interface Watched {
  readonly quietLooks: number
  readonly baseBytes: number
}

/** A start counts as quiet before and as grown from nothing: its first quiet look drops what migrating and starting left. */
export const AT_START: Watched = { quietLooks: QUIET_LOOKS - 1, baseBytes: 0 }

/** How many quiet looks there are in a row with this one. */
export const quietLooksWith = ({ quietLooks }: Watched, { elapsedMs, processorMs }: Look): number =>
  processorMs <= QUIET_SHARE * elapsedMs ? quietLooks + 1 : 0

/** Whether it is time to give memory back. */
export const isTime = ({ quietLooks, baseBytes }: Watched, residentBytes: number): boolean =>
  quietLooks >= QUIET_LOOKS && residentBytes - baseBytes >= GROWN_BYTES

/** The memory of this process, and what it has cost in processor time. */
export class ProcessMemory extends Context.Service<
  ProcessMemory,
  {
    /** Milliseconds of processor time of all threads since the process began. */
    readonly processorMs: Effect.Effect<number>
    readonly residentBytes: Effect.Effect<number>
    /** Gives back all that can be, and holds everything up meanwhile (50 to 150 ms). Undefined: the process was not given the means. */
    readonly giveBack: Effect.Effect<void> | undefined
  }
>()("latchkey/background/ProcessMemory") {
  static readonly layer = Layer.sync(ProcessMemory, () => {
    const { gc } = globalThis
    return {
      processorMs: Effect.sync(() => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1000
      }),
      residentBytes: Effect.sync(() => process.memoryUsage.rss()),
      // Any other flavour collects what is dead and keeps the room.
      giveBack: gc && Effect.sync(() => gc({ type: "major", execution: "sync", flavor: "last-resort" }))
    }
  })
}

const watching = Effect.gen(function* () {
  const { giveBack, processorMs, residentBytes } = yield* ProcessMemory
  if (giveBack === undefined) return
  const now = Effect.all({ at: Clock.currentTimeMillis, processorMs })
  const before = yield* Ref.make(yield* now)
  const watched = yield* Ref.make(AT_START)

  const look = Effect.gen(function* () {
    const since = yield* Ref.getAndSet(before, yield* now)
    const until = yield* Ref.get(before)
    const { baseBytes, ...last } = yield* Ref.get(watched)
  })
})

/** Gives memory back whenever the process has become quiet, for as long as it runs. */
export const layerIdleMemory = Layer.effectDiscard(watching)
