import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Layer, Redacted } from "effect"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { missingFrom, noteAccount, settledWithin } from "../attacks/accounting.ts"
import { arrivals } from "../attacks/arrivals.ts"
import { restEnvelope, restWrite } from "../attacks/doors.ts"
import { type Tally, tally } from "../attacks/figures.ts"
import { type Life, lives } from "../attacks/service-process.ts"
import { subscribe } from "../attacks/subscribing.ts"
import { noteMessages } from "../attacks/threads.ts"
import { connections, send } from "../attacks/wire.ts"
import { acknowledged, type Estate, type Ledger, ledger, writing } from "../attacks/writing.ts"
import { createEmptyDatabase } from "../support/scratch-database.ts"
import type { Fault, Suffered } from "./fault.ts"
import { FORMER, formerCode, noFormerCode } from "./former-code.ts"

// The release before and this one on one database, both under load: the former serves, today's migrates the database under
// it, both serve, the former goes, and comes back alone, as whoever rolls a release out and back has it.

export interface VersionsBudget {
  /** Writers at the door of each of the two. */
  readonly writers: number
  /** Conversations that messages are sent to through each. */
  readonly threads: number
  /** Milliseconds that the former serves alone, that both do, and that each does alone afterwards. */
  readonly aloneMs: number
  readonly togetherMs: number
  /** Milliseconds that what is owed at the end may take to arrive. */
  readonly arriveMs: number
}

/** What both write with, made by the former code: today's may know columns that are not there yet. */
const madeByFormer = async (folder: string, { writers, threads }: VersionsBudget) => {
  const writingThen: typeof import("../attacks/writing.ts") = await import(join(folder, "test/attacks/writing.ts"))
  const threadsThen: typeof import("../attacks/threads.ts") = await import(join(folder, "test/attacks/threads.ts"))
  return Effect.gen(function* () {
    const held = yield* writingThen.estate(2 * writers)
    const [account] = yield* threadsThen.lateAccounts(held.operatorId, LATE_MS)
    if (account === undefined) return yield* Effect.die(new Error("no account was made"))
    const codes = yield* Effect.forEach(Array.from({ length: 2 * threads }), () => threadsThen.threadOf(account))
    yield* threadsThen.unboundedTalk(held.operatorId)
    return { held, codes }
  })
}

/** Milliseconds that the marketplace takes for an answer. */
const LATE_MS = 5

/** One door: what is written through it, and what became of that. */
interface Door {
  readonly base: string
  readonly held: Estate
  readonly kept: Ledger
  /** Conversations of its own, and the texts that were acknowledged to them. */
  readonly codes: ReadonlyArray<string>
  readonly messages: Array<string>
  round: number
}

const talk = async ({ base, held, kept, codes, messages }: Door, over: () => boolean): Promise<void> => {
  const agent = connections(codes.length)
  await Promise.all(
    codes.map(async (code) => {
      for (let nth = messages.length; !over(); nth++) {
        const message = `${code} ${base} ${nth}`
        const sent = restWrite(held.token, "POST", `/v3/conversations/${code}`, { message })
        const envelope = await send(base, agent, sent).then(restEnvelope, () => undefined)
        if (envelope === undefined) kept.unanswered++
        else if (envelope.error_code === 0) messages.push(message)
        else kept.answers.set(envelope.error_code, (kept.answers.get(envelope.error_code) ?? 0) + 1)
        await sleep(20)
      }
    })
  )
}

/** Writers at a door, until the answered is called. */
const writers = (door: Door) => {
  let over = false
  const agent = connections(door.kept.writers)
  const written = writing({ base: door.base, agent }, door.held, door.kept, door.round, () => over)
  const talked = talk(door, () => over)
  return async () => {
    over = true
    door.round = await written
    await talked
    agent.destroy()
  }
}

const noteAnswers = (count: Tally, name: string, { kept }: Door, life: Life) => {
  // An example is cut off, so of each failure only its last cause.
  const failures = life
    .said()
    .split("\n")
    .filter((line) => line.includes('"level":"error"'))
    .map((line) => line.match(/\[cause\]: .*?(?=\\n|$)/g)?.at(-1) ?? line)
    .join("\n")
  if (kept.unanswered > 0) count.fell(`${kept.unanswered} calls of ${name} got no answer`, failures)
  for (const [code, times] of kept.answers) {
    if (code !== 0 && code !== 409) count.fell(`calls of ${name} are answered ${code}`, `${times} times; ${failures}`)
  }
}

const stopped = async (life: Life) => {
  life.signal("SIGTERM")
  await life.ended
}

