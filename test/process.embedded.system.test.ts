import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { PROCESSES_MS } from "./support/time-limits.ts"
import { runLatchkeyProcess } from "./support/tools/cli/latchkey-process.ts"

// `npm start` as a newcomer meets it, in a folder of its own: what it prints works, it ends when asked, and comes back.

const folder = mkdtempSync(join(tmpdir(), "latchkey-start-"))
const root = join(import.meta.dirname, "..")
// Below those that this machine gives to whoever asks for any.
const port = String(20_000 + (process.pid % 12_000))
/** Those that were started, each with its end. */
const running = new Map<ChildProcess, Promise<unknown>>()

const signal = ({ pid }: ChildProcess, name: NodeJS.Signals) => {
  if (pid !== undefined) process.kill(-pid, name)
}

// What a test leaves running when it fails has the folder and the port of those after it.
afterEach(async () => {
  for (const [child, ended] of running) {
    signal(child, "SIGKILL")
    await ended
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  /** Whether its patience came to an end before what was under way did. */
  readonly hadToCut: boolean
}

interface Started {
  readonly child: ChildProcess
  /** Everything it printed until it was ready. */
  readonly printed: string
  readonly ended: Promise<Ended>
}

const BY_ITSELF: Ended = { code: 0, hadToCut: false }

/** Of the demo's host: what the first start printed. */
let host = ""

/** Starts the service in a process group of its own and waits for its last line of greeting. */
const start = (): Promise<Started> =>
  new Promise((resolve, reject) => {
    const { DATABASE_URL: _d, REDIS_URL: _r, SECRET_KEY: _k, ...env } = process.env
    const child = spawn("npm", ["start"], {
      cwd: root,
      env: { ...env, DATA_DIR: join(folder, "data"), PORT: port, LOG_LEVEL: "warn" },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    let printed = ""
    const ended = once(child, "close").then(() => {
      running.delete(child)
      return { code: child.exitCode, hadToCut: printed.includes("the stop cut connections") }
    })
    running.set(child, ended)
    const hear = (chunk: Buffer) => {
      printed += chunk.toString()
      if (!/curl -H .*\n|token create .*\n/.test(printed)) return
      host = /Service-Access-Token: (\S+)"/.exec(printed)?.[1] ?? host
      resolve({ child, printed, ended })
    }
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
    child.once("exit", (code) => reject(new Error(`ended with ${code}: ${printed}`)))
  })

/** A signal to the whole group, as a terminal or a service manager sends it; answers how it ended. */
const stop = ({ child, ended }: Started, by: "SIGTERM" | "SIGINT" = "SIGTERM"): Promise<Ended> => {
  signal(child, by)
  return ended
}

/**
 * Asks from the first moment on, as a probe does, until it is ready; answers what else it heard. Comes to no end where a
 * connection was taken and left waiting.
 */
const untilReady = async (): Promise<ReadonlyArray<string>> => {
  const heard: Array<string> = []
  while (running.size > 0) {
    const asked = fetch(`http://127.0.0.1:${port}/health/ready`)
    const text = await asked.then(
      (response) => response.text(),
      () => undefined
    )
    if (text === "ready\n") return heard
    if (text !== undefined) heard.push(text)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`it ended and was never ready: ${heard.join("")}`)
}

/** Of a call that may be made: its rest is waited for. */
const halfABody = () =>
  `POST /v3/transactions HTTP/1.1\r\nHost: x\r\nService-Access-Token: ${host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`

/** A connection over which that much of a request has come, and no more will. */
const halfSent = (text: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(text, () => resolve(socket)))
    socket.on("error", reject)
  })

const Rows = Schema.optionalKey(Schema.Array(Schema.Struct({ id: Schema.Int })))

const Answer = Schema.fromJsonString(
  Schema.Struct({
    error_code: Schema.Int,
    data: Schema.Struct({
      total: Schema.optionalKey(Schema.Int),
      id: Schema.optionalKey(Schema.Int),
      reservation_code: Schema.optionalKey(Schema.String),
      knowledge_base: Schema.optionalKey(Schema.Struct({ process_status: Schema.String })),
      properties: Rows,
      custom_channels: Rows,
      income_methods: Rows
    })
  })
)

const answerOf = Schema.decodeUnknownSync(Answer)

const answerTo = async (url: string, token: string) => {
  const response = await fetch(url, { headers: { "Service-Access-Token": token } })
  return answerOf(await response.text())
}

/** What an operation answers the demo's host. */
const asked = async (method: string, path: string, fields?: object) => {
  const body = fields === undefined ? {} : { body: JSON.stringify(fields) }
  const headers = { "Service-Access-Token": host, "Content-Type": "application/json" }
  const response = await fetch(`http://127.0.0.1:${port}/v3${path}`, { method, headers, ...body })
  return answerOf(await response.text())
}

/** Asks again until it is so. */
const until = async <A>(look: () => Promise<A>, isSo: (found: A) => boolean): Promise<void> => {
  while (!isSo(await look())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Enters a stay of one night in the next weeks, where one is free; answers its code. */
const bookedByHand = async (): Promise<string> => {
  const { properties = [] } = (await asked("GET", "/properties")).data
  const { custom_channels } = (await asked("GET", "/custom_channels")).data
  const { income_methods } = (await asked("GET", "/income_methods")).data
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  for (let day = 4; day < 25; day++) {
    for (const { id } of properties) {
      const made = await asked("POST", "/reservations", {
        property_id: id,
        custom_channel_id: custom_channels?.[0]?.id,
        check_in_date: inDays(day),
        check_out_date: inDays(day + 1),
        guest_name: "Ada Lovelace",
        currency: "EUR",
        rate_amount: 100,
        commission_amount: 0,
        received_amount: 0,
        income_method_id: income_methods?.[0]?.id
      })
      if (made.data.reservation_code !== undefined) return made.data.reservation_code
    }
  }
  throw new Error("no night is free")
}

/** The rules of the demo are for guests who have a conversation, which one who is booked by hand has not. */
const BEFORE_ARRIVAL = {
  name: "Two days before check-in",
  action: "send_message",
  trigger: { event: "check_in", when: "before", hours: 48 },
  text: "See you soon."
}

describe("npm start", () => {
  it(
    "prints a curl that works, ends on SIGTERM by itself, starts again with the same token, and stops with incomplete requests",
    async () => {
      const [first, unready] = await Promise.all([start(), untilReady()])
      // On a busy machine the database, at the end of its first start, may not answer in time yet.
      for (const said of unready) assert.strictEqual(said, "the database does not answer\n")
      const [, token = "", url = ""] = /curl -H "Service-Access-Token: (\S+)" "(\S+)"/.exec(first.printed) ?? []
      assert.include(first.printed, `http://127.0.0.1:${port}/mcp`)
      const answer = await answerTo(url, token)
      assert.strictEqual(answer.error_code, 0)
      assert.isAbove(answer.data.total ?? 0, 0)
      assert.deepStrictEqual(await stop(first), BY_ITSELF)
      assert.notInclude(first.printed, "SECRET_KEY is not set")
      const again = await start()
      assert.notInclude(again.printed, token)
      assert.strictEqual((await answerTo(url, token)).error_code, 0)
      const sending = await Promise.all([halfSent("GET /v3/inc"), halfSent(halfABody())])
      // How soon, stop.system.test.ts looks at.
      assert.strictEqual((await stop(again)).code, 0)
      for (const socket of sending) socket.destroy()
    },
    PROCESSES_MS
  )

  it(
    "plans the actions of a new stay, prepares a knowledge base, and ends on SIGINT",
    async () => {
      const started = await start()
      const rule = join(folder, "rule.json")
      writeFileSync(rule, JSON.stringify(BEFORE_ARRIVAL))
      const made = await Effect.runPromise(
        runLatchkeyProcess(["automation", "create", "--operator", "1", "--file", rule, "--json"], {
          DATA_DIR: join(folder, "data")
        })
      )
      assert.strictEqual(made.code, 0, made.stderr)
      const stayCode = await bookedByHand()
      await until(
        () => asked("GET", `/automation/actions?type=message&stay_code=${stayCode}`),
        ({ data }) => (data.total ?? 0) > 0
      )
      const written = await asked("POST", "/knowledge_bases", {
        is_enable: true,
        scope_property: { type: "all" },
        scope_channel: { type: "all" },
        contents: [{ sub_title: "", text: "The lift is on the left." }]
      })
      await until(
        () => asked("GET", `/knowledge_bases/${written.data.id}`),
        ({ data }) => data.knowledge_base?.process_status === "done"
      )
      assert.deepStrictEqual(await stop(started, "SIGINT"), BY_ITSELF)
    },
    PROCESSES_MS
  )
})
