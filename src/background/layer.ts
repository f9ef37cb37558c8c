import { Effect, Layer } from "effect"
import { DatabaseSettings, layerBackgroundDatabase } from "../database/choose.ts"
import { WakeUp } from "./WakeUp.ts"

const layerOn = (server: typeof WakeUp.layerServer) =>
  Layer.unwrap(
    Effect.map(DatabaseSettings, ({ databaseUrl }) =>
      databaseUrl === undefined ? WakeUp.layerProcess : Layer.provide(server, layerBackgroundDatabase)
    )
  )

/** Wakes whoever works on the database that the settings name: this process, and on a server the others. */
export const layerWakeUp = layerOn(WakeUp.layerServer)

/** The same for a command. On the embedded database a running service wakes its own workers after each of its statements. */
export const layerWakeUpOfCommand = layerOn(WakeUp.layerTelling)
