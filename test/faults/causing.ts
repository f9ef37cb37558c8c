import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { missingFrom, noteAccount, settledWithin } from "../attacks/accounting.ts"
import { arrivals } from "../attacks/arrivals.ts"
import { tally } from "../attacks/figures.ts"
import type { Ground } from "../attacks/grounds.ts"
import { type Life, lives } from "../attacks/service-process.ts"
import { subscribe } from "../attacks/subscribing.ts"
import { connections } from "../attacks/wire.ts"
import { acknowledged, type Estate, estate, type Ledger, ledger, writing } from "../attacks/writing.ts"
import type { Suffered } from "./fault.ts"

// A fault that comes and goes while writers write and a receiver is told: what was acknowledged must be there, every event
// must arrive, and the service must go on by itself.

export interface Caused {
  readonly fault: string
  readonly times: number
  /** Causes it, and ends it; in between it lasts `lastsMs`. */
  readonly begin: (life: Life) => Promise<void>
  readonly end: (life: Life) => Promise<void>
  readonly lastsMs: number
  /** Error codes that calls may be answered with beside success and 409. */
  readonly promised: ReadonlyArray<number>
  /** Whether events may wait for their time, where the clock went back meanwhile: then they must be queued. */
  readonly mayWait?: boolean
  /** What the service must say of it in its log, once for each time at most. */
  readonly says?: RegExp
}

const WRITERS = 4
/** Milliseconds of writing before each time, that it may take to recover, and that what is owed may take to arrive. */
const BEFORE_MS = 2_000
const RECOVER_MS = 60_000
const ARRIVE_MS = 120_000
/** The same where events may wait for an hour: what else there is has arrived by then. */
const ARRIVE_BESIDE_MS = 15_000
/** Acknowledged writes, of each writer one after the other, after which the service serves as before. */
const WELL = 5

const failures = ({ answers, unanswered }: Ledger, promised: ReadonlyArray<number>): number =>
  promised.reduce((sum, code) => sum + (answers.get(code) ?? 0), unanswered)

/** Milliseconds until calls go well again; undefined: they do not. */
const recovered = async (kept: Ledger, promised: ReadonlyArray<number>): Promise<number | undefined> => {
  const began = performance.now()
  let [failed, since, had] = [failures(kept, promised), began, acknowledged(kept)]
  while (performance.now() - began < RECOVER_MS) {
    if (failures(kept, promised) > failed) {
      ;[failed, since, had] = [failures(kept, promised), performance.now(), acknowledged(kept)]
    }
    if (acknowledged(kept) >= had + WELL * kept.writers) return since - began
    await sleep(10)
  }
  return undefined
}

/** Deliveries that are not made yet. */
const waiting = Effect.fnUntraced(function* ({ operatorId }: Estate) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ waiting: number }>`
    SELECT count(*)::int AS waiting FROM webhook_deliveries WHERE operator_id = ${operatorId} AND settled_at IS NULL`
  return row?.waiting ?? 0
}, Effect.orDie)

/** Lines of a log of JSON, by what they say: how often each. */
const saidIn = (log: string): ReadonlyMap<string, number> => {
  const said = new Map<string, number>()
  for (const [, message = ""] of log.matchAll(/"message":"((?:[^"\\]|\\.)*)"/g)) {
    said.set(message, (said.get(message) ?? 0) + 1)
  }
  return said
}

export const suffered = Effect.fnUntraced(function* (ground: Ground, caused: Caused) {
  const count = tally(caused.fault, ground.on)
  const receiving = yield* arrivals()
  const held = yield* Effect.provide(estate(WRITERS), ground.layer)
  const kept = ledger(WRITERS)
  const service = yield* lives(ground)
  const life = yield* service.begin
  yield* subscribe(service.base, held.token, receiving.url)

  const longest = yield* Effect.promise(async () => {
    let [over, most] = [false, 0]
    const written = writing({ base: service.base, agent: connections(WRITERS) }, held, kept, 0, () => over)
    for (let nth = 0; nth < caused.times; nth++) {
      await sleep(BEFORE_MS)
      await caused.begin(life)
      await sleep(caused.lastsMs)
      await caused.end(life)
      const ms = await recovered(kept, caused.promised)
      if (ms === undefined) count.fell(`calls still fail ${RECOVER_MS} ms after it was over`, life.said().slice(-400))
      most = Math.max(most, ms ?? RECOVER_MS)
    }
    over = true
    await written
    return most
  })

  const arriveMs = caused.mayWait ? ARRIVE_BESIDE_MS : ARRIVE_MS
  const owed = yield* Effect.promise(() => settledWithin(arriveMs, receiving.first, kept))
  const arrived = receiving.first()
  life.signal("SIGTERM")
  const { status } = yield* Effect.promise(() => life.ended)
  if (status !== 0) count.fell("the process does not end with status 0", life.said().slice(-400))
  const queued = caused.mayWait ? yield* Effect.provide(waiting(held), ground.layer) : 0
  const missing = yield* Effect.provide(missingFrom(held, kept), ground.layer)
  noteAccount(count, held, missing, owed.length > queued ? owed : [], caused.mayWait ? [] : arrived)
  if (kept.unanswered > 0) count.fell(`${kept.unanswered} requests got no answer`)
  for (const [code, times] of kept.answers) {
    if (![0, 409, ...caused.promised].includes(code)) count.fell(`calls are answered ${code}`, `${times} times`)
  }
  const said = saidIn(life.said())
  const told = Array.from(said).filter(([message]) => caused.says?.test(message))
  const times = told.reduce((sum, [, each]) => sum + each, 0)
  if (caused.says !== undefined && (times === 0 || times > caused.times))
    count.fell(`the log says it ${times} times`, [...said.keys()].slice(0, 3).join("; "))
  const refused = failures(kept, caused.promised)
  const lines = Array.from(said.values()).reduce((sum, each) => sum + each, 0)
  const { fell } = count.figures()
  return {
    fault: caused.fault,
    on: ground.on,
    times: caused.times,
    acknowledged: acknowledged(kept),
    lost: fell.filter((line) => /lost|did not arrive|sold twice/.test(line)).length,
    fell,
    recoveredMs: refused === 0 ? undefined : longest,
    seen: `${refused} calls refused, ${lines} lines of warning${queued === 0 ? "" : `, ${queued} events wait for their time`}`
  } satisfies Suffered
}, Effect.scoped)
