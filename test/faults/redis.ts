import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { createClient } from "redis"
import { serverGround } from "../attacks/grounds.ts"
import { findFreePort } from "../support/tools/cli/latchkey-process.ts"
import { suffered } from "./causing.ts"
import type { Fault } from "./fault.ts"
import { hasProgram, noServer, server } from "./places-to-cause.ts"

// Redis goes and comes back, and hangs and goes on, under load: rate windows are then counted by the process itself.

/** Milliseconds a Redis may take until it answers. */
const START_MS = 10_000

const begun = async (port: string): Promise<ChildProcess> => {
  const child = spawn("redis-server", ["--port", port, "--save", "", "--appendonly", "no"], { stdio: "ignore" })
  const client = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: 50 } })
  client.on("error", () => {})
  await Promise.race([client.connect(), sleep(START_MS, undefined, { ref: false })])
  client.destroy()
  return child
}

const ended = async (child: ChildProcess): Promise<void> => {
  const over = once(child, "exit")
  child.kill("SIGKILL")
  await over
}

export const redisFault: Fault = {
  name: "redis",
  skipped: Effect.promise(async () => noServer ?? ((await hasProgram("redis-server")) ? undefined : "no redis-server")),
  run: Effect.gen(function* () {
    const port = yield* findFreePort
    let redis = yield* Effect.promise(() => begun(port))
    yield* Effect.addFinalizer(() => Effect.promise(() => (redis.exitCode === null ? ended(redis) : Promise.resolve())))
    const ground = yield* serverGround(server)
    const withRedis = { ...ground, env: { ...ground.env, REDIS_URL: `redis://127.0.0.1:${port}` } }
    const always = { times: 3, lastsMs: 3_000, promised: [], says: /^Redis at .* is away/ } as const
    const gone = yield* suffered(withRedis, {
      ...always,
      fault: "Redis is killed and comes back",
      begin: () => ended(redis),
      end: async () => {
        redis = await begun(port)
      }
    })
    const hung = yield* suffered(withRedis, {
      ...always,
      fault: "Redis hangs and goes on",
      begin: async () => void redis.kill("SIGSTOP"),
      end: async () => void redis.kill("SIGCONT")
    })
    return [gone, hung]
  })
}
