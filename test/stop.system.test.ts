import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { Agent, type IncomingMessage, request } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { FEED_WAIT_SECONDS, FEED_WAITING_READS_MAX } from "../src/platform/limits.ts"
import { makeDatabaseEnvironment } from "./support/first-start.ts"
import { PROCESSES_MS } from "./support/time-limits.ts"
import { findFreePort } from "./support/tools/cli/latchkey-process.ts"
import { runLatchkeyInProcess } from "./support/tools/cli/running-service.ts"
import { RawClient } from "./support/transports/http-server/raw-client.ts"

// A process is asked to stop while clients write as fast as they can: who is answered, what is stored, how it ends. Seconds say
// little of that where others use the machine: whether it ended by itself is told by its status and its log.

/** Milliseconds that service managers are told to wait before they kill it. */
const LONGEST_STOP_MS = 12_000

/** Milliseconds by which a timer of another process may seem early here. */
const CLOCKS_APART_MS = 100

const CLIENTS = 8
/** Answers after which the process is asked to stop; together with the rest below what an account may write a minute. */
const ANSWERS = 200

interface Running {
  readonly child: ChildProcess
  readonly base: string
  readonly token: string
  /** Whether it has said that its patience came to an end before what was under way did. */
  readonly hasCut: () => boolean
  readonly ended: Promise<Ended>
}

interface Ended {
  readonly code: number | null
  readonly hadToCut: boolean
}

const CREATE_OPERATOR =
  "operator create --name H --time-zone UTC --currency EUR --password correct-horse --email h@stop.example".split(" ")
const TOKEN = "--name t --scope writable".split(" ")
const Printed = Schema.fromJsonString(
  Schema.Struct({ account_id: Schema.optionalKey(Schema.Int), token: Schema.optionalKey(Schema.String) })
)

/** What a command prints as JSON. */
const printedBy = (args: ReadonlyArray<string>, env: Record<string, string>) =>
  Effect.flatMap(runLatchkeyInProcess([...args, "--json"], env), ({ stdout }) =>
    Schema.decodeUnknownEffect(Printed)(stdout)
  )

/** A database of its own with an operator, and its token, for one process after the other. */
class Place extends Context.Service<Place, { readonly env: Record<string, string>; readonly token: string }>()(
  "latchkey/test/stop/Place"
) {
  static readonly layer = Layer.effect(
    Place,
    Effect.gen(function* () {
      const place = yield* makeDatabaseEnvironment
      const { account_id } = yield* printedBy(CREATE_OPERATOR, place)
      const { token = "" } = yield* printedBy(["token", "create", "--account", `${account_id}`, ...TOKEN], place)
      const PATH = process.env["PATH"] ?? ""
      return { env: { ...place, DEMO: "0", LOG_LEVEL: "warn", PORT: yield* findFreePort, PATH }, token }
    })
  )
}

const startedWith = Effect.fnUntraced(function* (more: Record<string, string>, ...flags: ReadonlyArray<string>) {
  const place = yield* Place
  const env: Record<string, string> = { ...place.env, ...more }
  return yield* Effect.acquireRelease(
    Effect.promise(async (): Promise<Running> => {
      const latchkey = join(import.meta.dirname, "../bin/latchkey.js")
      const child = spawn(process.execPath, [latchkey, "serve", ...flags], { env })
      let printed = ""
      child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()))
      const hasCut = () => printed.includes("the stop cut connections")
      const ended = once(child, "close").then(() => ({ code: child.exitCode, hadToCut: hasCut() }))
      await new Promise<void>((resolve, reject) => {
        child.stdout.on("data", (chunk: Buffer) => {
          printed += chunk.toString()
          if (/Docs .*\n/.test(printed)) resolve()
        })
        child.on("exit", () => reject(new Error(`ended before it was ready: ${printed}`)))
      })
      return { child, base: `http://127.0.0.1:${env["PORT"]}`, token: place.token, hasCut, ended }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )
})

const started = startedWith({})

/** Milliseconds for which threads of a process have waited for their turn at a processor, where the system counts them. */
const waitedForTurn = ({ pid }: ChildProcess): number => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const waits = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[1]))
    return waits.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1_000_000
  } catch {
    return 0
  }
}

/** How it ended, once it has. */
const ended = (running: Running): Effect.Effect<Ended> => Effect.promise(() => running.ended)

/** How it ended under a service manager, which kills it when its time is over. */
const managed = ({ child, ended, hasCut }: Running): Effect.Effect<Ended> =>
  Effect.promise(async () => {
    const askedAt = performance.now()
    let [before, others] = [0, 0]
    const manager = setInterval(() => {
      // Until it cuts it waits for its callers, whoever has the processors; from then on it is what others leave it of them.
      if (hasCut()) others = Math.max(others, waitedForTurn(child) - before)
      else before = waitedForTurn(child)
      if (performance.now() - askedAt - others > LONGEST_STOP_MS) child.kill("SIGKILL")
    }, 100)
    const end = await ended
    clearInterval(manager)
    return end
  })

