// Reads a LoadOrder, puts the load on, and prints its LoadFigures. Sockets and as little else as will do: what it takes of
// the machine is taken from the service.
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import type { LoadFigures, LoadOrder, Spread } from "./load.ts"
import { processorMs } from "./processor.ts"

const order: LoadOrder = JSON.parse(await text(process.stdin))
const { hostname, port } = new URL(order.base)

const codes: Record<string, number> = {}
const [goodMs, refusedMs]: [Array<number>, Array<number>] = [[], []]
let [good, refusedWithoutRetryAfter, broken, notSent, out, asked] = [0, 0, 0, 0, 0, 0]

const CODE = /"error_code":(\d+)/
const LENGTH = /content-length: (\d+)/i

const heard = (head: string, body: string, ms: number): void => {
  const code = CODE.exec(body)?.[1] ?? "-1"
  codes[code] = (codes[code] ?? 0) + 1
  if (code === "0") {
    good++
    goodMs.push(ms)
  } else if (code === "500" || code === "429") {
    refusedMs.push(ms)
    if (!/retry-after: /i.test(head)) refusedWithoutRetryAfter++
  }
}

/** One connection, on which one call is out at a time. */
class Line {
  readonly #socket: Socket
  readonly #free: (line: Line) => void
  readonly #gone: (line: Line) => void
  #due = 0
  #isOut = false
  #text = ""
  #taken: (() => void) | undefined

  /** `taken`: called once the service has taken the connection and answered on it. */
  constructor(free: (line: Line) => void, gone: (line: Line) => void, taken?: () => void) {
    this.#free = free
    this.#gone = gone
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true })
    this.#socket.setEncoding("latin1")
    this.#socket.on("data", (chunk: string) => this.#read(chunk))
    this.#socket.on("error", () => {})
    this.#socket.once("close", () => {
      if (this.#isOut) {
        broken++
        out--
      }
      this.#gone(this)
    })
    if (taken === undefined) return
    this.#taken = taken
    this.#socket.write(`GET /health/live HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`)
  }

  send(due: number): void {
    this.#due = due
    this.#isOut = true
    out++
    this.#socket.write(order.requests[asked++ % order.requests.length] ?? "")
  }

  #read(chunk: string): void {
    this.#text += chunk
    const end = this.#text.indexOf("\r\n\r\n")
    if (end < 0) return
    const head = this.#text.slice(0, end)
    const length = Number(LENGTH.exec(head)?.[1] ?? 0)
    if (this.#text.length < end + 4 + length) return
    const body = this.#text.slice(end + 4)
    this.#text = ""
    if (this.#isOut) {
      this.#isOut = false
      out--
      heard(head, body, performance.now() - this.#due)
    }
    this.#free(this)
    this.#taken?.()
    this.#taken = undefined
  }
}

let [began, until] = [0, 0]
let before = process.cpuUsage()
const watchedMs = async () => (order.watched === undefined ? 0 : await processorMs({ pid: order.watched }))
let watchedBefore = Promise.resolve(0)

const begin = (): void => {
  before = process.cpuUsage()
  watchedBefore = watchedMs()
  began = performance.now()
  until = began + order.seconds * 1_000
  setTimeout(() => void end(), order.seconds * 1_000)
}

/** Callers that each wait for their answer. */
const closed = (callers: number): void => {
  begin()
  const again = (line: Line) => {
    if (performance.now() < until) line.send(performance.now())
  }
  const call = () => new Line(again, () => performance.now() < until && call()).send(performance.now())
  for (let nth = 0; nth < callers; nth++) call()
}

/** Connections that are made at once. */
const CONNECTING = 50

/** Calls that come when they are due. */
const open = (perSecond: number, connections: number): void => {
  const free: Array<Line> = []
  const ended = new Set<Line>()
  let [made, ready] = [0, 0]

  const next = (): Line | undefined => {
    for (let line = free.pop(); line !== undefined; line = free.pop()) if (!ended.delete(line)) return line
    return undefined
  }
  const calls = (): void => {
    begin()
    let due = 0
    const timer = setInterval(() => {
      const now = Math.min(performance.now(), until)
      for (; began + (due * 1_000) / perSecond <= now; due++) {
        const line = next()
        if (line === undefined) notSent++
        else line.send(began + (due * 1_000) / perSecond)
      }
      if (now >= until) clearInterval(timer)
    }, 2)
  }
  const gone = (line: Line) => {
    ended.add(line)
    if (began > 0) return
    console.error(`a connection to ${hostname}:${port} was not taken, or ended before the load began`)
    process.exit(1)
  }
  const isFree = (line: Line) => void free.push(line)
  const make = (): void => {
    if (made++ < connections)
      new Line(isFree, gone, () => {
        if (++ready === connections) calls()
        else make()
      })
  }
  for (let nth = 0; nth < CONNECTING; nth++) make()
}

const spread = (all: Array<number>): Spread => {
  const sorted = Float64Array.from(all).sort()
  const at = (share: number) => Math.round(sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? 0)
  return { p50: at(0.5), p99: at(0.99), most: at(1) }
}

const end = async (): Promise<void> => {
  const seconds = (performance.now() - began) / 1_000
  const { user, system } = process.cpuUsage(before)
  const figures: LoadFigures = {
    seconds,
    good,
    codes,
    refusedWithoutRetryAfter,
    broken,
    notSent,
    unanswered: out,
    goodMs: spread(goodMs),
    refusedMs: spread(refusedMs),
    ownShare: (user + system) / 1e6 / seconds,
    watchedMs: (await watchedMs()) - (await watchedBefore)
  }
  console.log(JSON.stringify(figures))
  process.exit(0)
}

if ("closed" in order.arrival) closed(order.arrival.closed)
else open(order.arrival.open, order.arrival.connections)
