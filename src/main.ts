import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, type Latch, Layer, Redacted } from "effect"
import { HttpMiddleware } from "effect/http"
import { migrations } from "../migrations/index.ts"
import packageJson from "../package.json" with { type: "json" }
import { Places } from "./admission/concurrency/Places.ts"
import { RateWindows } from "./admission/windows/RateWindows.ts"
import { FailedCallCounter } from "./changes/FailedCallCounter.ts"
import { IdempotencyKeys } from "./changes/IdempotencyKeys.ts"
import { layerChangeRetention } from "./changes/retention.ts"
import { ConnectorMessageReceiver } from "./connectors/http/ConnectorMessageReceiver.ts"
import { layerWithHttpConnectors } from "./connectors/http/connectors-layer.ts"
import { layerConnectorMessageRetention } from "./connectors/http/message-retention-layer.ts"
import { Ingest } from "./connectors/ingest/Ingest.ts"
import { layerPendingPayments } from "./connectors/ingest/pending-payments-layer.ts"
import { layerSandbox, layerSandboxWorkers } from "./connectors/sandbox/layer.ts"
import { SandboxAccess } from "./connectors/sandbox/SandboxAccess.ts"
import { layerSandboxConnector } from "./connectors/sandbox/SandboxConnector.ts"
import { Clients } from "./domain/access/oauth/Clients.ts"
import { layerOAuthRetention } from "./domain/access/oauth/retention.ts"
import { Operators } from "./domain/access/operators/Operators.ts"
import { layerTokenUseWriter } from "./domain/access/operators/token-use-writer.ts"
import { Passwords } from "./domain/access/sign-in/Passwords.ts"
import { layerSessionRetention } from "./domain/access/sign-in/retention.ts"
import { Sessions } from "./domain/access/sign-in/Sessions.ts"
import { SubAccounts } from "./domain/access/sign-in/SubAccounts.ts"
import { layerGuestAnswerer } from "./domain/automation/answering/guest-answerer.ts"
import { guestQuestionSubscribers } from "./domain/automation/answering/guest-questions.ts"
import { layerPlanner } from "./domain/automation/planning/planner.ts"
import { markStaysOfReservationEvents } from "./domain/automation/planning/planning-marks.ts"
import { layerPlanRunner } from "./domain/automation/running/plan-runner.ts"
import { GuestPortal } from "./domain/bookings/check-in/GuestPortal.ts"
import { layerIdentityImageRetention } from "./domain/bookings/check-in/identity-image-retention.ts"
import { layerOrderTimeouts } from "./domain/bookings/reservations/order-timeouts.ts"
import { SharedCalendars } from "./domain/calendars/calendar-share-links/SharedCalendars.ts"
import { layerCalendarImportWorker } from "./domain/calendars/imported-calendars/import-worker.ts"
import { layerComparisonWorker } from "./domain/calendars/listing-calendars/comparison-worker.ts"
import { markAvailabilityChangesDue } from "./domain/calendars/listing-calendars/due-days.ts"
import { layerPushWorker } from "./domain/calendars/listing-calendars/push-worker.ts"
import { PropertyFeeds } from "./domain/calendars/property-feeds/PropertyFeeds.ts"
import { ChannelGateway } from "./domain/channels/port/ChannelGateway.ts"
import { Connectors } from "./domain/channels/port/connector.ts"
import { layerMessageSender } from "./domain/guests/conversations/sending/message-sender.ts"
import { isFolderUsable } from "./domain/guests/images/folder-byte-storage.ts"
import { ImageBytes } from "./domain/guests/images/ImageBytes.ts"
import { Images } from "./domain/guests/images/Images.ts"
import { layerImageRetention } from "./domain/guests/images/retention.ts"
import { layerReviewOpening } from "./domain/guests/reviews/review-opening.ts"
import { layerOfferExpiry } from "./domain/guests/special-offers/offer-expiry.ts"
import { layerPreparationWorker } from "./domain/knowledge/preparing/preparation-worker.ts"
import { KnowledgeAnswers } from "./domain/knowledge/search/KnowledgeAnswers.ts"
import { layerNameKeyBackfill } from "./domain/name-key-backfill.ts"
import { AddressResolver } from "./domain/webhooks/deliveries/AddressResolver.ts"
import { AllowedReceivers } from "./domain/webhooks/deliveries/allowed-hosts.ts"
import { layerDeliveries } from "./domain/webhooks/deliveries/layer.ts"
import { OutboundHttp } from "./domain/webhooks/deliveries/OutboundHttp.ts"
import { InternalSubscribers } from "./jobs/events/internal-subscribers.ts"
import { layerConsumerWatch, layerNewEvents } from "./jobs/events/layer.ts"
import { layerIdleMemory, ProcessMemory } from "./jobs/idle-memory.ts"
import { Shutdown } from "./jobs/Shutdown.ts"
import { WakeUp } from "./jobs/WakeUp.ts"
import { layerWakeUp } from "./jobs/wake-up-layers.ts"
import { IMAGES_FOLDER } from "./platform/database/data-folder.ts"
import {
  type DatabaseSettings,
  layerBackgroundDatabase,
  layerControl,
  layerDatabase,
  layerReadiness,
  layerRequestDatabase,
  layerWriteAccess
} from "./platform/database/database-layers.ts"
import { migrate } from "./platform/database/migrate.ts"
import { layerPoolMetrics } from "./platform/database/pool-metrics.ts"
import type { Readiness } from "./platform/database/Readiness.ts"
import {
  Deployment,
  IdentityImageRetentionDays,
  PublicClientEnabled,
  PublicUrl,
  RetentionDays
} from "./platform/installation.ts"
import { CONNECTIONS_BESIDE_PERMITS, EMBEDDED_PERMITS } from "./platform/limits.ts"
import { layerSealing } from "./platform/sealing/CurrentSealer.ts"
import { requireSecretKeys, warnSecretsInClear } from "./platform/sealing/startup-check.ts"
import { layerTelemetry } from "./platform/telemetry/layer.ts"
import { MetricsEnabled } from "./platform/telemetry/metrics/metric-updates.ts"
import { layerProcessMetrics } from "./platform/telemetry/metrics/process-metrics.ts"
import { Snapshots } from "./platform/telemetry/metrics/Snapshots.ts"
import { layerBacklog } from "./service/backlog.ts"
import {
  Configuration,
  IMAGE_STORE_DESCRIPTION,
  isLocalOnly,
  isMissingSecretKey,
  type Settings,
  WrongSetting
} from "./service/configuration.ts"
import { layerServiceAssembly } from "./service/service-assembly.ts"
import { renderGreeting } from "./tools/demo/greeting.ts"
import { DEMO_EMAIL } from "./tools/demo/seed.ts"
import { makeTryPageToken } from "./tools/demo/try-page-token.ts"
import { layerGuestRetention } from "./tools/privacy/guest-retention.ts"
import { layerConnectorEndpoint } from "./transports/connectors/connector-endpoint.ts"
import { layerConsoleEndpoint } from "./transports/console/console-endpoint.ts"
import { layerConsoleQueries } from "./transports/console/queries/layer.ts"
import { makeHttpApp } from "./transports/http-app.ts"
import { listen } from "./transports/http-server/listen.ts"
import { layerMetricsPort, type MetricsPortUnavailable } from "./transports/metrics/metrics-endpoint.ts"
import { layerDocs, TryPageToken } from "./transports/public-documents/docs-endpoint.ts"
import { layerSandboxEndpoint } from "./transports/sandbox-pages/sandbox-endpoint.ts"

