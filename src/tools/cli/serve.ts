import cluster from "node:cluster"
import { createServer } from "node:net"
import { availableParallelism } from "node:os"
import { Data, Effect, Layer, Option, Runtime } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpServerError } from "effect/http"
import { WORKERS_MAX } from "../../platform/limits.ts"
import { layerTelemetry } from "../../platform/telemetry/layer.ts"
import { Configuration, type Settings } from "../../service/configuration.ts"
import { CLOCK_START, SEEDS, type TestServerOptions } from "../test-server/options.ts"
import type { WorkerNeverReady } from "../workers/worker-lifecycle.ts"
import { reportFailure } from "./command-output.ts"
import { instantFlag } from "./instant-flag.ts"
import { exitAtSecondSignal, stopAtHangUp, stopWithParent } from "./process-signals.ts"

/** Fails before the database starts, which takes seconds. */
const requireFreePort = ({ port, host }: Pick<Settings, "port" | "host">) =>
  Effect.callback<void, HttpServerError.ServeError>((resume) => {
    const probe = createServer()
    probe.once("error", (cause) => resume(Effect.fail(new HttpServerError.ServeError({ cause }))))
    probe.listen({ port, host }, () => probe.close(() => resume(Effect.void)))
  })

type ServeRole = "all" | "api" | "worker"

class InvalidServeFlag extends Data.TaggedError("InvalidServeFlag")<{ readonly message: string }> {}

const EMBEDDED_REASON = "needs DATABASE_URL, because only one process can use the embedded database"

export const resolveWorkerCount = (
  requested: number | undefined,
  role: ServeRole,
  { databaseUrl }: Pick<Settings, "databaseUrl">,
  cores: number
): Effect.Effect<number, InvalidServeFlag> => {
  if (requested !== undefined && (requested < 1 || requested > WORKERS_MAX)) {
    return new InvalidServeFlag({
      message: `--workers: must be a whole number from 1 to ${WORKERS_MAX}, not ${requested}`
    })
  }
  if (databaseUrl !== undefined) return Effect.succeed(requested ?? Math.min(cores, WORKERS_MAX))
  if (role !== "all") return new InvalidServeFlag({ message: `--role: ${role} ${EMBEDDED_REASON}` })
  if (requested !== undefined && requested > 1)
    return new InvalidServeFlag({ message: `--workers: ${requested} ${EMBEDDED_REASON}` })
  return Effect.succeed(1)
}

/** One process must run all background work, so that it can run it in order. */
export const requireSingleProcess = (
  workers: number | undefined,
  role: ServeRole
): Effect.Effect<void, InvalidServeFlag> =>
  (workers ?? 1) === 1 && role === "all"
    ? Effect.void
    : new InvalidServeFlag({ message: "--test: needs one process that runs everything, without --workers and --role" })

const requireNoTestFlags = (flags: Readonly<Record<string, Option.Option<unknown>>>) => {
  const given = Object.entries(flags).find(([, value]) => Option.isSome(value))
  return given === undefined ? Effect.void : new InvalidServeFlag({ message: `--${given[0]}: needs --test` })
}

const requireUsableTime = (now: Date | undefined) =>
  now === undefined || (now.getTime() >= CLOCK_START.min && now.getTime() <= CLOCK_START.max)
    ? Effect.void
    : new InvalidServeFlag({ message: "--now: must be from 1970-01-01 to 9998-12-31" })

/** The worker has already reported its failure. */
class FirstWorkerFailed extends Data.TaggedError("FirstWorkerFailed")<{ readonly code: number }> {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}

class FirstWorkerKilled extends Data.TaggedError("FirstWorkerKilled")<{ readonly signal: string | null }> {
  override get message(): string {
    return `${this.signal} ended the first worker before it could serve`
  }
}

const reportNeverServed = Effect.fnUntraced(function* ({ end: { code, signal } }: WorkerNeverReady) {
  if (code === null) return yield* reportFailure(new FirstWorkerKilled({ signal }))
  return yield* new FirstWorkerFailed({ code })
})

