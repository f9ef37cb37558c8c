import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { NURSERY_FLAGS } from "../../bin/flags.js"
import { load } from "./load.ts"
import { processorMs } from "./processor.ts"

const program = join(import.meta.dirname, "bare-server.ts")

/** Seconds until it is warm, and seconds that count. */
const WARM_S = 3
const SECONDS = 5

interface Crowd {
  readonly requests: ReadonlyArray<string>
  readonly perSecond: number
  readonly connections: number
}

/** Milliseconds of processor that a bare server of Node takes for an answer, under as many calls as the service refuses. */
export const bareRefusalMs = async ({ requests, perSecond, connections }: Crowd): Promise<number> => {
  const child = fork(program, { execArgv: NURSERY_FLAGS })
  const [{ port }] = await once(child, "message")
  const crowd = (seconds: number) =>
    load({ base: `http://127.0.0.1:${port}`, requests, seconds, arrival: { open: perSecond, connections } })
  await crowd(WARM_S)
  const before = await processorMs(child)
  const { codes } = await crowd(SECONDS)
  const took = (await processorMs(child)) - before
  child.kill()
  return took / Object.values(codes).reduce((sum, times) => sum + times, 0)
}