// The process: settings choose the layers, the layers make the Service, and the adapters serve it.

const layerRateWindows = ({ redisUrl }: Settings) =>
  redisUrl === undefined ? RateWindows.layerMemory : RateWindows.layerRedis(Redacted.value(redisUrl))

const layerPermits = ({ databaseUrl, databaseConnections }: Settings) =>
  Places.layer(databaseUrl === undefined ? EMBEDDED_PERMITS : databaseConnections - CONNECTIONS_BESIDE_PERMITS)

/** HTTP to receivers, to calendars of elsewhere and to connectors. */
const layerOutboundHttp = ({ webhookAllowedHosts }: Settings) =>
  Layer.provide(OutboundHttp.layer(webhookAllowedHosts), AddressResolver.layer)

/** What the process has of the sandbox: what reaches it and its page, and what it does by itself. */
interface SandboxLayers {
  readonly connector: Layer.Layer<Connectors, DatabaseFailure, DatabaseSettings | WakeUp>
  readonly backgroundWork: Layer.Layer<never, DatabaseFailure, DatabaseSettings | WakeUp>
}

type DatabaseFailure = Layer.Error<typeof layerRequestDatabase>

/** The marketplace in the process, where it may be; else no account is reached, and nobody can tell. */
const makeSandboxLayers = ({ sandbox, publicUrl }: Settings): SandboxLayers => {
  if (sandbox === "never") return { connector: Connectors.layerNone, backgroundWork: Layer.empty }
  // What its guests did is kept as what callers did.
  const marketplace = layerSandbox.pipe(
    Layer.provideMerge(Layer.merge(Ingest.layer, SandboxAccess.layerFromSettings(sandbox, DEMO_EMAIL))),
    Layer.provideMerge(layerRequestDatabase)
  )
  return {
    connector: Layer.provide(Layer.merge(layerSandboxConnector, layerSandboxEndpoint(publicUrl)), marketplace),
    backgroundWork: Layer.provide(layerSandboxWorkers, marketplace)
  }
}

