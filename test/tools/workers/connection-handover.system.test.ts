import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { serverGround } from "../../attacks/grounds.ts"
import { lives } from "../../attacks/service-process.ts"
import { workersOf } from "../../faults/workers.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"

const server = process.env["DATABASE_URL"] ?? ""

/** Milliseconds in which a worker that runs has answered. */
const ANSWERED_MS = 5_000
const CLOSED_MS = 20_000
/** Times that the service is asked whether it goes on. */
const ASKED_AGAIN = 30

/** A connection with a request, and whether it was answered and closed. */
const asking = (base: string) => {
  const { hostname, port } = new URL(base)
  const said = { answered: Promise.withResolvers<true>(), closed: Promise.withResolvers<true>() }
  const socket: Socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  socket.once("data", () => said.answered.resolve(true))
  socket.once("close", () => said.closed.resolve(true))
  socket.write(`GET /health/live HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
  return { socket, answered: said.answered.promise, closed: said.closed.promise }
}

const within = (ms: number, promise: Promise<boolean>): Promise<boolean> => Promise.race([promise, sleep(ms, false)])

describe.skipIf(server === "")(
  `a connection that is handed to a worker${server === "" ? " (skipped: DATABASE_URL not set)" : ""}`,
  () => {
    it.live(
      "which is killed before it has taken it is closed, and the other worker goes on",
      () =>
        Effect.gen(function* () {
          const life = yield* (yield* lives(yield* serverGround(server), { workers: 2 })).begin
          yield* Effect.promise(async () => {
            while (workersOf(life).length < 2) await sleep(50)
            const [victim = 0] = workersOf(life)
            process.kill(victim, "SIGSTOP")
            // The one that stands still is handed one at its turn, and takes it no more.
            let stuck: ReturnType<typeof asking> | undefined
            for (let nth = 0; stuck === undefined && nth < 6; nth++) {
              const one = asking(life.base)
              if (!(await within(ANSWERED_MS, one.answered))) stuck = one
              else one.socket.destroy()
            }
            assert.isDefined(stuck)
            process.kill(victim, "SIGKILL")
            assert.isTrue(stuck !== undefined && (await within(CLOSED_MS, stuck.closed)))
            // On a busy machine the other may only be about to serve, and until one does the port is closed.
            let goesOn = false
            for (let nth = 0; !goesOn && nth < ASKED_AGAIN; nth++) {
              const next = asking(life.base)
              goesOn = await within(
                ANSWERED_MS,
                Promise.race([next.answered, next.closed.then(() => sleep(1_000, false))])
              )
              next.socket.destroy()
            }
            assert.isTrue(goesOn)
          })
        }).pipe(Effect.scoped),
      PROCESSES_MS
    )
  }
)
