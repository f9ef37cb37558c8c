import { DateTime, Effect, Layer, Schedule } from "effect"
import { RateWindows } from "../../../../src/admission/windows/RateWindows.ts"
import { Ingest } from "../../../../src/connectors/ingest/Ingest.ts"
import { layerSandbox, layerSandboxWorkers } from "../../../../src/connectors/sandbox/layer.ts"
import { SandboxAccess } from "../../../../src/connectors/sandbox/SandboxAccess.ts"
import { layerSandboxConnector } from "../../../../src/connectors/sandbox/SandboxConnector.ts"
import { layerPushJobsWithPrices } from "../../../../src/domain/calendars/base-prices/missed-price-pushes.ts"
import { ChannelGateway } from "../../../../src/domain/channels/port/ChannelGateway.ts"
import { layerMessageJobs } from "../../../../src/domain/guests/conversations/sending/message-jobs.ts"
import { EventDispatcher } from "../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { type InternalSubscriber, InternalSubscribers } from "../../../../src/jobs/events/internal-subscribers.ts"
import { WakeUp } from "../../../../src/jobs/WakeUp.ts"
import { layerService } from "../../harness.ts"
import { layerOwnDatabase } from "../../own-database.ts"
import { ScriptedChannel } from "../../scripted-channel.ts"

const layerDatabaseAndWakeUp = Layer.merge(layerOwnDatabase, WakeUp.layerProcess)

const layerMarketplace = Layer.provideMerge(layerSandbox, Layer.merge(Ingest.layer, SandboxAccess.layerAlways)).pipe(
  Layer.provide(layerDatabaseAndWakeUp)
)

const layerGateway = Layer.provide(ChannelGateway.layer, [
  Layer.provide(layerSandboxConnector, layerMarketplace),
  layerOwnDatabase
]).pipe(Layer.orDie)

/** The service and its marketplace together: what each says reaches the other by itself. */
export const layerServiceWithSandbox = Layer.mergeAll(
  Layer.provide(layerSandboxWorkers, [layerMarketplace, layerDatabaseAndWakeUp]),
  Layer.provide(Layer.merge(layerPushJobsWithPrices, layerMessageJobs), [layerGateway, layerDatabaseAndWakeUp])
).pipe(
  Layer.provideMerge(layerMarketplace),
  Layer.provideMerge(
    layerService(
      layerOwnDatabase,
      RateWindows.layerMemory,
      Layer.merge(ScriptedChannel.layer, layerGateway),
      WakeUp.layerProcess
    )
  )
)

/** Hands events out as the running service does, which also delivers them. */
export const layerEventDispatcher = (...subscribers: ReadonlyArray<InternalSubscriber>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { dispatchNext } = yield* EventDispatcher
      const dispatchDue = Effect.flatMap(DateTime.nowAsDate, dispatchNext)
      yield* Effect.forkScoped(Effect.repeat(dispatchDue, Schedule.spaced("50 millis")))
    })
  ).pipe(Layer.provide(Layer.provide(EventDispatcher.layer, Layer.succeed(InternalSubscribers, subscribers))))
