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

const DATABASE_PROBE_MS = 15_000

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

/** The embedded database has one session, so its background statements count in the pool `request`. */
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
