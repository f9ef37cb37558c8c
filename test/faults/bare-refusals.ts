import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"
import { NURSERY_FLAGS } from "../../bin/flags.js"
import { load } from "./load.ts"

const program = join(import.meta.dirname, "bare-server.ts")

/** Seconds until it is warm, and seconds that count. */
const WARM_S = 3
const SECONDS = 5

interface Crowd {
  readonly requests: ReadonlyArray<string>
  readonly perSecond: number
  readonly connections: number
}

/** Where it listens, once it does. */
const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once("message", (port) => resolve(Number(port)))
    child.once("exit", (code) => reject(new Error(`the bare server ended with ${code}`)))
  })

const measured = async (child: ChildProcess, { requests, perSecond, connections }: Crowd): Promise<number> => {
  const base = `http://127.0.0.1:${await portOf(child)}`
  const crowd = (seconds: number) =>
    load({ base, requests, seconds, watched: child.pid, arrival: { open: perSecond, connections } })
  await crowd(WARM_S)
  const { codes, watchedMs } = await crowd(SECONDS)
  return watchedMs / Object.values(codes).reduce((sum, times) => sum + times, 0)
}

/** Milliseconds of processor that a bare server of Node takes for an answer, under as many calls as the service refuses. */
export const bareRefusalMs = (crowd: Crowd): Promise<number> => {
  const child = fork(program, { execArgv: NURSERY_FLAGS })
  return measured(child, crowd).finally(() => child.kill())
}
