import { type ChildProcess, spawn } from "node:child_process"
import { readdir, readFile } from "node:fs/promises"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { SERVE_FLAGS } from "../bin/flags.js"
import type { Allocated } from "./allocation-watch.ts"
import type { CoveredFiles } from "./coverage-watch.ts"
import type { Hold } from "./loop-watch.ts"

/** A server of this machine that the bench started. */
export interface Server {
  readonly name: string
  readonly url: string
  /** Milliseconds from the start of the process to its first answer. */
  readonly startedInMs: number
  readonly residentMb: () => Promise<number>
  readonly stop: () => Promise<void>
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => (address !== null && typeof address === "object" ? resolve(address.port) : reject(address)))
    })
  })

const pids = new Map<string, number>()
const children = new Map<string, ChildProcess>()
const WATCHES = ["./loop-watch.ts", "./allocation-watch.ts"].flatMap((watch) => [
  "--import",
  fileURLToPath(new URL(watch, import.meta.url))
])

/** What bin/latchkey.js begins anew with unless it has it: the channel to the bench would not survive that. */
const flagsOf = ([program]: ReadonlyArray<string>): ReadonlyArray<string> =>
  program?.endsWith("bin/latchkey.js") === true ? SERVE_FLAGS : []

const isHold = (message: unknown): message is Hold =>
  typeof message === "object" && message !== null && "wall" in message && "processor" in message

const isAllocated = (message: unknown): message is Allocated =>
  typeof message === "object" && message !== null && "allocated" in message

const childAt = (url: string): ChildProcess => {
  const child = children.get(new URL(url).origin)
  if (child === undefined) throw new Error(`nothing was started at ${url}`)
  return child
}

/** What the watch in the server at this address answers. */
const asked = <A>(url: string, question: string, isAnswer: (message: unknown) => message is A): Promise<A> =>
  new Promise((resolve) => {
    const child = childAt(url)
    const hear = (message: unknown) => {
      if (!isAnswer(message)) return
      child.off("message", hear)
      resolve(message)
    }
    child.on("message", hear)
    child.send(question)
  })

/** The longest time that the server at this address held its event loop since it was asked last. */
export const longestHoldAt = (url: string): Promise<Hold> => asked(url, "longest hold", isHold)

/** From here on the server at this address counts the bytes of the objects it makes. */
export const countAllocationAt = (url: string) => childAt(url).send("count allocation")

/** The bytes it counted. */
export const allocatedAt = async (url: string): Promise<number> =>
  (await asked(url, "allocation", isAllocated)).allocated

const isCoveredFiles = (message: unknown): message is CoveredFiles =>
  typeof message === "object" && message !== null && "coveredFiles" in message

/** The files of `src` whose functions ran since it was asked last, of a server with coverage-watch.ts. */
export const coveredFilesAt = async (url: string): Promise<ReadonlyArray<string>> =>
  (await asked(url, "coverage", isCoveredFiles)).coveredFiles

/** Milliseconds of processor that all threads of the server at this address took so far. */
export const processorMsAt = async (url: string): Promise<number> => {
  const tasks = `/proc/${pids.get(new URL(url).origin)}/task`
  // The first field is nanoseconds; /proc/PID/stat would count in hundredths of a second.
  const schedules = (await readdir(tasks)).map((thread) => readFile(`${tasks}/${thread}/schedstat`, "utf8"))
  return (await Promise.all(schedules)).reduce((sum, each) => sum + Number(each.split(" ", 1)[0]) / 1e6, 0)
}

const START_MS = 120_000
const STOP_MS = 10_000

const answers = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) })
    return response.ok
  } catch {
    return false
  }
}

/** Starts a program of this checkout and waits until it answers. */
export const start = async (
  name: string,
  args: ReadonlyArray<string>,
  env: Record<string, string>
): Promise<Server> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  const child: ChildProcess = spawn(process.execPath, [...WATCHES, ...flagsOf(args), ...args], {
    env: { ...process.env, REDIS_URL: "", ...env, PORT: String(port) },
    stdio: ["ignore", "ignore", "inherit", "ipc"]
  })
  if (child.pid !== undefined) pids.set(url, child.pid)
  children.set(url, child)
  let over = false
  // Whatever becomes of the bench, none of its servers stays behind.
  const kill = () => child.kill("SIGKILL")
  process.once("exit", kill)
  child.once("exit", () => {
    over = true
    process.removeListener("exit", kill)
  })
  while (!(await answers(`${url}/health/live`))) {
    if (over) throw new Error(`${name} ended before it answered`)
    if (performance.now() - startedAt > START_MS) {
      kill()
      throw new Error(`${name} did not answer within ${START_MS} ms`)
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return {
    name,
    url,
    startedInMs: performance.now() - startedAt,
    residentMb: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8")
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
    },
    stop: () =>
      new Promise((resolve) => {
        if (over) return resolve()
        const late = setTimeout(kill, STOP_MS)
        child.once("exit", () => {
          clearTimeout(late)
          resolve()
        })
        child.kill("SIGTERM")
      })
  }
}
