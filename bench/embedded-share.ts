// What becomes of deliveries while writers do all the embedded database can do, and of the writers.
// `node bench/embedded-share.ts [seconds] [writers] [rounds]`. Rounds without and with a subscription alternate.
import { mkdtemp, rm } from "node:fs/promises"
import http from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isMainThread, parentPort, Worker } from "node:worker_threads"
import { command } from "./command.ts"
import { median } from "./figures.ts"
import { start } from "./servers.ts"
import { wideWindows } from "./wide-windows.ts"

const SECONDS = Number(process.argv[2] ?? 8)
const WRITERS = Number(process.argv[3] ?? 16)
const ROUNDS = Number(process.argv[4] ?? 3)
const WARM_UP_SECONDS = 10
/** Seconds deliveries get after the last write; one that has not come by then counts as that late. */
const AFTERWARDS_SECONDS = 60

const nowMs = () => performance.timeOrigin + performance.now()

/** The receiver, on a thread of its own: says when it first had which entry. */
const receive = () => {
  const known = new Map<number, number>()
  const server = http.createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      response.end()
      const id = Number(/"transaction_id":(\d+)/.exec(body)?.[1])
      if (!known.has(id)) known.set(id, nowMs())
    })
  })
  parentPort?.on("message", () => parentPort?.postMessage({ known }))
  server.listen(0, "127.0.0.1", () => parentPort?.postMessage({ port: (server.address() as AddressInfo).port }))
}

interface Said {
  readonly port?: number
  readonly known?: ReadonlyMap<number, number>
}

const heard = (worker: Worker) => new Promise<Said>((resolve) => worker.once("message", resolve))

interface Caller {
  readonly url: string
  readonly token: string
  readonly agent: http.Agent
}

const send = ({ url, token, agent }: Caller, method: string, path: string, fields: object): Promise<string> =>
  new Promise((resolve, reject) => {
    const text = JSON.stringify(fields)
    const headers = {
      "service-access-token": token,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text)
    }
    const request = http.request(`${url}${path}`, { method, agent, headers }, (response) => {
      let body = ""
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text
      })
      response.once("end", () => (body.includes('"error_code":0') ? resolve(body) : reject(new Error(body))))
    })
    request.once("error", reject).end(text)
  })

const ENTRY = { direction: "income", amount: 10, currency: "EUR", item_id: 11, payment_method_id: 197, note: "towels" }

/** Writers that write as fast as they are answered; when each entry was answered. */
const write = async (caller: Caller, seconds: number): Promise<ReadonlyMap<number, number>> => {
  const written = new Map<number, number>()
  const end = nowMs() + seconds * 1_000
  const writer = async () => {
    while (nowMs() < end) {
      const body = await send(caller, "POST", "/v3/transactions", ENTRY)
      written.set(Number(/"(?:transaction_)?id":(\d+)/.exec(body)?.[1]), nowMs())
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  return written
}

/** When each of these came, once all have or their time is over. */
const arrivals = async (receiver: Worker, written: ReadonlyMap<number, number>) => {
  const until = nowMs() + AFTERWARDS_SECONDS * 1_000
  for (;;) {
    receiver.postMessage("tell")
    const { known = new Map<number, number>() } = await heard(receiver)
    if (nowMs() > until || Array.from(written.keys()).every((id) => known.has(id))) return known
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

interface Delivered {
  readonly writes: number
  readonly deliveries: number
  /** Seconds, shortest first. */
  readonly delays: ReadonlyArray<number>
}

/** A round with one subscription to everything. */
const withDeliveries = async (caller: Caller, receiver: Worker, port: number): Promise<Delivered> => {
  const made = await send(caller, "POST", "/v3/webhooks", { url: `http://127.0.0.1:${port}/` })
  const startedAt = nowMs()
  const written = await write(caller, SECONDS)
  const endedAt = nowMs()
  const known = await arrivals(receiver, written)
  await send(caller, "DELETE", `/v3/webhooks/${/"id":(\d+)/.exec(made)?.[1]}`, {})
  const late = (at: number) => at + AFTERWARDS_SECONDS * 1_000
  return {
    writes: written.size / SECONDS,
    deliveries: Array.from(known.values()).filter((at) => at > startedAt && at <= endedAt).length / SECONDS,
    delays: Array.from(written, ([id, at]) => Math.max(0, (known.get(id) ?? late(at)) - at) / 1_000)
  }
}

const measure = async (caller: Caller, receiver: Worker, port: number) => {
  await write(caller, WARM_UP_SECONDS)
  const alone: Array<number> = []
  const beside: Array<Delivered> = []
  for (let n = 0; n < ROUNDS; n++) {
    alone.push((await write(caller, SECONDS)).size / SECONDS)
    beside.push(await withDeliveries(caller, receiver, port))
  }
  const delays = beside.flatMap((each) => each.delays).sort((one, other) => one - other)
  const at = (share: number) => (delays[Math.ceil(delays.length * share) - 1] ?? Number.NaN).toFixed(2)
  const [without, rate] = [median(alone), median(beside.map(({ writes }) => writes))]
  const deliveries = median(beside.map((each) => each.deliveries))
  console.log(`  ${WRITERS} writers without a subscription ${without.toFixed(0)} writes/s`)
  console.log(
    `  with one to everything ${rate.toFixed(0)} writes/s (${((100 * rate) / without).toFixed(0)} %, aim 70), ${deliveries.toFixed(0)} deliveries/s meanwhile`
  )
  console.log(`  from the answer to the receiver p50 ${at(0.5)} s, p99 ${at(0.99)} s (aim 5), longest ${at(1)} s`)
}

const main = async () => {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-bench-"))
  const env = { DATA_DIR: folder, DATABASE_URL: "", DEMO: "0", LOG_FORMAT: "json", WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" }
  const latchkey = command(env)
  latchkey("migrate")
  const owner = ["--email", "bench@example.test", "--password", "none at all, ever"]
  const operator = latchkey(
    "operator",
    "create",
    "--name",
    "Bench",
    "--time-zone",
    "UTC",
    "--currency",
    "EUR",
    ...owner
  )
  const limits = JSON.stringify(wideWindows())
  latchkey("operator", "limits", String(operator["operator_id"]), "--set", limits)
  const token = latchkey(
    "token",
    "create",
    "--account",
    String(operator["account_id"]),
    "--name",
    "bench",
    "--scope",
    "writable"
  )
  const receiver = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) })
  const { port = 0 } = await heard(receiver)
  const server = await start("embedded", ["bin/latchkey.js", "serve"], env)
  const agent = new http.Agent({ keepAlive: true, maxSockets: WRITERS })
  console.log("embedded database, deliveries at full writing load")
  await measure({ url: server.url, token: String(token["token"]), agent }, receiver, port)
  agent.destroy()
  await server.stop()
  await receiver.terminate()
  await rm(folder, { recursive: true })
}

if (isMainThread) await main()
else receive()
