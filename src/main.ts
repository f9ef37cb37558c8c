import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, type Latch, Layer, Redacted } from "effect"
import { HttpMiddleware } from "effect/http"
import { migrations } from "../migrations/index.ts"
import packageJson from "../package.json" with { type: "json" }
import { Places } from "./admission/concurrency/Places.ts"
import { RateWindows } from "./admission/windows/RateWindows.ts"
import { Keys } from "./changes/Keys.ts"
import { layerRetention } from "./changes/layer.ts"
import { Refusals } from "./changes/Refusals.ts"
import { layerConnectorsElsewhere } from "./connectors/http/elsewhere.ts"
import { Hearing } from "./connectors/http/Hearing.ts"
import { layerConnectorRetention } from "./connectors/http/layer.ts"
import { Ingest } from "./connectors/ingest/Ingest.ts"
import { layerHearingLater } from "./connectors/ingest/layer.ts"
import { layerSandboxConnector } from "./connectors/sandbox/in-process.ts"
import { layerSandbox, layerSandboxAtWork } from "./connectors/sandbox/layer.ts"
import { SandboxAllowed } from "./connectors/sandbox/SandboxAllowed.ts"
import { Clients } from "./domain/access/oauth/Clients.ts"
import { Codes } from "./domain/access/oauth/Codes.ts"
import { Grants } from "./domain/access/oauth/Grants.ts"
import { layerOAuthRetention } from "./domain/access/oauth/layer.ts"
import { layerLastUses } from "./domain/access/operators/LastUses.ts"
import { Operators } from "./domain/access/operators/Operators.ts"
import { layerConsoleRetention } from "./domain/access/sign-in/layer.ts"
import { Passwords } from "./domain/access/sign-in/Passwords.ts"
import { Sessions } from "./domain/access/sign-in/Sessions.ts"
import { layerAnswering } from "./domain/automation/answering/answering.ts"
import { followGuestMessages } from "./domain/automation/answering/asked.ts"
import { followStays } from "./domain/automation/planning/follow-stays.ts"
import { layerPlanning } from "./domain/automation/planning/planning.ts"
import { layerRunning } from "./domain/automation/running/running.ts"
import { layerForgettingIdentities } from "./domain/bookings/check-in/forgetting.ts"
import { GuestPages } from "./domain/bookings/check-in/GuestPages.ts"
import { layerTimingOut } from "./domain/bookings/reservations/timing-out.ts"
import { SharedCalendars } from "./domain/calendars/calendar-share-links/SharedCalendars.ts"
import { layerImporting } from "./domain/calendars/imported-calendars/importing.ts"
import { layerComparing } from "./domain/calendars/listing-calendars/comparing.ts"
import { followAvailability } from "./domain/calendars/listing-calendars/due-days.ts"
import { layerPushing } from "./domain/calendars/listing-calendars/pushing.ts"
import { PropertyFeeds } from "./domain/calendars/property-feeds/PropertyFeeds.ts"
import { ChannelGateway } from "./domain/channels/port/ChannelGateway.ts"
import { Connectors } from "./domain/channels/port/connector.ts"
import { layerSending } from "./domain/guests/conversations/sending/sending.ts"
import { isUsable } from "./domain/guests/images/bytes-in-folder.ts"
import { ImageBytes } from "./domain/guests/images/ImageBytes.ts"
import { Images } from "./domain/guests/images/Images.ts"
import { layerImageRetention } from "./domain/guests/images/retention.ts"
import { layerAppearing } from "./domain/guests/reviews/appearing.ts"
import { layerExpiring } from "./domain/guests/special-offers/expiring.ts"
import { layerPreparing } from "./domain/knowledge/preparing/preparing.ts"
import { KnowledgeAnswers } from "./domain/knowledge/search/KnowledgeAnswers.ts"
import { layerNameKeys } from "./domain/name-keys.ts"
import { AddressResolver } from "./domain/webhooks/deliveries/AddressResolver.ts"
import { AllowedReceivers } from "./domain/webhooks/deliveries/allowed-hosts.ts"
import { layerDeliveries } from "./domain/webhooks/deliveries/layer.ts"
import { Outbound } from "./domain/webhooks/deliveries/Outbound.ts"
import { Followers } from "./jobs/events/followers.ts"
import { layerNewEvents, layerWatchingConsumers } from "./jobs/events/layer.ts"
import { layerIdleMemory, ProcessMemory } from "./jobs/idle-memory.ts"
import { layerWakeUp } from "./jobs/layer.ts"
import { Stopping } from "./jobs/Stopping.ts"
import { WakeUp } from "./jobs/WakeUp.ts"
import {
  type DatabaseSettings,
  layerBackgroundDatabase,
  layerControl,
  layerDatabase,
  layerReadiness,
  layerRequestDatabase,
  layerWriting
} from "./platform/database/choose.ts"
import { IMAGES } from "./platform/database/folder-modes.ts"
import { migrate } from "./platform/database/migrate.ts"
import { layerPoolMetrics } from "./platform/database/pool-metrics.ts"
import type { Readiness } from "./platform/database/Readiness.ts"
import { Deployment, IdentityImageDays, KeptDays, PublicClient, PublicUrl } from "./platform/installation.ts"
import { CONNECTIONS_BESIDE_PLACES, EMBEDDED_PLACES } from "./platform/limits.ts"
import { layerSealing } from "./platform/sealing/Sealing.ts"
import { keysThere, warnUnsealed } from "./platform/sealing/start.ts"
import { layerTelemetry } from "./platform/telemetry/layer.ts"
import { Measuring } from "./platform/telemetry/metrics/measuring.ts"
import { layerProcessMetrics } from "./platform/telemetry/metrics/process.ts"
import { Snapshots } from "./platform/telemetry/metrics/Snapshots.ts"
import { layerAssembly } from "./service/assembly.ts"
import { layerBacklog } from "./service/backlog.ts"
import {
  Configuration,
  IMAGE_STORE,
  isThisMachineAlone,
  type Settings,
  WrongSetting,
  wantsKey
} from "./service/configuration.ts"
import { greet } from "./tools/demo/greeting.ts"
import { DEMO_EMAIL } from "./tools/demo/seed.ts"
import { makeTryToken } from "./tools/demo/try-token.ts"
import { layerGuestRetention } from "./tools/privacy/retention.ts"
import { layerConnectorDoor } from "./transports/connectors/connectors.ts"
import { layerConsoleAssembly } from "./transports/console/assembly.ts"
import { layerConsolePages } from "./transports/console/console.ts"
import { makeHttpApp } from "./transports/http.ts"
import { listen } from "./transports/http-server/listen.ts"
import { layerMetricsPort, type MetricsPortUnusable } from "./transports/metrics/metrics.ts"
import { layerDocs, TryToken } from "./transports/public-documents/docs.ts"
import { layerSandboxPage } from "./transports/sandbox-pages/sandbox.ts"

