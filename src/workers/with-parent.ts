import { Effect, Latch, Option, Redacted, Schema } from "effect"
import type { Settings } from "../configuration.ts"
import { RateWindows } from "../gate/windows/RateWindows.ts"
import { type Asking, makeCommonCounts } from "./common-counts.ts"
import { FromParent, type FromWorker, type Told } from "./words.ts"

const heardFrom = Schema.decodeUnknownOption(FromParent)

/** What a worker has of its parent, from its start to its end. */
export const withParent = () => {
  const replaced = Latch.makeUnsafe()
  let told: (told: ReadonlyArray<Told>) => void = () => {}
  // The parent decides what a hang-up means; it comes to the whole group where a terminal goes.
  process.on("SIGHUP", () => {})
  process.on("message", (words) => {
    const heard = Option.getOrUndefined(heardFrom(words))
    if (heard === undefined) return
    if ("told" in heard) return told(heard.told)
    replaced.openUnsafe()
    process.kill(process.pid, "SIGTERM")
  })
  const say = (words: FromWorker) => void process.send?.(words)
  const asking: Asking = {
    say: (asks) => say({ asks }),
    hear: (heard) => {
      told = heard
    }
  }
  return {
    /** Says that this process serves now, and what its start prints. */
    announce: (greeting: string) => Effect.sync(() => say({ ready: greeting })),
    /** Open once another serves in its place. */
    replaced,
    /** Counts with the other workers: of several machines at Redis, of this one at the parent. */
    windows: ({ redisUrl }: Pick<Settings, "redisUrl">) =>
      redisUrl === undefined
        ? RateWindows.layerCommon(makeCommonCounts(asking))
        : RateWindows.layerRedis(Redacted.value(redisUrl))
  }
}
