import { Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { makeNextFailures, NextFailures } from "../connectors/sandbox/NextFailures.ts"
import { Operators } from "../domain/access/operators/Operators.ts"
import { layerListingsWithPrices } from "../domain/calendars/base-prices/mapping-price-pushes.ts"
import { parseAllowedHosts } from "../domain/webhooks/deliveries/allowed-hosts.ts"
import { OrderedWork } from "../jobs/OrderedWork.ts"
import type { WakeUp } from "../jobs/WakeUp.ts"
import {
  DatabaseInMemory,
  DatabaseSettings,
  layerDatabase,
  layerEmbedded
} from "../platform/database/database-layers.ts"
import { makeResetListeners, ResetListeners } from "../platform/database/ResetListeners.ts"
import { TestTemplate, type TestTemplateRejected } from "../platform/database/TestTemplate.ts"
import { MovableClock } from "../platform/MovableClock.ts"
import { Configuration, type Settings, type WrongSetting } from "../service/configuration.ts"
import { DemoSeed } from "../tools/demo/greeting.ts"
import { OperatorsExist } from "../tools/demo/seed.ts"
import { type DatabaseCopies, findDatabaseCopies } from "../tools/test-server/database-copies.ts"
import type { TestServerOptions } from "../tools/test-server/options.ts"
import { TestData, TestStart } from "../tools/test-server/TestData.ts"
import { emptyTestDatabase, takeTestDatabase } from "../tools/test-server/test-database.ts"
import { layerTestEndpoint } from "../transports/test-endpoint/test-endpoint.ts"
import { WebhookReceiver } from "../transports/test-endpoint/WebhookReceiver.ts"
import type { LayerMarketplace, SandboxLayers } from "./connector-layers.ts"
import { layerTestActions } from "./test-actions.ts"

type DatabaseFailure = Layer.Error<typeof layerDatabase>

/** The layers that differ between a service and a test server. */
export interface TestServerLayers {
  readonly configuration: Layer.Layer<Configuration | DatabaseSettings, WrongSetting>
  readonly foundation: Layer.Layer<never>
  /** Runs before the migration. */
  readonly emptyDatabase: Layer.Layer<never, DatabaseFailure | WrongSetting, DatabaseSettings>
  /** Seeds the database, runs background work by the movable clock, and adds the `/test/` routes. */
  readonly makeTestRoutes: (
    settings: Settings,
    sandbox: SandboxLayers
  ) => Layer.Layer<never, DatabaseFailure | TestTemplateRejected, DatabaseSettings | WakeUp>
}

export const NO_TEST_SERVER: TestServerLayers = {
  configuration: Configuration.layer,
  foundation: Layer.empty,
  emptyDatabase: Layer.empty,
  makeTestRoutes: () => Layer.empty
}

/** Receivers of tests run on this machine. */
const LOOPBACK_HOSTS = Result.getOrThrow(parseAllowedHosts("127.0.0.1, ::1, localhost"))

const toTestSettings = (settings: Settings, { seed }: TestServerOptions): Settings => ({
  ...settings,
  // Rate-limit windows of Redis do not follow the movable clock.
  redisUrl: undefined,
  imageStore: undefined,
  demo: seed === "demo",
  sandbox: "always",
  webhookAllowedHosts: LOOPBACK_HOSTS
})

/** Found before the database starts, and saved after it is seeded. */
const FoundCopies = Context.Reference<DatabaseCopies>("latchkey/process/FoundCopies", {
  defaultValue: () => ({ copy: undefined, save: () => Effect.void })
})

const layerTestConfiguration = (options: TestServerOptions) => {
  const layerCopies = Layer.effect(
    FoundCopies,
    Effect.gen(function* () {
      const { databaseUrl } = yield* Configuration
      return databaseUrl === undefined ? yield* findDatabaseCopies(options.seed, options.now) : yield* FoundCopies
    })
  )
  const layerInMemory = Layer.effect(
    DatabaseInMemory,
    Effect.gen(function* () {
      const { databaseUrl } = yield* Configuration
      return databaseUrl === undefined ? { copy: (yield* FoundCopies).copy?.database } : undefined
    })
  )
  return Layer.mergeAll(Layer.effect(DatabaseSettings, Configuration), layerInMemory).pipe(
    Layer.provideMerge(layerCopies),
    Layer.provideMerge(
      Layer.effect(
        Configuration,
        Effect.map(Configuration, (settings) => toTestSettings(settings, options))
      )
    ),
    Layer.provide(Configuration.layer)
  )
}

const makeTestStart = <E, R>(
  { seed, now }: TestServerOptions,
  snapshot: Effect.Effect<Effect.Effect<Blob> | undefined, E, R>
) =>
  Layer.effect(
    TestStart,
    Effect.gen(function* () {
      const [{ copy, save }, takeSnapshot] = [yield* FoundCopies, yield* snapshot]
      return {
        seed,
        now,
        access: copy?.access,
        saveCopy: (access) =>
          takeSnapshot === undefined
            ? Effect.void
            : Effect.flatMap(takeSnapshot, (database) => save({ database, access }))
      }
    })
  )

const findSnapshot = Effect.gen(function* () {
  const { EmbeddedDatabase } = yield* Effect.promise(() => import("../platform/database/embedded.ts"))
  const [{ snapshot }, sql] = [yield* EmbeddedDatabase, yield* SqlClient]
  // Without a checkpoint, the start of a copy would first replay the write-ahead log.
  return Effect.andThen(Effect.orDie(sql`CHECKPOINT`.unprepared), snapshot)
})

/** Copies are of embedded databases alone. */
const layerTestStart = ({ databaseUrl }: Settings, options: TestServerOptions) =>
  databaseUrl === undefined
    ? Layer.provide(makeTestStart(options, findSnapshot), layerEmbedded)
    : makeTestStart(options, Effect.succeed(undefined))

/** The demo operator is already there, and the greeting tells how to use it. */
const layerSeededDemo = Layer.effect(
  DemoSeed,
  Effect.map(TestData, ({ access: { operator_id, token, sign_in } }) =>
    sign_in === null
      ? new OperatorsExist({ demoAccountId: undefined })
      : Effect.succeed({
          operatorId: operator_id,
          accountId: sign_in.account_id,
          email: sign_in.email,
          password: sign_in.password,
          token,
          timeZone: sign_in.time_zone
        })
  )
)

const layerTestRoutes = (settings: Settings, options: TestServerOptions, marketplace: LayerMarketplace) =>
  Layer.mergeAll(layerTestEndpoint, layerSeededDemo).pipe(
    Layer.provide(Layer.provideMerge(layerTestActions, WebhookReceiver.layer)),
    Layer.provideMerge(TestData.layer),
    Layer.provide([layerTestStart(settings, options), Layer.provide(TestTemplate.layer, layerDatabase)]),
    Layer.provide(Layer.merge(Operators.layer, layerListingsWithPrices)),
    Layer.provide(marketplace),
    Layer.provideMerge(OrderedWork.layer)
  )

export const testServerLayers = (options: TestServerOptions): TestServerLayers => {
  const clock = MovableClock.layer(options.now)
  return {
    configuration: layerTestConfiguration(options),
    foundation: Layer.effect(NextFailures, makeNextFailures).pipe(
      Layer.provideMerge(Layer.effect(ResetListeners, makeResetListeners)),
      Layer.provideMerge(clock)
    ),
    emptyDatabase: Layer.unwrap(
      Effect.map(DatabaseSettings, ({ databaseUrl }) =>
        databaseUrl === undefined
          ? Layer.empty
          : Layer.provide(Layer.effectDiscard(Effect.andThen(takeTestDatabase, emptyTestDatabase)), layerDatabase)
      )
    ),
    makeTestRoutes: (settings, { marketplace }) =>
      marketplace === undefined
        ? Layer.effectDiscard(Effect.die(new Error("a test server always has the sandbox")))
        : // One clock for all, because a layer is built once.
          Layer.provide(layerTestRoutes(settings, options, marketplace), clock)
  }
}
