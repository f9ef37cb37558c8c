import { Console, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { migrations } from "../../../migrations/index.ts"
import { CurrentActor, systemActor } from "../../contract/actor.ts"
import { Operators } from "../../domain/access/operators/Operators.ts"
import { DatabaseSettings, layerCommandDatabase } from "../../platform/database/database-layers.ts"
import { loadPendingMigrations } from "../../platform/database/pending-migrations.ts"
import { Deployment } from "../../platform/installation.ts"
import { layerSealing } from "../../platform/sealing/CurrentSealer.ts"
import { layerTelemetry } from "../../platform/telemetry/layer.ts"
import { makeLineWriter } from "../../platform/telemetry/line-writer.ts"
import { DEFAULT_SAMPLER } from "../../platform/telemetry/sampling.ts"
import { Configuration } from "../../service/configuration.ts"
import { DatabaseNotMigrated, DatabaseUnreachable, isDatabaseUnreachable } from "./command-failure.ts"
import { JsonFlag, reportFailure } from "./command-output.ts"

/** Logs to standard error, because standard output is only for results. */
const layerQuietLog = layerTelemetry(
  { logFormat: "pretty", logLevel: "Warn", otlpEndpoint: undefined, sampler: DEFAULT_SAMPLER, version: "" },
  makeLineWriter(process.stderr)
)

/** A token works only in the deployment that issued it. */
const layerDeployment = Layer.effect(
  Deployment,
  Effect.map(Configuration, ({ deployment }) => deployment)
)

const layerSecretSealing = Layer.unwrap(Effect.map(Configuration, ({ secretKeys }) => layerSealing(secretKeys)))

export const layerCommandSettings = Layer.merge(layerDeployment, layerSecretSealing).pipe(
  Layer.provideMerge(Configuration.layer),
  Layer.provideMerge(layerQuietLog)
)

const withCommandDatabase = <A, E>(work: Effect.Effect<A, E, SqlClient | Configuration | DatabaseSettings>) =>
  Effect.gen(function* () {
    const { databaseUrl } = yield* DatabaseSettings
    return yield* Effect.catchCauseIf(Effect.provide(work, layerCommandDatabase), isDatabaseUnreachable, (cause) =>
      Effect.fail(new DatabaseUnreachable({ location: databaseUrl === undefined ? "DATA_DIR" : "DATABASE_URL", cause }))
    )
  }).pipe(Effect.provide(layerCommandSettings))

const requireMigrated = Effect.flatMap(loadPendingMigrations(migrations), (pending) =>
  pending.length === 0 ? Effect.void : new DatabaseNotMigrated()
)

export const runStandaloneCommand = <A extends object, E, R>(
  work: Effect.Effect<A, E, R>,
  format: (result: A) => string
) =>
  reportFailure(
    Effect.flatMap(Effect.all([JsonFlag, Effect.provide(work, layerCommandSettings)]), ([json, result]) =>
      Console.log(json ? JSON.stringify(result) : format(result))
    )
  )

export const runUnmigratedCommand = <A extends object, E>(
  work: Effect.Effect<A, E, SqlClient | Configuration | DatabaseSettings>,
  format: (result: A) => string
) =>
  reportFailure(
    Effect.flatMap(Effect.all([JsonFlag, withCommandDatabase(work)]), ([json, result]) =>
      Console.log(json ? JSON.stringify(result) : format(result))
    )
  )

/** Requires a migrated database. `command` is the name without flags, for the audit log. */
export const runCommand = <A extends object, E>(
  command: string,
  work: Effect.Effect<A, E, CurrentActor | Operators | SqlClient | Configuration | DatabaseSettings>,
  format: (result: A) => string
) =>
  runUnmigratedCommand(
    Effect.andThen(requireMigrated, Effect.provide(work, Operators.layer)).pipe(
      Effect.provideService(CurrentActor, systemActor("command line", command))
    ),
    format
  )
