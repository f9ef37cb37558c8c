import { Effect, Layer } from "effect"
import { chooseSessionLayer, DatabaseSettings } from "../platform/database/database-layers.ts"
import { WakeUp } from "./WakeUp.ts"

/** Without a session connection, a process cannot listen for other processes. It polls instead. */
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

/** Wakes the workers on the database of the settings: those of this process, and on a server those of the others. */
export const layerWakeUp = chooseWakeUp(WakeUp.layerServer, layerPolling)

/** The same for a command. On the embedded database a running service wakes its own workers after each of its statements. */
export const layerCommandWakeUp = chooseWakeUp(WakeUp.layerNotifyOnly, WakeUp.layerProcess)