// The process: settings choose the layers, the layers make the Service, and the adapters serve it.

const layerWindows = ({ redisUrl }: Settings) =>
  redisUrl === undefined ? RateWindows.layerMemory : RateWindows.layerRedis(Redacted.value(redisUrl))

const layerPlaces = ({ databaseUrl, databaseConnections }: Settings) =>
  Places.layer(databaseUrl === undefined ? EMBEDDED_PLACES : databaseConnections - CONNECTIONS_BESIDE_PLACES)

/** What the process has of the sandbox: what reaches it and its page, and what it does by itself. */
interface OfSandbox {
  readonly reached: Layer.Layer<Connectors, DatabaseFailure, DatabaseSettings | WakeUp>
  readonly atWork: Layer.Layer<never, DatabaseFailure, DatabaseSettings | WakeUp>
}

type DatabaseFailure = Layer.Error<typeof layerRequestDatabase>

/** The marketplace in the process, where it may be; else no account is reached, and nobody can tell. */
const sandboxOf = ({ sandbox, publicUrl }: Settings): OfSandbox => {
  if (sandbox === "never") return { reached: Connectors.layerNone, atWork: Layer.empty }
  // What its guests did is kept as what callers did.
  const marketplace = layerSandbox.pipe(
    Layer.provideMerge(Layer.merge(Ingest.layer, SandboxAllowed.layerOf(sandbox, DEMO_EMAIL))),
    Layer.provideMerge(layerRequestDatabase)
  )
  return {
    reached: Layer.provide(Layer.merge(layerSandboxConnector, layerSandboxPage(publicUrl)), marketplace),
    atWork: Layer.provide(layerSandboxAtWork, marketplace)
  }
}