/** The connectors of the process: the sandbox's, and those that run elsewhere. */
const makeConnectorLayer = (settings: Settings, { connector: sandboxConnector }: SandboxLayers) =>
  layerWithHttpConnectors.pipe(Layer.provide([sandboxConnector, layerRequestDatabase, layerOutboundHttp(settings)]))

type LayerConnectors = ReturnType<typeof makeConnectorLayer>

/** Serves the endpoint of external connectors. */
const layerConnectorMessages = (settings: Settings) =>
  layerConnectorEndpoint(settings).pipe(Layer.provide(Layer.provide(ConnectorMessageReceiver.layer, Ingest.layer)))

/** Counts in memory, and writes down in the background, what was refused. */
const layerFailedCallCounter = Layer.provide(FailedCallCounter.layer, layerBackgroundDatabase)

const layerService = (settings: Settings, windows: Layer.Layer<RateWindows>, connectors: LayerConnectors) =>
  layerServiceAssembly.pipe(
    Layer.provide([
      layerOutboundHttp(settings),
      Layer.provide(ChannelGateway.layer, connectors),
      layerFailedCallCounter,
      Layer.provide(layerTokenUseWriter, layerBackgroundDatabase)
    ]),
    Layer.provideMerge(windows)
  )

/**
 * Does what hosts' rules say, some of it at channels. Its commits wait for the disk: a message that went out and was lost from the
 * database would be said once more.
 */
const layerRuleActions = Layer.provide(layerPlanRunner, [IdempotencyKeys.layer, layerRequestDatabase])

/** Tells channels what waits for them, does what rules say, and looks whether they know it, for as long as the process runs. */
const layerChannelUpdates = (connectors: LayerConnectors) =>
  Layer.mergeAll(layerPushWorker, layerComparisonWorker, layerMessageSender, layerPlanner, layerRuleActions).pipe(
    Layer.provide(Layer.provide(ChannelGateway.layer, connectors)),
    Layer.provide(layerBackgroundDatabase)
  )

/** Delivers events to their subscribers, and looks after those who read them, for as long as the process runs. */
const layerEventDelivery = (settings: Settings) =>
  Layer.merge(layerDeliveries, layerConsumerWatch).pipe(
    Layer.provide(
      Layer.succeed(InternalSubscribers, [
        markAvailabilityChangesDue,
        markStaysOfReservationEvents,
        ...guestQuestionSubscribers
      ])
    ),
    Layer.provide([layerOutboundHttp(settings), layerBackgroundDatabase])
  )

/** Follows calendars of elsewhere for as long as the process runs. */
const layerCalendarImport = (settings: Settings) =>
  Layer.provide(layerCalendarImportWorker, [layerOutboundHttp(settings), layerBackgroundDatabase])

/** Where the bytes of images are kept. */
const layerImageBytes = ({ imageStore, databaseUrl, dataDir }: Settings) => {
  if (imageStore !== undefined) return ImageBytes.layerFolder(imageStore)
  return databaseUrl === undefined ? ImageBytes.layerFolder(join(dataDir, IMAGES_FOLDER)) : ImageBytes.layerDatabase
}

/** A folder that is named must be there: made where another is to be mounted, it would have its images. */
const checkImageStore = Effect.fnUntraced(function* ({ imageStore }: Settings) {
  if (imageStore === undefined || (yield* isFolderUsable(imageStore))) return
  return yield* new WrongSetting({ variable: "IMAGE_STORE", expected: IMAGE_STORE_DESCRIPTION, given: imageStore })
})

/** Removes what is old of keys, trail, counts, sessions, connectors' messages, images and OAuth for as long as the process runs. */
const layerDataRetention = Layer.provide(
  Layer.mergeAll(
    layerChangeRetention,
    layerSessionRetention,
    layerConnectorMessageRetention,
    layerImageRetention,
    layerOAuthRetention
  ),
  layerBackgroundDatabase
)

