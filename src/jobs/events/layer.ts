import { Effect, Layer } from "effect"
import { DatabaseSettings, layerBackgroundDatabase } from "../../platform/database/database-layers.ts"
import { LaggingConsumers, watchLaggingConsumers } from "./LaggingConsumers.ts"
import { NewEvents } from "./NewEvents.ts"

/** Tells who waits for events on the database that the settings name. */
export const layerNewEvents = Layer.unwrap(
  Effect.map(DatabaseSettings, ({ databaseUrl }) =>
    databaseUrl === undefined ? NewEvents.layerProcess : Layer.provide(NewEvents.layerServer, layerBackgroundDatabase)
  )
)

/** Watches the consumers of the feed, over a database. */
export const layerConsumerWatch = Layer.effectDiscard(watchLaggingConsumers).pipe(Layer.provide(LaggingConsumers.layer))