/** The connectors of the process: the sandbox's, and those that run elsewhere. */
const connectorsOf = ({ webhookAllowedHosts }: Settings, { reached }: OfSandbox) =>
  layerConnectorsElsewhere.pipe(
    Layer.provide([
      reached,
      layerRequestDatabase,
      Layer.provide(Outbound.layer(webhookAllowedHosts), AddressResolver.layer)
    ])
  )

type LayerConnectors = ReturnType<typeof connectorsOf>

/** Serves the endpoint of external connectors. */
const layerHearing = (settings: Settings) =>
  layerConnectorDoor(settings).pipe(Layer.provide(Layer.provide(Hearing.layer, Ingest.layer)))

/** Counts in memory, and writes down in the background, what was refused. */
const layerRefusals = Layer.provide(Refusals.layer, layerBackgroundDatabase)

const layerService = (windows: Layer.Layer<RateWindows>, connectors: LayerConnectors) =>
  layerAssembly.pipe(
    Layer.provide([
      Layer.provide(ChannelGateway.layer, connectors),
      layerRefusals,
      Layer.provide(layerLastUses, layerBackgroundDatabase)
    ]),
    Layer.provideMerge(windows)
  )

/**
 * Does what hosts' rules say, some of it at channels. Its commits wait for the disk: a message that went out and was lost from the
 * database would be said once more.
 */
const layerDoing = Layer.provide(layerRunning, [Keys.layer, layerRequestDatabase])

/** Tells channels what waits for them, does what rules say, and looks whether they know it, for as long as the process runs. */
const layerTelling = (connectors: LayerConnectors) =>
  Layer.mergeAll(layerPushing, layerComparing, layerSending, layerPlanning, layerDoing).pipe(
    Layer.provide(Layer.provide(ChannelGateway.layer, connectors)),
    Layer.provide(layerBackgroundDatabase)
  )

/** Delivers events to their subscribers, and looks after those who read them, for as long as the process runs. */
const layerDelivering = (settings: Settings) =>
  Layer.merge(layerDeliveries, layerWatchingConsumers).pipe(
    Layer.provide(Layer.succeed(Followers, [followAvailability, followStays, ...followGuestMessages])),
    Layer.provide(Outbound.layer(settings.webhookAllowedHosts)),
    Layer.provide([AddressResolver.layer, layerBackgroundDatabase])
  )

/** Follows calendars of elsewhere for as long as the process runs. */
const layerFollowing = ({ webhookAllowedHosts }: Settings) =>
  layerImporting.pipe(
    Layer.provide(Outbound.layer(webhookAllowedHosts)),
    Layer.provide([AddressResolver.layer, layerBackgroundDatabase])
  )

/** Where the bytes of images are kept. */
const layerImageBytes = ({ imageStore, databaseUrl, dataDir }: Settings) => {
  if (imageStore !== undefined) return ImageBytes.layerFolder(imageStore)
  return databaseUrl === undefined ? ImageBytes.layerFolder(join(dataDir, IMAGES)) : ImageBytes.layerDatabase
}

/** A folder that is named must be there: made where another is to be mounted, it would have its images. */
const imageStoreThere = Effect.fnUntraced(function* ({ imageStore }: Settings) {
  if (imageStore === undefined || (yield* isUsable(imageStore))) return
  return yield* new WrongSetting({ variable: "IMAGE_STORE", expected: IMAGE_STORE, given: imageStore })
})

/** Removes what is old of keys, trail, counts, sessions, connectors' messages, images and OAuth for as long as the process runs. */
const layerRetaining = Layer.provide(
  Layer.mergeAll(
    layerRetention,
    layerConsoleRetention,
    layerConnectorRetention,
    layerImageRetention,
    layerOAuthRetention
  ),
  layerBackgroundDatabase
)

/** Times out orders and offers that wait too long, opens reviews, and sees to what waits for an order. */
const layerWaiting = Layer.provide(
  Layer.mergeAll(layerTimingOut, layerHearingLater, layerExpiring, layerAppearing),
  layerBackgroundDatabase
)