/** Times out orders and offers that wait too long, opens reviews, and sees to what waits for an order. */
const layerTimeouts = Layer.provide(
  Layer.mergeAll(layerOrderTimeouts, layerPendingPayments, layerOfferExpiry, layerReviewOpening),
  layerBackgroundDatabase
)

/** Answers what guests ask, for as long as the process runs. */
const layerAnsweringGuests = layerGuestAnswerer.pipe(
  Layer.provide(KnowledgeAnswers.layer),
  Layer.provide(layerBackgroundDatabase)
)

/** What guests see and tell of their stays. */
const layerGuestPortal = Layer.provide(GuestPortal.layer, layerRequestDatabase)

/** The console with the services of its pages. */
const layerConsole = (settings: Settings) =>
  layerConsoleEndpoint(settings.publicUrl, settings).pipe(
    Layer.provide([Sessions.layer, Passwords.layer, SubAccounts.layer, Clients.layer]),
    Layer.provide(layerConsoleQueries),
    Layer.provide([layerOutboundHttp(settings), layerRequestDatabase, layerFailedCallCounter])
  )

/** The documentation; on a machine of one's own the page for trying it has the demo operator's token. */
const layerDocumentation = (settings: Settings) => {
  const docs = Layer.provide(layerDocs(settings.publicUrl), NodeServices.layer)
  if (!isLocalOnly(settings)) return docs
  return docs.pipe(
    Layer.provide(Layer.effect(TryPageToken, makeTryPageToken)),
    Layer.provide([Operators.layer, layerRequestDatabase])
  )
}

/** Forgets identity documents of stays that are long over, for as long as the process runs. */
const layerIdentityDocumentRetention = Layer.provide(layerIdentityImageRetention, layerBackgroundDatabase)

/** Fills the comparison keys of the names of groups and tags. */
const layerNameKeyFilling = Layer.provide(layerNameKeyBackfill, layerBackgroundDatabase)

/** Forgets messages, images and guests after the days that the settings say. */
const layerGuestDataRetention = Layer.provide(layerGuestRetention, layerBackgroundDatabase)

/** Prepares what hosts write down for being searched, for as long as the process runs. */
const layerKnowledgePreparation = Layer.provide(layerPreparationWorker, layerBackgroundDatabase)

/** Takes commands for as long as the process runs; what they change may be work for the workers. */
const layerControlCommands = Layer.unwrap(Effect.map(WakeUp, ({ wake }) => layerControl(wake)))

/** Whether anybody is told what is counted. */
const exportsMetrics = ({ metricsPort, otlpEndpoint }: Settings): boolean =>
  metricsPort !== undefined || otlpEndpoint !== undefined

/** What the process says of itself beside what its parts count. */
const layerServiceMetrics = (settings: Settings) =>
  exportsMetrics(settings) ? Layer.merge(layerProcessMetrics(packageJson.version), layerPoolMetrics) : Layer.empty

/** Counts what is due in the background; belongs where that work is done. */
const layerBacklogMetrics = (settings: Settings) =>
  exportsMetrics(settings) ? Layer.provide(layerBacklog, layerBackgroundDatabase) : Layer.empty

/** Where Prometheus comes by. */
const layerPrometheusPort = ({ metricsPort, host }: Settings) =>
  metricsPort === undefined
    ? Layer.empty
    : Layer.provide(layerMetricsPort({ port: metricsPort, host }), Snapshots.layerProcess)

// On connections whose statements may take as long as they take.
const layerMigration = Layer.provide(
  Layer.effectDiscard(Effect.andThen(migrate(migrations), requireSecretKeys)),
  layerDatabase
)

/** Of several workers their parent says it, once. */
const layerUnsealedWarning = ({ replacementReady }: ServeOptions, settings: Settings) =>
  replacementReady === undefined && isMissingSecretKey(settings) ? Layer.effectDiscard(warnSecretsInClear) : Layer.empty

/** Serves, and says where. Whoever interrupts it lets open requests finish first. */
const serveHttp = Effect.fnUntraced(function* ({ announce, replacementReady }: ServeOptions) {
  const settings = yield* Configuration
  const http = yield* makeHttpApp(settings)
  // Listens last: a connection taken while the database is brought up to date would wait for an answer for ever.
  yield* listen(http, { ...settings, replaced: replacementReady, onStop: (yield* Shutdown).begin })
  yield* announce(yield* renderGreeting(settings))
})

