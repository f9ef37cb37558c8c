import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { answerAlike } from "../bench/alike.ts"
import { ARRIVALS_PAGE, type Asked, casesOf, entryAt, MONTH, reservationAt } from "../bench/cases.ts"
import {
  allocatedBytes,
  inTurn,
  isSteady,
  median,
  ratios,
  STEADY_WINDOWS,
  STEADY_WITHIN,
  stillRises,
  windowsToFullSpeed
} from "../bench/figures.ts"
import { withGround } from "../bench/ground.ts"
import { BENCH_TOKEN } from "../bench/operator.ts"
import type { Server } from "../bench/servers.ts"
import { started } from "../bench/steady-servers.ts"
import { PROCESSES_MS } from "./support/time-limits.ts"

const windows = (count: number, rate: number): ReadonlyArray<number> => Array.from({ length: count }, () => rate)
const HALF = windows(STEADY_WINDOWS, 1_000)

describe("a warm-up is steady", () => {
  it("after as many windows as are compared, and not one earlier", () => {
    expect(isSteady(windows(2 * STEADY_WINDOWS - 1, 1_000))).toBe(false)
    expect(isSteady(windows(2 * STEADY_WINDOWS, 1_000))).toBe(true)
  })

  it("when its later half differs by as much as it may, and not by one request more", () => {
    const most = 1_000 * STEADY_WITHIN
    expect(isSteady([...HALF, ...windows(STEADY_WINDOWS, 1_000 + most)])).toBe(true)
    expect(isSteady([...HALF, ...windows(STEADY_WINDOWS, 1_000 + most + 1)])).toBe(false)
    expect(isSteady([...HALF, ...windows(STEADY_WINDOWS, 1_000 - most)])).toBe(true)
    expect(isSteady([...HALF, ...windows(STEADY_WINDOWS, 1_000 - most - 1)])).toBe(false)
  })

  it("not because two slow windows are alike in a row that rises", () => {
    const row = [500, 700, 900, 900, 1_200, 1_500, 1_800, 1_800, 2_100, 2_400, 2_700, 2_700]
    for (let count = 1; count <= row.length; count++) expect(isSteady(row.slice(0, count))).toBe(false)
  })

  it("whatever one odd window says, in both directions", () => {
    const odd = (rate: number) => [...HALF, ...HALF.slice(1), rate]
    expect(isSteady(odd(10))).toBe(true)
    expect(isSteady(odd(9_000))).toBe(true)
    const rising = [500, 600, 700, 800, 900, 1_000, 1_100, 1_200, 1_300, 700]
    expect(isSteady(rising)).toBe(false)
  })

  it("and came to full speed with the first window that was as fast as the last", () => {
    expect(windowsToFullSpeed([400, 700, 949, 950, 1_000, ...HALF])).toBe(4)
    expect(windowsToFullSpeed(HALF)).toBe(1)
    expect(windowsToFullSpeed([])).toBe(0)
  })
})

describe("figures", () => {
  it("median of odd and even counts, and of nothing", () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([])).toBeNaN()
  })

  it("each server is at each place once in as many rounds as there are servers", () => {
    const names = ["a", "b", "c"]
    const rounds = [0, 1, 2].map((round) => inTurn(names, round))
    expect(rounds).toEqual([names, ["b", "c", "a"], ["c", "a", "b"]])
    expect(inTurn(names, 3)).toEqual(names)
    expect(inTurn([], 1)).toEqual([])
  })

  it("rounds that still become faster are told, those that scatter are not", () => {
    const times = 1 + 2 * STEADY_WITHIN
    expect(stillRises([1_000, 1_000, 1_000 * times, 1_000 * times])).toBe(false)
    expect(stillRises([1_000, 1_000, 1_000 * times + 1, 1_000 * times + 1])).toBe(true)
    expect(stillRises([1_000])).toBe(false)
  })

  it("allocation is what the heap grew by between collections, whatever they freed", () => {
    expect(allocatedBytes(100, [], 130)).toBe(30)
    const trace = [
      { before: 180, after: 90 },
      { before: 190, after: 120 }
    ]
    expect(allocatedBytes(100, trace, 125)).toBe(80 + 100 + 5)
  })

  it("a ratio above one is the first one's advantage, by processor and by rate", () => {
    const ratio = ratios({ processor: 100, perSecond: 300 }, { processor: 150, perSecond: 200 })
    expect(ratio).toEqual({ byProcessor: 1.5, byRate: 1.5 })
  })

  // Objects of five words each, of which hardly any live on, through many collections.
  it("the watch in a server counts what its process makes", async () => {
    const MADE = 2_000_000
    const watch = fileURLToPath(new URL("../bench/allocation-watch.ts", import.meta.url))
    const work = `const last = [0, 0, 0, 0]
      process.on("message", (message) => {
        if (message !== "work") return
        for (let n = 0; n < ${MADE}; n++) last[n % 4] = { n, next: n + 1 }
        process.send("done")
      })
      setInterval(() => {}, 1_000)
      process.send("ready")`
    const child = spawn(process.execPath, ["--import", watch, "-e", work], {
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    const answer = () => new Promise<unknown>((resolve) => child.once("message", resolve))
    await answer()
    child.send("count allocation")
    child.send("work")
    await answer()
    child.send("allocation")
    const { allocated } = Object(await answer())
    child.kill()
    expect(allocated / MADE).toBeGreaterThan(39)
    expect(allocated / MADE).toBeLessThan(48)
  })
})

const server = process.env["DATABASE_URL"] ?? ""

const errorCodeOf = async (url: string, { path, method = "GET", headers, body }: Asked): Promise<unknown> => {
  const text = typeof body === "function" ? body() : body
  const response = await fetch(`${url}${path}`, { method, headers, ...(text === undefined ? {} : { body: text }) })
  return Number(/\\?"error_code\\?":(\d+)/.exec(await response.text())?.[1])
}

const NAMES = ["latchkey", "equal duties", "equal duties, untraced", "fastify", "raw"] as const

describe.skipIf(server === "")(
  server === "" ? "the servers of the bench (skipped: DATABASE_URL not set)" : "the servers of the bench",
  () => {
    it.live(
      "answer alike what they are asked side by side, and those with equal duties do them",
      () =>
        Effect.gen(function* () {
          const { ground, ownDatabase } = yield* withGround
          const servers = new Map<string, Server>()
          for (const name of NAMES) servers.set(name, yield* started(name, yield* ownDatabase, ground))
          const [latchkey, ...references] = Array.from(servers.values())
          if (latchkey === undefined) return expect.fail("nothing was started")
          const paths = [entryAt(ground), MONTH, ARRIVALS_PAGE, reservationAt(ground)]
          yield* Effect.promise(() => answerAlike([latchkey, ...references], BENCH_TOKEN, paths))

          for (const { title, participants } of casesOf(ground)) {
            for (const { name, server, asked } of participants) {
              const url = servers.get(server)?.url
              if (url === undefined) continue
              const errorCode = yield* Effect.promise(() => errorCodeOf(url, asked))
              expect({ title, name, errorCode }).toEqual({ title, name, errorCode: asked.expected ?? 0 })
            }
          }

          for (const name of ["equal duties", "equal duties, untraced"] as const) {
            const limited = yield* Effect.promise(() =>
              fetch(`${servers.get(name)?.url}${entryAt(ground)}`, { headers: { "service-access-token": BENCH_TOKEN } })
            )
            expect(Number(limited.headers.get("x-ratelimit-remaining"))).toBeGreaterThan(0)
          }
        }).pipe(Effect.scoped),
      PROCESSES_MS
    )
  }
)
