import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"
import { FEW_CONNECTIONS, findFreePort } from "../support/tools/cli/latchkey-process.ts"
import type { Ground } from "./grounds.ts"

// The service as a process, as whoever runs it starts it, unless a test asks for a shorter lease.

/** The code of this checkout. */
const HERE = join(import.meta.dirname, "../..")
const serving = join(import.meta.dirname, "serving-process.ts")

/** Longest a start may take until the service says it is ready, in milliseconds. */
const START_MS = 120_000

export interface Life {
  /** Where it answers, without a final slash. */
  readonly base: string
  /** Milliseconds from its start until it was ready. */
  readonly readyAfterMs: number
  readonly pid: number | undefined
  /** Takes the processor from it, and gives it back. */
  readonly pause: () => void
  readonly resume: () => void
  readonly signal: (signal: "SIGTERM" | "SIGKILL" | "SIGHUP") => void
  /** How it ended, and after how many milliseconds of its life. */
  readonly ended: Promise<{ readonly status: number | null; readonly signal: NodeJS.Signals | null }>
  /** Its last lines of warnings and errors. */
  readonly said: () => string
}

const SAID_CHARACTERS = 100_000

const isReady = (base: string): Promise<boolean> =>
  fetch(`${base}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false
  )

/** How the service is run: the lease of its background work, its processes (one if not said), and whose code it is. */
export interface Running {
  readonly leaseMs?: number | undefined
  readonly workers?: number | undefined
  /** The folder with the code of another release. Default: this code. */
  readonly former?: string | undefined
}

const programOf = ({ leaseMs, workers = 1, former = HERE }: Running): ReadonlyArray<string> =>
  leaseMs === undefined ? [join(former, "bin/latchkey.js"), "serve", "--workers", String(workers)] : [serving]

const begin = async (ground: Partial<Ground> & Pick<Ground, "env">, port: string, running: Running): Promise<Life> => {
  const { leaseMs } = running
  const startedAt = performance.now()
  const env = {
    ...FEW_CONNECTIONS,
    PORT: port,
    DEMO: "0",
    LOG_LEVEL: "warn",
    WEBHOOK_ALLOWED_HOSTS: "127.0.0.1",
    ...ground.env
  }
  const child: ChildProcess = spawn(process.execPath, programOf(running), {
    env: { PATH: process.env.PATH ?? "", LEASE_MS: String(leaseMs), ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  const listen = (text: Buffer) => {
    said = `${said}${text}`.slice(-SAID_CHARACTERS)
  }
  child.stdout?.on("data", listen)
  child.stderr?.on("data", listen)
  let over = false
  const ended = new Promise<Awaited<Life["ended"]>>((resolve) =>
    child.once("close", (status, signal) => {
      over = true
      resolve({ status, signal })
    })
  )
  const base = `http://127.0.0.1:${port}`
  while (!(await isReady(base))) {
    if (over || performance.now() - startedAt > START_MS) {
      child.kill("SIGKILL")
      throw new Error(`the service did not become ready: ${said}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const readyAfterMs = performance.now() - startedAt
  return {
    base,
    readyAfterMs,
    pid: child.pid,
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    signal: (signal) => void child.kill(signal),
    ended,
    said: () => said
  }
}

/** A port, and lives of the service on it, one after the other; the last one ends with the scope. */
export const lives = Effect.fnUntraced(function* (
  ground: Partial<Ground> & Pick<Ground, "env">,
  running: Running = {}
) {
  const port = yield* findFreePort
  let life: Life | undefined
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      life?.signal("SIGKILL")
      await life?.ended
    })
  )
  return {
    base: `http://127.0.0.1:${port}`,
    begin: Effect.promise(async () => {
      life = await begin(ground, port, running)
      return life
    })
  }
})
