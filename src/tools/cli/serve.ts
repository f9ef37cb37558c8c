import cluster from "node:cluster"
import { availableParallelism } from "node:os"
import { Data, Effect, Layer, Option, Runtime } from "effect"
import { Command, Flag } from "effect/cli"
import { WORKERS } from "../../platform/limits.ts"
import { layerTelemetry } from "../../platform/telemetry/layer.ts"
import { Configuration, type Settings } from "../../service/configuration.ts"
import type { NeverServed } from "../workers/lives.ts"
import { reporting } from "./reporting.ts"
import { endAtSecondSignal, stopAtHangUp } from "./signals.ts"

type Role = "all" | "api" | "worker"

/** A flag of `serve` holds what it does not take here. */
export class WrongFlag extends Data.TaggedError("WrongFlag")<{ readonly message: string }> {}

const EMBEDDED = "needs DATABASE_URL, because only one process can use the embedded database"

/** How many processes serve: as many as were said, else one on the embedded database, and on a server one a core. */
export const workersOf = (
  said: number | undefined,
  role: Role,
  { databaseUrl }: Pick<Settings, "databaseUrl">,
  cores: number
): Effect.Effect<number, WrongFlag> => {
  if (said !== undefined && (said < 1 || said > WORKERS)) {
    return new WrongFlag({ message: `--workers: must be a whole number from 1 to ${WORKERS}, not ${said}` })
  }
  if (databaseUrl !== undefined) return Effect.succeed(said ?? Math.min(cores, WORKERS))
  if (role !== "all") return new WrongFlag({ message: `--role: ${role} ${EMBEDDED}` })
  if (said !== undefined && said > 1) return new WrongFlag({ message: `--workers: ${said} ${EMBEDDED}` })
  return Effect.succeed(1)
}

/** The first worker does not serve and has said why; its status is that of the service. */
class WorkerSaidWhy extends Data.TaggedError("WorkerSaidWhy")<{ readonly code: number }> {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}

/** Ended from outside, so that nobody has said anything. */
class EndedEarly extends Data.TaggedError("EndedEarly")<{ readonly signal: string | null }> {
  override get message(): string {
    return `${this.signal} ended the first worker before it could serve`
  }
}

const neverServed = Effect.fnUntraced(function* ({ ended: { code, signal } }: NeverServed) {
  if (code === null) return yield* reporting(new EndedEarly({ signal }))
  return yield* new WorkerSaidWhy({ code })
})

// Each is loaded when asked for: other commands start without the server, and the parent of workers does without it.

const alone = Effect.fnUntraced(function* (role: Role) {
  const { serveWith } = yield* Effect.promise(() => import("../../main.ts"))
  return yield* serveWith({ role })
})

const withItsParent = Effect.fnUntraced(function* (role: Role) {
  const { serveWith } = yield* Effect.promise(() => import("../../main.ts"))
  const { withParent } = yield* Effect.promise(() => import("../workers/with-parent.ts"))
  // METRICS_PORT is one port of all: it is no worker's.
  return yield* serveWith({ role, ...withParent() })
})

const asParent = Effect.fnUntraced(function* (workers: number, settings: Settings) {
  const { parent } = yield* Effect.promise(() => import("../workers/parent.ts"))
  const { WorkerProcesses } = yield* Effect.promise(() => import("../workers/WorkerProcesses.ts"))
  return yield* parent(workers, settings).pipe(Effect.provide(Layer.merge(WorkerProcesses.layer, layerLines(settings))))
})

/** The parent tells of its workers in the log, and of nothing else: what there is to trace happens in them. */
const layerLines = (settings: Settings) => layerTelemetry({ ...settings, otlpEndpoint: undefined, version: "" })

export const serve = Command.make(
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
    )
  },
  Effect.fnUntraced(function* ({ workers, role }) {
    yield* endAtSecondSignal
    if (cluster.isWorker) return yield* reporting(withItsParent(role))
    const started = Effect.gen(function* () {
      const settings = yield* Configuration
      const wanted = yield* workersOf(Option.getOrUndefined(workers), role, settings, availableParallelism())
      return { settings, wanted }
    }).pipe(Effect.provide(Configuration.layer))
    const { settings, wanted } = yield* reporting(started)
    if (wanted === 1) return yield* reporting(Effect.andThen(stopAtHangUp, alone(role)))
    return yield* asParent(wanted, settings).pipe(
      Effect.catchTag("NeverServed", neverServed),
      Effect.catchTag("MetricsPortUnusable", (error) => reporting(error))
    )
  })
).pipe(Command.withDescription("Migrate the database, then run the service"))
