import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Result } from "effect"
import { parseAllowedHosts } from "../domain/webhooks/deliveries/allowed-hosts.ts"
import { SteeredWork } from "../jobs/SteeredWork.ts"
import type { WakeUp } from "../jobs/WakeUp.ts"
import { DatabaseSettings } from "../platform/database/database-layers.ts"
import { MovableClock } from "../platform/MovableClock.ts"
import { Configuration, type Settings, WrongSetting } from "../service/configuration.ts"
import { layerTestEndpoint } from "../transports/test-endpoint/test-endpoint.ts"

export interface TestServerOptions {
  /** Where the clock starts, in milliseconds. By default it is the present. */
  readonly now?: number
}

/** The layers that differ between a service and a server for tests. */
export interface TestServerLayers {
  readonly configuration: Layer.Layer<Configuration | DatabaseSettings, WrongSetting>
  readonly clock: Layer.Layer<never>
  /** Runs background work by the movable clock, and adds the `/test/` routes. */
  readonly steering: Layer.Layer<never, never, WakeUp>
}

export const NO_TEST_SERVER: TestServerLayers = {
  configuration: Configuration.layer,
  clock: Layer.empty,
  steering: Layer.empty
}

/** Receivers of tests run on this machine. */
const LOOPBACK_HOSTS = Result.getOrThrow(parseAllowedHosts("127.0.0.1, ::1, localhost"))

const makeTemporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "latchkey-test-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
)

const toTestSettings = Effect.fnUntraced(function* (settings: Settings) {
  if (settings.databaseUrl !== undefined) {
    return yield* new WrongSetting({
      variable: "DATABASE_URL",
      expected: "unset for a server for tests, which uses a database of its own"
    })
  }
  const test: Settings = {
    ...settings,
    dataDir: yield* makeTemporaryFolder,
    // Rate-limit windows of Redis do not follow the movable clock.
    redisUrl: undefined,
    demo: true,
    sandbox: "always",
    webhookAllowedHosts: LOOPBACK_HOSTS
  }
  return test
})

const layerTestConfiguration = Layer.effect(DatabaseSettings, Configuration).pipe(
  Layer.provideMerge(Layer.effect(Configuration, Effect.flatMap(Configuration, toTestSettings))),
  Layer.provide(Configuration.layer)
)

export const testServerLayers = ({ now }: TestServerOptions): TestServerLayers => {
  const clock = MovableClock.layer(now)
  return {
    configuration: layerTestConfiguration,
    clock,
    // One clock for both, because a layer is built once.
    steering: layerTestEndpoint.pipe(Layer.provideMerge(SteeredWork.layer), Layer.provide(clock))
  }
}
