import { Effect, Layer } from "effect"
import { chooseSessionLayer, DatabaseSettings } from "../platform/database/database-layers.ts"
import { WakeUp } from "./WakeUp.ts"

/** Behind a pooler, the process cannot receive the notifications of others, so it polls. */
const layerPolling = Layer.tap(WakeUp.layerProcess, () =>
  Effect.logInfo(
    "this process polls for the work of other processes every second, because a connection pooler does not pass on notifications; set DATABASE_DIRECT_URL"
  )
)

const chooseWakeUp = (server: typeof WakeUp.layerServer, fallback: Layer.Layer<WakeUp>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const sessions = yield* chooseSessionLayer
      if (sessions !== undefined) return Layer.provide(server, sessions)
      return (yield* DatabaseSettings).databaseUrl === undefined ? WakeUp.layerProcess : fallback
    })
  )

export const layerWakeUp = chooseWakeUp(WakeUp.layerServer, layerPolling)

/**
 * Used by commands. With the embedded database, the running service executes a command's statements and wakes its own
 * workers.
 */
export const layerCommandWakeUp = chooseWakeUp(WakeUp.layerNotifyOnly, WakeUp.layerProcess)
