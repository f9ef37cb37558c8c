import { Console, Effect, type Latch, Layer, Redacted } from "effect"
import { HttpMiddleware } from "effect/http"
import { migrations } from "../migrations/index.ts"
import packageJson from "../package.json" with { type: "json" }
import { ConcurrencyLimiter } from "./admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "./admission/windows/RateWindows.ts"
import { SharedCalendars } from "./domain/calendars/calendar-share-links/SharedCalendars.ts"
import { PropertyFeeds } from "./domain/calendars/property-feeds/PropertyFeeds.ts"
import { Images } from "./domain/guests/images/Images.ts"
import { layerNewEvents } from "./jobs/events/layer.ts"
import { layerIdleMemory, ProcessMemory } from "./jobs/idle-memory.ts"
import { Shutdown } from "./jobs/Shutdown.ts"
import { WakeUp } from "./jobs/WakeUp.ts"
import { layerWakeUp } from "./jobs/wake-up-layers.ts"
import {
  layerControl,
  layerDatabase,
  layerReadiness,
  layerRequestDatabase,
  layerWriteAccess
} from "./platform/database/database-layers.ts"
import { migrate } from "./platform/database/migrate.ts"
import { layerPoolMetrics } from "./platform/database/pool-metrics.ts"
import type { Readiness } from "./platform/database/Readiness.ts"
import { EMBEDDED_PERMITS, SHARED_READ_CONNECTIONS } from "./platform/limits.ts"
import { requireSecretKeys, warnSecretsInClear } from "./platform/sealing/startup-check.ts"
import { layerTelemetry } from "./platform/telemetry/layer.ts"
import { layerProcessMetrics } from "./platform/telemetry/metrics/process-metrics.ts"
import { Snapshots } from "./platform/telemetry/metrics/Snapshots.ts"
import { exportsMetrics, layerBackgroundWork } from "./process/background-work.ts"
import {
  type LayerConnectors,
  makeConnectorLayer,
  makeSandboxLayers,
  type SandboxLayers
} from "./process/connector-layers.ts"
import { layerInstallation } from "./process/installation-layer.ts"
import {
  checkImageStore,
  layerConnectorMessages,
  layerConsole,
  layerDocumentation,
  layerGuestPortal,
  layerImageBytes,
  layerService
} from "./process/service-layers.ts"
import { NO_TEST_SERVER, type TestServerLayers, testServerLayers } from "./process/test-server-layers.ts"
import { Configuration, isMissingSecretKey, type Settings } from "./service/configuration.ts"
import { renderGreeting } from "./tools/demo/greeting.ts"
import type { TestServerOptions } from "./tools/test-server/options.ts"
import { makeHttpApp } from "./transports/http-app.ts"
import { listen } from "./transports/http-server/listen.ts"
import { layerMetricsPort, type MetricsPortUnavailable } from "./transports/metrics/metrics-endpoint.ts"

const layerRateWindows = ({ redisUrl }: Settings) =>
  redisUrl === undefined ? RateWindows.layerMemory : RateWindows.layerRedis(Redacted.value(redisUrl))

const layerPermits = ({ databaseUrl, databaseConnections }: Settings) =>
  ConcurrencyLimiter.layer(databaseUrl === undefined ? EMBEDDED_PERMITS : databaseConnections - SHARED_READ_CONNECTIONS)

const layerControlCommands = Layer.unwrap(Effect.map(WakeUp, ({ wake }) => layerControl(wake)))

const layerServiceMetrics = (settings: Settings) =>
  exportsMetrics(settings) ? Layer.merge(layerProcessMetrics(packageJson.version), layerPoolMetrics) : Layer.empty

const layerPrometheusPort = ({ metricsPort, host }: Settings) =>
  metricsPort === undefined
    ? Layer.empty
    : Layer.provide(layerMetricsPort({ port: metricsPort, host }), Snapshots.layerProcess)

// Migrations use connections without a statement timeout.
const layerMigration = Layer.provide(
  Layer.effectDiscard(Effect.andThen(migrate(migrations), requireSecretKeys)),
  layerDatabase
)

/** With several workers, only the primary process warns. A test server has no real secrets. */
const layerUnsealedWarning = ({ replacementReady, test }: ServeOptions, settings: Settings) =>
  replacementReady === undefined && test === undefined && isMissingSecretKey(settings)
    ? Layer.effectDiscard(warnSecretsInClear)
    : Layer.empty