/** The two doors, each with its half of what is written with. */
const doorsOf = (
  { held, codes }: { readonly held: Estate; readonly codes: ReadonlyArray<string> },
  bases: readonly [string, string],
  { writers, threads }: VersionsBudget
): readonly [Door, Door] => {
  const door = (base: string, nth: number): Door => ({
    base,
    held: { ...held, own: held.own.slice(nth * writers, (nth + 1) * writers) },
    kept: ledger(writers),
    codes: codes.slice(nth * threads, (nth + 1) * threads),
    messages: [],
    round: 0
  })
  return [door(bases[0], 0), door(bases[1], 1)]
}

export const versions = Effect.fnUntraced(function* (server: string, budget: VersionsBudget) {
  const count = tally(`${FORMER} and today's on one database`, "PostgreSQL")
  const folder = yield* formerCode
  const url = yield* createEmptyDatabase(server)
  const ground = { env: { DATABASE_URL: url, SANDBOX: "1" } }
  const [former, todays] = [yield* lives(ground, { former: folder }), yield* lives(ground)]
  const receiving = yield* arrivals()

  const first = yield* former.begin
  // Not before: until then there is no table.
  const database = yield* Layer.build(Layer.orDie(layerPostgres({ url: Redacted.make(url), maxConnections: 4 })))
  const making = yield* Effect.promise(() => madeByFormer(folder, budget))
  const made = yield* Effect.provideContext(Effect.orDie(making), database)
  yield* subscribe(former.base, made.held.token, receiving.url)
  const [then, now] = doorsOf(made, [former.base, todays.base], budget)

  const endThen = writers(then)
  yield* Effect.promise(() => sleep(budget.aloneMs))
  const second = yield* todays.begin
  const endNow = writers(now)
  yield* Effect.promise(async () => {
    await sleep(budget.togetherMs)
    await endThen()
    await stopped(first)
    await sleep(budget.aloneMs)
    await endNow()
    await stopped(second)
  })

  const third = yield* former.begin
  const endAgain = writers(then)
  const owed = yield* Effect.promise(async () => {
    await sleep(budget.aloneMs)
    await endAgain()
    return Promise.all([then, now].map(({ kept }) => settledWithin(budget.arriveMs, receiving.first, kept)))
  })
  yield* Effect.promise(() => messagesGone(then, [...then.codes, ...now.codes], budget.arriveMs))
  yield* Effect.promise(() => stopped(third))

  noteAnswers(count, "the release before", then, third)
  noteAnswers(count, "today's", now, second)
  for (const [nth, door] of [then, now].entries()) {
    const missing = yield* Effect.provideContext(missingFrom(door.held, door.kept), database)
    noteAccount(count, door.held, missing, owed[nth] ?? [], receiving.first())
    if (acknowledged(door.kept) === 0) count.fell("nothing was written through a door", door.base)
  }
  const messages = [...then.messages, ...now.messages]
  yield* Effect.provideContext(Effect.orDie(noteMessages(count, messages)), database)
  const written = acknowledged(then.kept) + acknowledged(now.kept) + messages.length
  count.tried("acknowledged writes", written)
  count.tried("events that arrived", receiving.first().length)
  count.seen(`today's migrated and was ready under load after ${(second.readyAfterMs / 1_000).toFixed(1)} s`)
  return { figures: count.figures(), written }
}, Effect.scoped)

/** Waits until no message of these conversations waits to be sent. */
const messagesGone = async ({ base, held }: Door, codes: ReadonlyArray<string>, ms: number): Promise<void> => {
  const agent = connections(1)
  const until = performance.now() + ms
  const isQueued = async (code: string): Promise<boolean> => {
    const sent = { method: "GET", target: `/v3/conversations/${code}`, headers: { "service-access-token": held.token } }
    return (await send(base, agent, sent)).text.includes('"queued"')
  }
  for (const code of codes) while (performance.now() < until && (await isQueued(code))) await sleep(50)
}

const server = process.env.DATABASE_URL ?? ""

const suffered = ({ figures, written }: Effect.Success<ReturnType<typeof versions>>): Suffered => ({
  fault: "the release before and this one at once: up, both, and back",
  on: "PostgreSQL",
  times: 1,
  acknowledged: written,
  lost: figures.fell.length,
  fell: figures.fell,
  recoveredMs: undefined,
  seen: figures.seen.join("; ")
})

/** Half a minute each. */
const LONG: VersionsBudget = { writers: 8, threads: 4, aloneMs: 15_000, togetherMs: 30_000, arriveMs: 60_000 }

export const versionsFault: Fault = {
  name: "versions",
  skipped: Effect.map(noFormerCode, (why) => (server === "" ? "DATABASE_URL not set" : why)),
  run: Effect.map(versions(server, LONG), (held) => [suffered(held)])
}