// Imported on demand, because other commands and the primary process do not need the server.

const serveAlone = Effect.fnUntraced(function* (role: ServeRole, test: TestServerOptions | undefined) {
  const { serveWith } = yield* Effect.promise(() => import("../../main.ts"))
  return yield* serveWith({ role, test })
})

const serveAsWorker = Effect.fnUntraced(function* (role: ServeRole) {
  const { serveWith } = yield* Effect.promise(() => import("../../main.ts"))
  const { connectToSupervisor } = yield* Effect.promise(() => import("../workers/supervisor-connection.ts"))
  const supervisor = connectToSupervisor()
  return yield* serveWith({
    role,
    announce: supervisor.announce,
    replacementReady: supervisor.replaced,
    metricsPort: supervisor.layerMetrics,
    rateWindows: supervisor.layerRateWindows
  })
})

const serveAsPrimary = Effect.fnUntraced(function* (workers: number, settings: Settings) {
  const { runSupervisor } = yield* Effect.promise(() => import("../workers/supervisor.ts"))
  const { WorkerProcesses } = yield* Effect.promise(() => import("../workers/WorkerProcesses.ts"))
  return yield* runSupervisor(workers, settings).pipe(
    Effect.provide(Layer.merge(WorkerProcesses.layer, layerPrimaryLog(settings)))
  )
})

const layerPrimaryLog = (settings: Settings) => layerTelemetry({ ...settings, otlpEndpoint: undefined, version: "" })

export const serveCommand = Command.make(
  "serve",
  {
    workers: Flag.Int("workers").pipe(
      Flag.withDescription(
        "Processes that share the port (default: 1 with the embedded database, one per core with DATABASE_URL)"
      ),
      Flag.optional
    ),
    role: Flag.Literals("role", ["all", "api", "worker"]).pipe(
      Flag.withDescription(
        "What to run. api: the endpoints only; worker: the background work only, without a port (default: all)"
      ),
      Flag.withDefault("all")
    ),
    test: Flag.Boolean("test").pipe(
      Flag.withDescription(
        "Run a test server: a database of its own, and the routes below /test/, such as one that moves the clock (default: off)"
      ),
      Flag.withDefault(false)
    ),
    seed: Flag.Literals("seed", SEEDS).pipe(
      Flag.withDescription(
        "With --test: what the database has at the start. demo: the demo operator; empty: an operator without properties (default: demo)"
      ),
      Flag.optional
    ),
    now: instantFlag("now", "With --test: where the clock starts", "the present")
  },
  Effect.fnUntraced(function* ({ workers, role, test: isTestServer, seed, now }) {
    yield* exitAtSecondSignal
    if (cluster.isWorker) return yield* reportFailure(serveAsWorker(role))
    const startup = Effect.gen(function* () {
      const settings = yield* Configuration
      const requested = Option.getOrUndefined(workers)
      if (isTestServer) yield* requireSingleProcess(requested, role)
      else yield* requireNoTestFlags({ seed, now })
      yield* requireUsableTime(Option.getOrUndefined(now))
      const workerCount = isTestServer
        ? 1
        : yield* resolveWorkerCount(requested, role, settings, availableParallelism())
      if (role !== "worker") yield* requireFreePort(settings)
      return { settings, workerCount }
    }).pipe(Effect.provide(Configuration.layer))
    const { settings, workerCount } = yield* reportFailure(startup)
    const test = isTestServer
      ? { seed: Option.getOrElse(seed, () => "demo" as const), now: Option.getOrUndefined(now)?.getTime() }
      : undefined
    if (isTestServer) yield* stopWithParent
    if (workerCount === 1) return yield* reportFailure(Effect.andThen(stopAtHangUp, serveAlone(role, test)))
    return yield* serveAsPrimary(workerCount, settings).pipe(
      Effect.catchTag("WorkerNeverReady", reportNeverServed),
      Effect.catchTag("MetricsPortUnavailable", (error) => reportFailure(error))
    )
  })
).pipe(Command.withDescription("Migrate the database, then run the service"))
