import { Effect, Layer } from "effect"
import { DatabaseSettings, layerBackgroundDatabase } from "../../platform/database/database-layers.ts"
import { LaggingConsumers, watchLaggingConsumers } from "./LaggingConsumers.ts"
import { NewEventNotifier } from "./NewEventNotifier.ts"

export const layerNewEvents = Layer.unwrap(
  Effect.map(DatabaseSettings, ({ databaseUrl }) =>
    databaseUrl === undefined
      ? NewEventNotifier.layerProcess
      : Layer.provide(NewEventNotifier.layerServer, layerBackgroundDatabase)
  )
)

export const layerConsumerWatch = Layer.effectDiscard(watchLaggingConsumers).pipe(Layer.provide(LaggingConsumers.layer))