/** Answers what guests ask, for as long as the process runs. */
const layerAnsweringGuests = layerAnswering.pipe(
  Layer.provide(KnowledgeAnswers.layer),
  Layer.provide(layerBackgroundDatabase)
)

/** What guests see and tell of their stays. */
const layerGuestPages = Layer.provide(GuestPages.layer, layerRequestDatabase)

/** Who is signed in at the console, and what its pages give to whom. */
const layerConsole = (settings: Settings) =>
  layerConsolePages(settings.publicUrl, settings).pipe(
    Layer.provide([Sessions.layer, Passwords.layer, Clients.layer, Codes.layer, Grants.layer]),
    Layer.provide(layerConsoleAssembly),
    Layer.provide(Layer.provide(Outbound.layer(settings.webhookAllowedHosts), AddressResolver.layer)),
    Layer.provide([layerRequestDatabase, layerRefusals])
  )

/** The documentation; on a machine of one's own the page for trying it has the demo operator's token. */
const layerDocumentation = (settings: Settings) => {
  const docs = Layer.provide(layerDocs(settings.publicUrl), NodeServices.layer)
  if (!isThisMachineAlone(settings)) return docs
  return docs.pipe(
    Layer.provide(Layer.effect(TryToken, makeTryToken)),
    Layer.provide([Operators.layer, layerRequestDatabase])
  )
}

/** Forgets identity documents of stays that are long over, for as long as the process runs. */
const layerForgetting = Layer.provide(layerForgettingIdentities, layerBackgroundDatabase)

/** Fills the comparison keys of the names of groups and tags. */
const layerNameKeyFilling = Layer.provide(layerNameKeys, layerBackgroundDatabase)

/** Forgets messages, images and guests after the days that the settings say. */
const layerForgettingGuests = Layer.provide(layerGuestRetention, layerBackgroundDatabase)

/** Prepares what hosts write down for being searched, for as long as the process runs. */
const layerKnowing = Layer.provide(layerPreparing, layerBackgroundDatabase)

/** Takes commands for as long as the process runs; what they change may be work for the workers. */
const layerCommands = Layer.unwrap(Effect.map(WakeUp, ({ wake }) => layerControl(wake)))

/** Whether anybody is told what is counted. */
const isMeasured = ({ metricsPort, otlpEndpoint }: Settings): boolean =>
  metricsPort !== undefined || otlpEndpoint !== undefined

/** What the process says of itself beside what its parts count. */
const layerMeasured = (settings: Settings) =>
  isMeasured(settings) ? Layer.merge(layerProcessMetrics(packageJson.version), layerPoolMetrics) : Layer.empty

/** Counts what is due in the background; belongs where that work is done. */
const layerCountingBacklog = (settings: Settings) =>
  isMeasured(settings) ? Layer.provide(layerBacklog, layerBackgroundDatabase) : Layer.empty

/** Where Prometheus comes by. */
const layerMetrics = ({ metricsPort, host }: Settings) =>
  metricsPort === undefined
    ? Layer.empty
    : Layer.provide(layerMetricsPort({ port: metricsPort, host }), Snapshots.layerProcess)

// On connections whose statements may take as long as they take.
const layerMigrated = Layer.provide(Layer.effectDiscard(Effect.andThen(migrate(migrations), keysThere)), layerDatabase)

/** Of several workers their parent says it, once. */
const layerWarned = ({ replaced }: Run, settings: Settings) =>
  replaced === undefined && wantsKey(settings) ? Layer.effectDiscard(warnUnsealed) : Layer.empty

/** Serves, and says where. Whoever interrupts it lets open requests finish first. */
const serving = Effect.fnUntraced(function* ({ announce, replaced }: Run) {
  const settings = yield* Configuration
  const http = yield* makeHttpApp(settings)
  // Listens last: a connection taken while the database is brought up to date would wait for an answer for ever.
  yield* listen(http, { ...settings, replaced, onStop: (yield* Stopping).begin })
  yield* announce(yield* greet(settings))
})

/** What the process does by itself, beside what it is asked. */
const layerAtWork = (settings: Settings, connectors: LayerConnectors, sandbox: OfSandbox) =>
  Layer.mergeAll(
    layerDelivering(settings),
    layerTelling(connectors),
    layerFollowing(settings),
    layerRetaining,
    layerWaiting,
    layerForgetting,
    layerForgettingGuests,
    layerNameKeyFilling,
    layerAnsweringGuests,
    layerKnowing,
    layerCountingBacklog(settings),
    sandbox.atWork
  )

