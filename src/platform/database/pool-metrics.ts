import { Effect, Layer } from "effect"
import { connectionsMax, connectionsPending, connectionsUsed, databaseUp } from "../telemetry/metrics/declared.ts"
import { watched } from "../telemetry/metrics/family.ts"
import { standsAt } from "../telemetry/metrics/measuring.ts"
import { backgroundStatements, DatabaseSettings } from "./choose.ts"
import { type PoolName, statementsUnderWay } from "./measured.ts"
import { Readiness } from "./Readiness.ts"

/** Milliseconds between two questions whether the database is there. */
export const DATABASE_ASKED_MS = 15_000

/** Of each set of connections how much is under way and how much waits. More than can be under way waits for one of them. */
const pool = Effect.fnUntraced(function* (name: PoolName, most: number, of: () => number) {
  yield* watched(connectionsMax.of({ pool: name }), () => most)
  yield* watched(connectionsUsed.of({ pool: name, state: "used" }), () => Math.min(of(), most))
  yield* watched(connectionsPending.of({ pool: name }), () => Math.max(of() - most, 0))
})

const asking = Effect.gen(function* () {
  const { answers } = yield* Readiness
  const ask = Effect.flatMap(answers, (up) => standsAt(databaseUp.of({}), up ? 1 : 0))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(ask, Effect.sleep(DATABASE_ASKED_MS))))
})

/**
 * What waits for the database, and whether it is there, for as long as the process runs. The embedded one has one session, of
 * requests and the background together.
 */
export const layerPoolMetrics = Layer.effectDiscard(
  Effect.gen(function* () {
    const settings = yield* DatabaseSettings
    const both = () => statementsUnderWay("request") + statementsUnderWay("background")
    if (settings.databaseUrl === undefined) yield* pool("request", 1, both)
    else {
      yield* pool("request", settings.databaseConnections, () => statementsUnderWay("request"))
      yield* pool("background", backgroundStatements(settings), () => statementsUnderWay("background"))
    }
    yield* asking
  })
)
