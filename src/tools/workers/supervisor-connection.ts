import { Effect, Latch, Layer, Option, Redacted, Schema } from "effect"
import { RateWindows } from "../../admission/windows/RateWindows.ts"
import type { Settings } from "../../service/configuration.ts"
import { layerMetricsReporter } from "./metrics-reporter.ts"
import { makeSupervisorCounters, type SupervisorChannel } from "./supervisor-counters.ts"
import { type CountResponse, SupervisorMessage, type WorkerMessage } from "./worker-messages.ts"

const decodeMessage = Schema.decodeUnknownOption(SupervisorMessage)

export const connectToSupervisor = () => {
  const replacementReady = Latch.makeUnsafe()
  const metricsRequested = Latch.makeUnsafe()
  let onResponses: (responses: ReadonlyArray<CountResponse>) => void = () => {}
  // The primary handles SIGHUP. A closing terminal sends it to the workers too.
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
    announce: (startMessage: string) => Effect.sync(() => send({ ready: startMessage })),
    replaced: replacementReady,
    layerMetrics: ({ metricsPort }: Pick<Settings, "metricsPort">) =>
      metricsPort === undefined ? Layer.empty : layerMetricsReporter(metricsRequested, send),
    /** With Redis, all machines share the rate-limit windows, otherwise the workers of this machine. */
    layerRateWindows: ({ redisUrl }: Pick<Settings, "redisUrl">) =>
      redisUrl === undefined
        ? RateWindows.layerShared(makeSupervisorCounters(channel))
        : RateWindows.layerRedis(Redacted.value(redisUrl))
  }
}