/** What the process does by itself, beside what it is asked. */
const layerBackgroundWork = (settings: Settings, connectors: LayerConnectors, sandbox: SandboxLayers) =>
  Layer.mergeAll(
    layerEventDelivery(settings),
    layerChannelUpdates(connectors),
    layerCalendarImport(settings),
    layerDataRetention,
    layerTimeouts,
    layerIdentityDocumentRetention,
    layerGuestDataRetention,
    layerNameKeyFilling,
    layerAnsweringGuests,
    layerKnowledgePreparation,
    layerBacklogMetrics(settings),
    sandbox.backgroundWork
  )

/** The doors, the work in the background, or both: the work below the doors, so that what their last requests change is still handed to it. */
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

const layerProgram = (options: ServeOptions) =>
  Layer.unwrap(
    Effect.map(Effect.tap(Configuration, checkImageStore), (settings) => {
      const sandbox = makeSandboxLayers(settings)
      const connectors = makeConnectorLayer(settings, sandbox)
      return layerForRole(options, settings, connectors, sandbox).pipe(
        Layer.provide(Layer.provide(layerIdleMemory, ProcessMemory.layer)),
        Layer.provide(layerControlCommands),
        Layer.provide(Layer.provide(layerUnsealedWarning(options, settings), layerMigration)),
        Layer.provide(layerMigration),
        Layer.provide(layerConnectorMessages(settings)),
        // Above the Service: what the API does, its pages ask of that.
        Layer.provide([layerConsole(settings), layerDocumentation(settings)]),
        Layer.provide(layerService(settings, options.rateWindows(settings), connectors)),
        Layer.provide(sandbox.connector),
        Layer.provide(layerGuestPortal),
        Layer.provide([layerNewEvents, Shutdown.layer]),
        // Below the check of the server: a hot standby also rejects LISTEN, which would log a second line for the same cause.
        Layer.provide(Layer.provide(layerWakeUp, layerDatabase)),
        // The Service's own request span takes the place of the server's.
        Layer.provide(Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)),
        Layer.provide([SharedCalendars.layer, PropertyFeeds.layer, Images.layer()]),
        Layer.provide(layerImageBytes(settings)),
        Layer.provide(options.permits(settings)),
        Layer.provide([options.metricsPort(settings), layerServiceMetrics(settings)]),
        Layer.provide(layerWriteAccess),
        Layer.provide([layerRequestDatabase, layerReadiness]),
        Layer.provide(layerTelemetry({ ...settings, version: packageJson.version })),
        Layer.provide([
          Layer.succeed(MetricsEnabled, exportsMetrics(settings)),
          Layer.succeed(Deployment, settings.deployment),
          Layer.succeed(PublicUrl, settings.publicUrl),
          layerSealing(settings.secretKeys),
          Layer.succeed(IdentityImageRetentionDays, settings.identityImageDays),
          Layer.succeed(RetentionDays, settings.retentionDays),
          Layer.succeed(PublicClientEnabled, settings.publicClientEnabled),
          Layer.succeed(AllowedReceivers, settings.webhookAllowedHosts)
        ])
      )
    })
  ).pipe(Layer.provide(Configuration.layer))

/** How a process runs, beside what its settings say. */
interface ServeOptions {
  /** `api`: the doors alone; `worker`: the work in the background alone. */
  readonly role: "all" | "api" | "worker"
  readonly rateWindows: (settings: Settings) => Layer.Layer<RateWindows>
  readonly permits: (settings: Settings) => Layer.Layer<Places>
  /** Where Prometheus comes by; empty of a worker, whose parent answers for it. */
  readonly metricsPort: (settings: Settings) => Layer.Layer<never, MetricsPortUnavailable, Readiness>
  /** Says that it serves, and where. */
  readonly announce: (greeting: string) => Effect.Effect<void>
  /** Open once another process serves in its place; undefined: it is alone. */
  readonly replacementReady: Latch.Latch | undefined
}

const DEFAULT_OPTIONS: ServeOptions = {
  role: "all",
  rateWindows: layerRateWindows,
  permits: layerPermits,
  metricsPort: layerPrometheusPort,
  announce: Console.log,
  replacementReady: undefined
}

/** The running service; it ends only by failing to start or by being interrupted. */
export const serveWith = (options: Partial<ServeOptions>) =>
  Layer.launch(layerProgram({ ...DEFAULT_OPTIONS, ...options }))

export const serve = serveWith({})