/** An interruption waits until open requests have ended. */
const serveHttp = Effect.fnUntraced(function* ({ announce, replacementReady }: ServeOptions) {
  const settings = yield* Configuration
  const http = yield* makeHttpApp(settings)
  // Last, because a connection that is accepted during the migration would never get a response.
  yield* listen(http, { ...settings, replaced: replacementReady, onStop: (yield* Shutdown).begin })
  yield* announce(yield* renderGreeting(settings))
})

/**
 * The transports depend on the background work. So it ends after them and still runs the jobs of their last requests.
 */
const layerForRole = (
  options: ServeOptions,
  settings: Settings,
  connectors: LayerConnectors,
  sandbox: SandboxLayers
) => {
  const backgroundWork = layerBackgroundWork(settings, connectors, sandbox)
  if (options.role === "worker") {
    return Layer.provide(
      Layer.effectDiscard(options.announce("Latchkey runs background work only; it does not listen on a port.")),
      backgroundWork
    )
  }
  const layerTransports = Layer.effectDiscard(serveHttp(options))
  return options.role === "api" ? layerTransports : Layer.provide(layerTransports, backgroundWork)
}

const makeTestServerLayers = ({ test }: ServeOptions): TestServerLayers =>
  test === undefined ? NO_TEST_SERVER : testServerLayers(test)

const layerProgram = (options: ServeOptions, testServer = makeTestServerLayers(options)) =>
  Layer.unwrap(
    Effect.map(Effect.tap(Configuration, checkImageStore), (settings) => {
      const layerMigrated = Layer.provide(layerMigration, testServer.emptyDatabase)
      const sandbox = makeSandboxLayers(settings)
      const connectors = makeConnectorLayer(settings, sandbox)
      return layerForRole(options, settings, connectors, sandbox).pipe(
        Layer.provide(Layer.provide(layerIdleMemory, ProcessMemory.layer)),
        Layer.provide([layerControlCommands, testServer.makeTestRoutes(settings, sandbox)]),
        Layer.provide(Layer.provide(layerUnsealedWarning(options, settings), layerMigrated)),
        Layer.provide(layerMigrated),
        Layer.provide(layerConnectorMessages(settings)),
        // The Service comes after the pages, because they call its operations.
        Layer.provide([layerConsole(settings), layerDocumentation(settings)]),
        Layer.provide(layerService(settings, options.rateWindows(settings), connectors)),
        Layer.provide(sandbox.connector),
        Layer.provide(layerGuestPortal),
        Layer.provide([layerNewEvents, Shutdown.layer]),
        // `layerDatabase` first checks the server. Otherwise a hot standby, which also rejects LISTEN, would log the
        // same cause twice.
        Layer.provide(Layer.provide(layerWakeUp, layerDatabase)),
        // The Service, not the HTTP server, creates the span of a request.
        Layer.provide(Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)),
        Layer.provide([SharedCalendars.layer, PropertyFeeds.layer, Images.layer()]),
        Layer.provide(layerImageBytes(settings)),
        Layer.provide(options.permits(settings)),
        Layer.provide([options.metricsPort(settings), layerServiceMetrics(settings)]),
        Layer.provide(layerWriteAccess),
        Layer.provide([layerRequestDatabase, layerReadiness]),
        Layer.provide(layerTelemetry({ ...settings, version: packageJson.version })),
        Layer.provide(layerInstallation(settings))
      )
    })
  ).pipe(Layer.provide(testServer.configuration), Layer.provide(testServer.foundation))

interface ServeOptions {
  readonly role: "all" | "api" | "worker"
  readonly rateWindows: (settings: Settings) => Layer.Layer<RateWindows>
  readonly permits: (settings: Settings) => Layer.Layer<ConcurrencyLimiter>
  /** Empty for one of several workers, because the primary process serves the metrics. */
  readonly metricsPort: (settings: Settings) => Layer.Layer<never, MetricsPortUnavailable, Readiness>
  readonly announce: (greeting: string) => Effect.Effect<void>
  /** Opens when another process has replaced this one. Undefined for a process that is not one of several workers. */
  readonly replacementReady: Latch.Latch | undefined
  /** Set for a test server. */
  readonly test: TestServerOptions | undefined
}

const DEFAULT_OPTIONS: ServeOptions = {
  role: "all",
  rateWindows: layerRateWindows,
  permits: layerPermits,
  metricsPort: layerPrometheusPort,
  announce: Console.log,
  replacementReady: undefined,
  test: undefined
}

export const serveWith = (options: Partial<ServeOptions>) =>
  Layer.launch(layerProgram({ ...DEFAULT_OPTIONS, ...options }))

export const serve = serveWith({})
