import { Effect, Latch, Layer, Option, Redacted, Schema } from "effect"
import { RateWindows } from "../../admission/windows/RateWindows.ts"
import type { Settings } from "../../service/configuration.ts"
import { layerMetricsReporter } from "./metrics-reporter.ts"
import { makeSupervisorCounters, type SupervisorChannel } from "./supervisor-counters.ts"
import { type CountResponse, SupervisorMessage, type WorkerMessage } from "./worker-messages.ts"

const decodeMessage = Schema.decodeUnknownOption(SupervisorMessage)

/** What a worker has of its parent, from its start to its end. */
export const connectToSupervisor = () => {
  const replacementReady = Latch.makeUnsafe()
  const metricsRequested = Latch.makeUnsafe()
  let onResponses: (responses: ReadonlyArray<CountResponse>) => void = () => {}
  // The parent decides what a hang-up means; it comes to the whole group where a terminal goes.
  process.on("SIGHUP", () => {})
  process.on("message", (message) => {
    const received = Option.getOrUndefined(decodeMessage(message))
    if (received === undefined) return
    if ("told" in received) return onResponses(received.told)
    if ("measure" in received) return void metricsRequested.openUnsafe()
    replacementReady.openUnsafe()
    process.kill(process.pid, "SIGTERM")
  })
  const send = (message: WorkerMessage) => void process.send?.(message)
  const channel: SupervisorChannel = {
    send: (requests) => send({ asks: requests }),
    onResponses: (listener) => {
      onResponses = listener
    }
  }
  return {
    /** Says that this process serves now, and what its start prints. */
    announce: (startMessage: string) => Effect.sync(() => send({ ready: startMessage })),
    /** Open once another serves in its place. */
    replaced: replacementReady,
    /** Leaves the port of metrics to its parent, and tells it what there is to tell. */
    layerMetrics: ({ metricsPort }: Pick<Settings, "metricsPort">) =>
      metricsPort === undefined ? Layer.empty : layerMetricsReporter(metricsRequested, send),
    /** Counts with the other workers: of several machines at Redis, of this one at the parent. */
    layerRateWindows: ({ redisUrl }: Pick<Settings, "redisUrl">) =>
      redisUrl === undefined
        ? RateWindows.layerShared(makeSupervisorCounters(channel))
        : RateWindows.layerRedis(Redacted.value(redisUrl))
  }
}
