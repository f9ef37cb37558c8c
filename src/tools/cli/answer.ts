import { Console, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { migrations } from "../../../migrations/index.ts"
import { Acting, byItself } from "../../contract/acting.ts"
import { Operators } from "../../domain/access/operators/Operators.ts"
import { DatabaseSettings, layerCommandDatabase } from "../../platform/database/choose.ts"
import { pendingMigrations } from "../../platform/database/pending.ts"
import { Deployment } from "../../platform/installation.ts"
import { layerSealing } from "../../platform/sealing/Sealing.ts"
import { layerTelemetry } from "../../platform/telemetry/layer.ts"
import { lineWriter } from "../../platform/telemetry/lines.ts"
import { EVERY_TRACE } from "../../platform/telemetry/sampling.ts"
import { Configuration } from "../../service/configuration.ts"
import { isUnreached, NotMigrated, Unreached } from "./failure.ts"
import { Json, reporting } from "./reporting.ts"

/** Commands print results on standard output and nothing else there. */
const layerQuietLog = layerTelemetry(
  { logFormat: "pretty", logLevel: "Warn", otlpEndpoint: undefined, sampler: EVERY_TRACE, version: "" },
  lineWriter(process.stderr)
)

/** Tokens that a command makes are good where the process serves that has the same settings. */
const layerDeployment = Layer.effect(
  Deployment,
  Effect.map(Configuration, ({ deployment }) => deployment)
)

/** What a command writes is sealed as the process does that has the same settings. */
const layerSeals = Layer.unwrap(Effect.map(Configuration, ({ secretKeys }) => layerSealing(secretKeys)))

/** The settings, and a log on standard error. */
export const layerSettings = Layer.merge(layerDeployment, layerSeals).pipe(
  Layer.provideMerge(Configuration.layer),
  Layer.provideMerge(layerQuietLog)
)

/** On the database the settings name; one that does not answer is told by what names it. */
const onDatabase = <A, E>(work: Effect.Effect<A, E, SqlClient | Configuration | DatabaseSettings>) =>
  Effect.gen(function* () {
    const { databaseUrl } = yield* DatabaseSettings
    return yield* Effect.catchCauseIf(Effect.provide(work, layerCommandDatabase), isUnreached, (cause) =>
      Effect.fail(new Unreached({ at: databaseUrl === undefined ? "DATA_DIR" : "DATABASE_URL", cause }))
    )
  }).pipe(Effect.provide(layerSettings))

const migrated = Effect.flatMap(pendingMigrations(migrations), (pending) =>
  pending.length === 0 ? Effect.void : new NotMigrated()
)

/** Does the work, which needs the settings and no database, and prints its result; `say` puts it in words. */
export const answerAlone = <A extends object, E, R>(work: Effect.Effect<A, E, R>, say: (result: A) => string) =>
  reporting(
    Effect.flatMap(Effect.all([Json, Effect.provide(work, layerSettings)]), ([json, result]) =>
      Console.log(json ? JSON.stringify(result) : say(result))
    )
  )

/** Does the work on the database the environment names and prints its result; `say` puts it in words. */
export const answerUnmigrated = <A extends object, E>(
  work: Effect.Effect<A, E, SqlClient | Configuration | DatabaseSettings>,
  say: (result: A) => string
) =>
  reporting(
    Effect.flatMap(Effect.all([Json, onDatabase(work)]), ([json, result]) =>
      Console.log(json ? JSON.stringify(result) : say(result))
    )
  )

/**
 * Like {@link answerUnmigrated}, for work that needs the tables: it refuses before they are made. What it changes is in the
 * trail under the command, its words without its flags.
 */
export const answer = <A extends object, E>(
  command: string,
  work: Effect.Effect<A, E, Acting | Operators | SqlClient | Configuration | DatabaseSettings>,
  say: (result: A) => string
) =>
  answerUnmigrated(
    Effect.andThen(migrated, Effect.provide(work, Operators.layer)).pipe(
      Effect.provideService(Acting, byItself("command line", command))
    ),
    say
  )
