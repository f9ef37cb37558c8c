import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { missingFrom, settledWithin } from "../attacks/accounting.ts"
import { arrivals } from "../attacks/arrivals.ts"
import { type Ground, serverGround } from "../attacks/grounds.ts"
import { type Life, lives } from "../attacks/service-process.ts"
import { subscribe } from "../attacks/subscribing.ts"
import { connections } from "../attacks/wire.ts"
import { acknowledged, estate, type Ledger, ledger, writing } from "../attacks/writing.ts"
import type { Fault, Suffered } from "./fault.ts"

// Workers that die, that are replaced while they serve, and a parent that dies, under load.

/** Longest until the workers of a parent are all there again, or all gone, in milliseconds: a start takes seconds, on a busy machine many. */
const LONGEST_MS = 120_000
const LOOK_MS = 20

const readOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // It has ended.
    return ""
  }
}

const commandOf = (pid: number): string => readOf(`/proc/${pid}/cmdline`)

/** The workers of a life: the children of its parent. */
export const workersOf = ({ pid }: Life): ReadonlyArray<number> =>
  readOf(`/proc/${pid}/task/${pid}/children`)
    .split(" ")
    .map(Number)
    .filter((child) => child > 0 && commandOf(child).includes("latchkey"))

const untilSo = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const until = performance.now() + LONGEST_MS
  while (!(await isSo())) {
    if (performance.now() > until) throw new Error(`it did not come to that within ${LONGEST_MS} ms`)
    await sleep(LOOK_MS)
  }
}

/** Whether a connection of its own is served. */
const isServed = (base: string): Promise<boolean> =>
  fetch(`${base}/health/ready`, { headers: { connection: "close" }, signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false
  )

/** Milliseconds until it is served again. */
const servedAgain = async (base: string): Promise<number> => {
  const from = performance.now()
  await untilSo(() => isServed(base))
  return performance.now() - from
}

export interface WorkersBudget {
  readonly workers: number
  readonly writers: number
  /** How often a worker is killed, and all are rolled. */
  readonly kills: number
  readonly rolls: number
  /** Writes between two of them. */
  readonly writes: number
  readonly arriveMs: number
}

/** Answers that no fault of these excuses: nothing here has to do with the database. */
const otherAnswers = ({ answers }: Ledger): ReadonlyArray<string> =>
  Array.from(answers, ([code, times]) => (code === 0 || code === 409 ? "" : `${times} answers of ${code}`)).filter(
    (each) => each !== ""
  )

export const workersUnderLoad = Effect.fnUntraced(function* (ground: Ground, budget: WorkersBudget) {
  const receiving = yield* arrivals()
  const held = yield* Effect.provide(estate(budget.writers), ground.layer)
  const service = yield* lives(ground, { workers: budget.workers })
  const agent = connections(budget.writers)
  const life = yield* service.begin
  yield* subscribe(service.base, held.token, receiving.url)
  const allThere = (without: ReadonlyArray<number>) => () => {
    const there = workersOf(life).filter((pid) => !without.includes(pid))
    return there.length === budget.workers
  }
  let round = 0

  /** What the fault did, told once everything it concerns has been looked up. */
  const suffer = (fault: string, times: number, cause: (kept: Ledger) => Promise<Partial<Suffered>>) =>
    Effect.gen(function* () {
      const kept = ledger(budget.writers)
      const did = yield* Effect.promise(async () => {
        await untilSo(allThere([]))
        let over = false
        const written = writing({ base: service.base, agent }, held, kept, round, () => over)
        const said = await cause(kept)
        over = true
        round = await written
        return said
      })
      const owed = yield* Effect.promise(() => settledWithin(budget.arriveMs, receiving.first, kept))
      const { lost, soldTwice } = yield* Effect.provide(missingFrom(held, kept), ground.layer)
      return {
        fault,
        on: `PostgreSQL, ${budget.workers} workers`,
        times,
        acknowledged: acknowledged(kept),
        lost: lost.length + owed.length,
        recoveredMs: undefined,
        seen: `${kept.unanswered} requests of ${budget.writers} callers without an answer`,
        ...did,
        fell: [...otherAnswers(kept), ...soldTwice.map((day) => `${day} is sold twice`), ...(did.fell ?? [])]
      } satisfies Suffered
    })

  const moreWrites = (kept: Ledger) => {
    const enough = acknowledged(kept) + budget.writes
    return untilSo(() => acknowledged(kept) >= enough)
  }

  const killed = yield* suffer("a worker is killed (SIGKILL)", budget.kills, async (kept) => {
    let recoveredMs = 0
    for (let nth = 0; nth < budget.kills; nth++) {
      await moreWrites(kept)
      const [victim = 0] = workersOf(life)
      process.kill(victim, "SIGKILL")
      recoveredMs = Math.max(recoveredMs, await servedAgain(service.base))
      await untilSo(allThere([victim]))
    }
    await moreWrites(kept)
    return { recoveredMs }
  })

  const rolled = yield* suffer("a rolling restart (SIGHUP)", budget.rolls, async (kept) => {
    let longest = 0
    for (let nth = 0; nth < budget.rolls; nth++) {
      await moreWrites(kept)
      const from = performance.now()
      const before = workersOf(life)
      life.signal("SIGHUP")
      await untilSo(() => allThere(before)() && workersOf(life).every((pid) => !before.includes(pid)))
      longest = Math.max(longest, performance.now() - from)
    }
    await moreWrites(kept)
    return {
      seen: `${(longest / 1_000).toFixed(1)} s until all were new`,
      // Nobody need notice: who was under way is answered, and who comes is taken.
      fell: kept.unanswered === 0 ? [] : [`${kept.unanswered} requests got no answer`]
    }
  })

  const orphaned = yield* suffer("the parent is killed (SIGKILL)", 1, async (kept) => {
    await moreWrites(kept)
    const workers = workersOf(life)
    const from = performance.now()
    life.signal("SIGKILL")
    await life.ended
    await untilSo(() => workers.every((pid) => !commandOf(pid).includes("latchkey")))
    const gone = performance.now() - from
    const next = await Effect.runPromise(service.begin)
    await moreWrites(kept)
    return {
      recoveredMs: gone + next.readyAfterMs,
      seen: `its workers ended within ${Math.round(gone)} ms; started by hand`
    }
  })
  return [killed, rolled, orphaned]
}, Effect.scoped)

const server = process.env.DATABASE_URL ?? ""

export const workers: Fault = {
  name: "workers",
  skipped: Effect.succeed(server === "" ? "DATABASE_URL not set" : undefined),
  run: Effect.flatMap(serverGround(server), (ground) =>
    workersUnderLoad(ground, { workers: 2, writers: 8, kills: 10, rolls: 3, writes: 300, arriveMs: 120_000 })
  )
}
