import { Effect, Latch, Layer, Option, Redacted, Schema } from "effect"
import { RateWindows } from "../../admission/windows/RateWindows.ts"
import type { Settings } from "../../service/configuration.ts"
import { type Asking, makeCommonCounts } from "./common-counts.ts"
import { layerTellingMeasures } from "./telling-measures.ts"
import { FromParent, type FromWorker, type Told } from "./words.ts"

const heardFrom = Schema.decodeUnknownOption(FromParent)

/** What a worker has of its parent, from its start to its end. */
export const withParent = () => {
  const replaced = Latch.makeUnsafe()
  const asked = Latch.makeUnsafe()
  let told: (told: ReadonlyArray<Told>) => void = () => {}
  // The parent decides what a hang-up means; it comes to the whole group where a terminal goes.
  process.on("SIGHUP", () => {})
  process.on("message", (words) => {
    const heard = Option.getOrUndefined(heardFrom(words))
    if (heard === undefined) return
    if ("told" in heard) return told(heard.told)
    if ("measure" in heard) return void asked.openUnsafe()
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
    /** Leaves the port of metrics to its parent, and tells it what there is to tell. */
    metrics: ({ metricsPort }: Pick<Settings, "metricsPort">) =>
      metricsPort === undefined ? Layer.empty : layerTellingMeasures(asked, say),
    /** Counts with the other workers: of several machines at Redis, of this one at the parent. */
    windows: ({ redisUrl }: Pick<Settings, "redisUrl">) =>
      redisUrl === undefined
        ? RateWindows.layerCommon(makeCommonCounts(asking))
        : RateWindows.layerRedis(Redacted.value(redisUrl))
  }
}