const BY_ITSELF: Ended = { code: 0, hadToCut: false }

const Written = Schema.fromJsonString(Schema.Struct({ error_code: Schema.Int }))
const codeOf = Schema.decodeUnknownSync(Written)

/** What became of each request, by its note, over all clients. */
class Tally {
  readonly sent = new Set<string>()
  readonly stored = new Set<string>()
  /** Answers without `Connection: close` to requests that were sent after the first answer that had it. */
  readonly kept: Array<string> = []
  lasts = 0
  readonly enough: Promise<void>
  #reached: () => void = () => {}

  constructor() {
    this.enough = new Promise((resolve) => {
      this.#reached = resolve
    })
  }

  heard(note: string, sentAfterLast: boolean, last: boolean): void {
    this.stored.add(note)
    if (last) this.lasts += 1
    else if (sentAfterLast) this.kept.push(note)
    if (this.stored.size === ANSWERS) this.#reached()
  }
}

const entry = { direction: "income", amount: 1, currency: "EUR", item_id: 11, payment_method_id: 197 }

/** Writes over one connection, one request after the other, until it is told that an answer was the last. */
const writeOn = async ({ base, token }: Running, client: number, tally: Tally): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let turn = 0; ; turn++) {
    const note = `stop-${client}-${turn}`
    const viaMcp = client % 2 === 1
    const fields = { ...entry, note }
    const body = viaMcp
      ? { jsonrpc: "2.0", id: turn, method: "tools/call", params: { name: "create_transaction", arguments: fields } }
      : fields
    const sentAfterLast = tally.lasts > 0
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "*/*" }
      request(`${base}${viaMcp ? "/mcp" : "/v3/transactions"}`, { agent, method: "POST", headers }, resolve)
        .on("error", reject)
        .end(JSON.stringify(body))
      tally.sent.add(note)
    })
    const answer = await text(response)
    const envelope = viaMcp ? JSON.parse(answer.slice(answer.indexOf("{"))).result.content[0].text : answer
    assert.strictEqual(codeOf(envelope).error_code, 0, envelope)
    const last = response.headers.connection === "close"
    tally.heard(note, sentAfterLast, last)
    if (last) return agent.destroy()
  }
}

const Page = Schema.fromJsonString(
  Schema.Struct({
    data: Schema.Struct({ transactions: Schema.Array(Schema.Struct({ note: Schema.String })), total: Schema.Int })
  })
)
const pageOf = Schema.decodeUnknownSync(Page)

const Feed = Schema.fromJsonString(
  Schema.Struct({
    error_code: Schema.Int,
    data: Schema.Struct({
      next_cursor: Schema.optionalKey(Schema.String),
      has_more: Schema.optionalKey(Schema.Boolean)
    })
  })
)
const feedOf = Schema.decodeUnknownSync(Feed)

const events = async ({ base, token }: Running, query: string) =>
  feedOf(await (await fetch(`${base}/v3/events?${query}`, { headers: { "Service-Access-Token": token } })).text())

const endOfFeed = async (running: Running): Promise<string> => {
  let after = ""
  while (true) {
    // Nothing for a second: what the operator begins with is handed out, and its wait was to its end.
    const { data } = await events(running, `limit=500&wait=1&after=${after}`)
    if (data.next_cursor === after) return after
    after = data.next_cursor ?? ""
  }
}

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

/** Asks until the process says that it stops. */
const unready = async (running: Running): Promise<void> => {
  while ((await (await fetch(`${running.base}/health/ready`)).text()) !== "stopping\n") {}
}

/** The notes of all entries the clients made. */
const storedIn = Effect.fnUntraced(function* ({ base, token }: Running) {
  const notes: Array<string> = []
  for (;;) {
    const url = `${base}/v3/transactions?start_date=${day(-2)}&end_date=${day(2)}&keyword=stop-&limit=100&offset=${notes.length}`
    const { data } = pageOf(
      yield* Effect.promise(async () => (await fetch(url, { headers: { "Service-Access-Token": token } })).text())
    )
    notes.push(...data.transactions.map(({ note }) => note))
    if (data.transactions.length === 0 || notes.length >= data.total) return notes
  }
})