/** The doors, the work in the background, or both: the work below the doors, so that what their last requests change is still handed to it. */
const layerOfRole = (run: Run, settings: Settings, connectors: LayerConnectors, sandbox: OfSandbox) => {
  const atWork = layerAtWork(settings, connectors, sandbox)
  if (run.role === "worker") {
    return Layer.provide(
      Layer.effectDiscard(run.announce("Latchkey runs background work only; it does not listen on a port.")),
      atWork
    )
  }
  const doors = Layer.effectDiscard(serving(run))
  return run.role === "api" ? doors : Layer.provide(doors, atWork)
}

const layerProgram = (run: Run) =>
  Layer.unwrap(
    Effect.map(Effect.tap(Configuration, imageStoreThere), (settings) => {
      const sandbox = sandboxOf(settings)
      const connectors = connectorsOf(settings, sandbox)
      return layerOfRole(run, settings, connectors, sandbox).pipe(
        Layer.provide(Layer.provide(layerIdleMemory, ProcessMemory.layer)),
        Layer.provide(layerCommands),
        Layer.provide(Layer.provide(layerWarned(run, settings), layerMigrated)),
        Layer.provide(layerMigrated),
        Layer.provide(layerHearing(settings)),
        // Above the Service: what the API does, its pages ask of that.
        Layer.provide([layerConsole(settings), layerDocumentation(settings)]),
        Layer.provide(layerService(run.windows(settings), connectors)),
        Layer.provide(sandbox.reached),
        Layer.provide(layerGuestPages),
        Layer.provide([layerNewEvents, Stopping.layer]),
        // Below the check of the server: a hot standby also rejects LISTEN, which would log a second line for the same cause.
        Layer.provide(Layer.provide(layerWakeUp, layerDatabase)),
        // The Service's own request span takes the place of the server's.
        Layer.provide(Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)),
        Layer.provide([SharedCalendars.layer, PropertyFeeds.layer, Images.layer()]),
        Layer.provide(layerImageBytes(settings)),
        Layer.provide(run.places(settings)),
        Layer.provide([run.metrics(settings), layerMeasured(settings)]),
        Layer.provide(layerWriting),
        Layer.provide([layerRequestDatabase, layerReadiness]),
        Layer.provide(layerTelemetry({ ...settings, version: packageJson.version })),
        Layer.provide([
          Layer.succeed(Measuring, isMeasured(settings)),
          Layer.succeed(Deployment, settings.deployment),
          Layer.succeed(PublicUrl, settings.publicUrl),
          layerSealing(settings.secretKeys),
          Layer.succeed(IdentityImageDays, settings.identityImageDays),
          Layer.succeed(KeptDays, settings.keptDays),
          Layer.succeed(PublicClient, settings.publicClient),
          Layer.succeed(AllowedReceivers, settings.webhookAllowedHosts)
        ])
      )
    })
  ).pipe(Layer.provide(Configuration.layer))

/** How a process runs, beside what its settings say. */
export interface Run {
  /** `api`: the doors alone; `worker`: the work in the background alone. */
  readonly role: "all" | "api" | "worker"
  readonly windows: (settings: Settings) => Layer.Layer<RateWindows>
  readonly places: (settings: Settings) => Layer.Layer<Places>
  /** Where Prometheus comes by; empty of a worker, whose parent answers for it. */
  readonly metrics: (settings: Settings) => Layer.Layer<never, MetricsPortUnusable, Readiness>
  /** Says that it serves, and where. */
  readonly announce: (greeting: string) => Effect.Effect<void>
  /** Open once another process serves in its place; undefined: it is alone. */
  readonly replaced: Latch.Latch | undefined
}

const alone: Run = {
  role: "all",
  windows: layerWindows,
  places: layerPlaces,
  metrics: layerMetrics,
  announce: Console.log,
  replaced: undefined
}

/** The running service; it ends only by failing to start or by being interrupted. */
export const serveWith = (run: Partial<Run>) => Layer.launch(layerProgram({ ...alone, ...run }))

export const serve = serveWith({})
