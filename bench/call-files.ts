import { fileURLToPath } from "node:url"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { SERVE_FLAGS } from "../bin/flags.js"
import { newEntry, withGround } from "./ground.ts"
import { BENCH_TOKEN } from "./operator.ts"
import { coveredFilesAt, start } from "./servers.ts"

// Counts the files of `src` with functions that a warm `POST /v3/transactions` runs: `node bench/call-files.ts`. Background work may run
// meanwhile, so only files that ran in each of several calls count.

const WARM_UP_CALLS = 200
const CALLS = 7
/** Milliseconds after which the background work of a call is done. */
const QUIET_MS = 1_500

const COVERAGE_WATCH = ["--import", fileURLToPath(new URL("./coverage-watch.ts", import.meta.url))]

/** Starts a server and returns the files that ran in every measured call. */
const listCallFiles = async (database: string, entry: object) => {
  const server = await start(
    "latchkey",
    [...SERVE_FLAGS, ...COVERAGE_WATCH, "bin/latchkey.js", "serve", "--workers", "1"],
    {
      DATABASE_URL: database,
      DEMO: "0",
      LOG_FORMAT: "json"
    }
  )
  const call = async () => {
    const response = await fetch(`${server.url}/v3/transactions`, {
      method: "POST",
      headers: { "service-access-token": BENCH_TOKEN, "content-type": "application/json" },
      body: JSON.stringify(entry)
    })
    const { error_code } = (await response.json()) as { readonly error_code: number }
    if (error_code !== 0) throw new Error(`POST /v3/transactions answered ${error_code}`)
  }
  const runs: Array<ReadonlySet<string>> = []
  try {
    for (let nth = 0; nth < WARM_UP_CALLS; nth++) await call()
    for (let nth = 0; nth < CALLS; nth++) {
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
      await coveredFilesAt(server.url)
      await call()
      runs.push(new Set(await coveredFilesAt(server.url)))
    }
  } finally {
    await server.stop()
  }
  const [first = new Set<string>(), ...others] = runs
  return Array.from(first)
    .filter((file) => others.every((run) => run.has(file)))
    .sort()
}

const program = Effect.gen(function* () {
  const { ground, ownDatabase } = yield* withGround
  const database = yield* ownDatabase
  const files = yield* Effect.promise(() => listCallFiles(database, newEntry(ground.propertyId)))
  console.log(files.join("\n"))
  console.log(`${files.length} files of src ran functions for POST /v3/transactions (aim: at most 42)`)
}).pipe(Effect.scoped)

NodeRuntime.runMain(program)