layer(Place.layer, { excludeTestServices: true })("a process that is asked to stop", (it) => {
  it.effect(
    "in the middle of writes leaves no request without its answer, and stores what was answered and nothing else",
    () =>
      Effect.gen(function* () {
        const running = yield* started
        const idle = Array.from({ length: 20 }, () => new RawClient(running.base))
        const tally = new Tally()
        const clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => writeOn(running, client, tally)))
        yield* Effect.promise(() => Promise.race([tally.enough, clients]))
        running.child.kill("SIGTERM")
        assert.deepStrictEqual(yield* ended(running), BY_ITSELF)
        yield* Effect.promise(() => clients)
        assert.strictEqual(tally.lasts, CLIENTS)
        assert.deepStrictEqual(tally.kept, [])
        for (const client of idle) assert.strictEqual(yield* Effect.promise(() => client.receivedUntilEnd), "")
        const notes = yield* storedIn(yield* started)
        assert.deepStrictEqual(notes.toSorted(), Array.from(tally.stored).toSorted())
        assert.deepStrictEqual(tally.sent, tally.stored)
      }),
    PROCESSES_MS
  )

  /** A process with half a request on it, for which it would wait as long as it may. */
  const waiting = Effect.gen(function* () {
    const running = yield* started
    const client = new RawClient(running.base).send(
      "POST /v3/transactions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
    )
    client.send(
      `Service-Access-Token: ${running.token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`
    )
    yield* Effect.promise(() => client.awaitText(/100 Continue/))
    return running
  })

  it.effect(
    "answers calls that wait for events, and does not wait for the end of their wait",
    () =>
      Effect.gen(function* () {
        // The seats are those of one process, and on a server there would be a process a core.
        const running = yield* startedWith({}, "--workers", "1")
        const after = yield* Effect.promise(() => endOfFeed(running))
        const waits = Array.from({ length: FEED_WAITING_READS_MAX + 1 }, () =>
          events(running, `wait=${FEED_WAIT_SECONDS}&after=${after}`)
        )
        // The one that is refused: all the others wait by now.
        assert.strictEqual((yield* Effect.promise(() => Promise.race(waits))).error_code, 429)
        running.child.kill("SIGTERM")
        // Each would have gone on for longer than what is under way may: else it had been cut.
        assert.deepStrictEqual(yield* ended(running), BY_ITSELF)
        const answers = yield* Effect.promise(() => Promise.all(waits))
        const empty = answers.filter(({ error_code, data }) => error_code === 0 && data.next_cursor === after)
        assert.lengthOf(empty, FEED_WAITING_READS_MAX)
      }),
    PROCESSES_MS
  )

  it.effect(
    "lets calls wait for events until its drain is over, those that come meanwhile too",
    () =>
      Effect.gen(function* () {
        const DRAIN_SECONDS = 5
        const running = yield* startedWith({ DRAIN_SECONDS: String(DRAIN_SECONDS) })
        const after = yield* Effect.promise(() => endOfFeed(running))
        const askedAt = performance.now()
        const wait = async (seconds: number) => {
          const { error_code } = await events(running, `wait=${seconds}&after=${after}`)
          return { error_code, ms: performance.now() - askedAt }
        }
        running.child.kill("SIGTERM")
        yield* Effect.promise(() => unready(running))
        const [short, long] = yield* Effect.promise(() => Promise.all([wait(1), wait(FEED_WAIT_SECONDS)]))
        assert.deepStrictEqual([short.error_code, long.error_code], [0, 0])
        // The short one as long as it asked for, the long one to the end of the drain and no longer: else it had been cut.
        assert.isAtLeast(short.ms, 1_000)
        assert.isAtLeast(long.ms, DRAIN_SECONDS * 1_000 - CLOCKS_APART_MS)
        assert.deepStrictEqual(yield* ended(running), BY_ITSELF)
      }),
    PROCESSES_MS
  )

  it.effect(
    "twice at once is asked once; asked again later, it ends without waiting",
    () =>
      Effect.gen(function* () {
        const running = yield* waiting
        // As npm does, and as somebody does who is tired of waiting.
        const askedAt = performance.now()
        running.child.kill("SIGTERM")
        const again = setInterval(() => running.child.kill("SIGTERM"), 100)
        const end = yield* ended(running)
        clearInterval(again)
        // The status of a second signal: it waited neither for the rest of the request nor to the end of its patience.
        assert.deepStrictEqual(end, { code: 128 + 15, hadToCut: false })
        assert.isAtLeast(performance.now() - askedAt, 1_000 - CLOCKS_APART_MS)
      }),
    PROCESSES_MS
  )

  it.effect(
    "by SIGINT ends like by SIGTERM, with status 0 also where something had to be cut",
    () =>
      Effect.gen(function* () {
        const running = yield* waiting
        running.child.kill("SIGINT")
        assert.deepStrictEqual(yield* managed(running), { code: 0, hadToCut: true })
      }),
    PROCESSES_MS
  )
})
