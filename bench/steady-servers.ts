import { Effect } from "effect"
import { NURSERY_FLAGS, SERVE_FLAGS } from "../bin/flags.js"
import { DATABASE_CONNECTIONS } from "../src/platform/database/postgres.ts"
import { BEFORE, type ServerName } from "./cases.ts"
import { collector } from "./collector.ts"
import type { Ground } from "./ground.ts"
import { BENCH_TOKEN } from "./operator.ts"
import { start } from "./servers.ts"

const LATCHKEY = ["bin/latchkey.js", "serve", "--workers", "1"]

/** With the nursery of the service: what Node gives a server unless told is no merit of its neighbour. */
const reference = (name: string) => [...NURSERY_FLAGS, `bench/reference/${name}.ts`]

const PROGRAMS: Readonly<Record<ServerName, ReadonlyArray<string>>> = {
  latchkey: LATCHKEY,
  before: [`${BEFORE}/bin/latchkey.js`, "serve", "--workers", "1"],
  "equal duties": reference("equal-duties"),
  "equal duties, untraced": reference("equal-duties-untraced"),
  fastify: reference("fastify"),
  raw: reference("raw"),
  // Another entry to the same program, with the flags that bin/latchkey.js gives it.
  "windows off": [...SERVE_FLAGS, "bench/without-windows.ts"],
  "all exported": LATCHKEY
}

const closing = <A extends object>(make: () => Promise<A>, close: (made: A) => unknown) =>
  Effect.acquireRelease(Effect.promise(make), (made) => Effect.promise(async () => close(made)))

/** Starts one of the servers, on a database of its own, until the scope ends. */
export const started = Effect.fnUntraced(function* (name: ServerName, database: string, { statements }: Ground) {
  const env = {
    DATABASE_URL: database,
    DEMO: "0",
    LOG_FORMAT: "json",
    // In records, so the same of all: they must answer alike.
    PUBLIC_URL: "http://127.0.0.1:8080",
    BENCH_TOKEN,
    BENCH_CONNECTIONS: String(DATABASE_CONNECTIONS),
    BENCH_STATEMENTS: JSON.stringify(statements)
  }
  const exporting =
    name === "all exported"
      ? { OTEL_EXPORTER_OTLP_ENDPOINT: (yield* closing(collector, (sink) => sink.close())).url }
      : {}
  return yield* closing(
    () => start(name, PROGRAMS[name], { ...env, ...exporting }),
    (server) => server.stop()
  )
})
