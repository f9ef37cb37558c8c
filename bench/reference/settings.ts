import { Pool } from "pg"
import { type CapturedCalls, sender } from "./captured.ts"

const calls: CapturedCalls = JSON.parse(process.env["BENCH_STATEMENTS"] ?? "{}")

/** What a reference server is told by the bench through its environment. */
export const settings = {
  port: Number(process.env["PORT"]),
  token: process.env["BENCH_TOKEN"] ?? "",
  publicUrl: process.env["PUBLIC_URL"] ?? ""
}

/**
 * As many connections as the service's own pool, in sessions that compile as little. Told by the bench: whatever this
 * process loads besides would count as memory of the reference.
 */
export const pool = new Pool({
  connectionString: process.env["DATABASE_URL"],
  max: Number(process.env["BENCH_CONNECTIONS"]),
  // As long as the service's own pool: its 10 s unless told end between two rounds, and each would begin with connecting.
  idleTimeoutMillis: 60_000,
  options: "-c jit=off"
})

export const send = sender(pool, calls)
