import { Effect, Layer } from "effect"
import {
  connectionsMax,
  connectionsPending,
  connectionsUsed,
  databaseUp
} from "../telemetry/metrics/metric-definitions.ts"
import { registerGauge } from "../telemetry/metrics/metric-family.ts"
import { setGauge } from "../telemetry/metrics/metric-updates.ts"
import { DatabaseSettings, maxBackgroundStatements } from "./database-layers.ts"
import { Readiness } from "./Readiness.ts"
import { countStatementsInFlight, type PoolName } from "./statement-metrics.ts"

/** Milliseconds between two questions whether the database is there. */
const DATABASE_PROBE_MS = 15_000

/** Of each set of connections how much is under way and how much waits. More than can be under way waits for one of them. */
const watchPool = Effect.fnUntraced(function* (name: PoolName, maxStatements: number, countInFlight: () => number) {
  yield* registerGauge(connectionsMax.withLabels({ pool: name }), () => maxStatements)
  yield* registerGauge(connectionsUsed.withLabels({ pool: name, state: "used" }), () =>
    Math.min(countInFlight(), maxStatements)
  )
  yield* registerGauge(connectionsPending.withLabels({ pool: name }), () =>
    Math.max(countInFlight() - maxStatements, 0)
  )
})

const probeDatabase = Effect.gen(function* () {
  const { isReady } = yield* Readiness
  const probe = Effect.flatMap(isReady, (isUp) => setGauge(databaseUp.withLabels({}), isUp ? 1 : 0))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(probe, Effect.sleep(DATABASE_PROBE_MS))))
})

/**
 * What waits for the database, and whether it is there, for as long as the process runs. The embedded one has one session, of
 * requests and the background together.
 */
export const layerPoolMetrics = Layer.effectDiscard(
  Effect.gen(function* () {
    const settings = yield* DatabaseSettings
    const countAllInFlight = () => countStatementsInFlight("request") + countStatementsInFlight("background")
    if (settings.databaseUrl === undefined) yield* watchPool("request", 1, countAllInFlight)
    else {
      yield* watchPool("request", settings.databaseConnections, () => countStatementsInFlight("request"))
      yield* watchPool("background", maxBackgroundStatements(settings), () => countStatementsInFlight("background"))
    }
    yield* probeDatabase
  })
)
