import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

// `npm start` as a newcomer meets it, in a folder of its own: what it prints works, it ends when asked, and comes back.

const folder = mkdtempSync(join(tmpdir(), "latchkey-start-"))
const root = join(import.meta.dirname, "..")
const port = String(20_000 + (process.pid % 20_000))
const running = new Set<ChildProcess>()

afterAll(() => {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, "SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

interface Started {
  readonly child: ChildProcess
  /** Everything it printed until it was ready. */
  readonly printed: string
}

/** Starts the service in a process group of its own and waits for its last line of greeting. */
const start = (): Promise<Started> =>
  new Promise((resolve, reject) => {
    const { DATABASE_URL: _d, REDIS_URL: _r, ...env } = process.env
    const child = spawn("npm", ["start"], {
      cwd: root,
      env: { ...env, DATA_DIR: join(folder, "data"), PORT: port, LOG_LEVEL: "warn" },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    running.add(child)
    let printed = ""
    const hear = (chunk: Buffer) => {
      printed += chunk.toString()
      if (/curl -H .*\n|token create .*\n/.test(printed)) resolve({ child, printed })
    }
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
    child.once("exit", (code) => reject(new Error(`ended with ${code}: ${printed}`)))
  })

/** A signal to the whole group, as a terminal or a service manager sends it; answers after how many milliseconds it was over. */
const stop = ({ child }: Started, signal: "SIGTERM" | "SIGINT" = "SIGTERM"): Promise<number> =>
  new Promise((resolve, reject) => {
    const askedAt = performance.now()
    child.removeAllListeners("exit")
    child.once("close", (code, by) => {
      running.delete(child)
      if (code === 0) resolve(performance.now() - askedAt)
      else reject(new Error(`ended with ${code ?? by}`))
    })
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  })

/** Asks from the first moment on, as a probe does, until it is answered. Fails for a connection that was taken and left waiting. */
const answered = async (path: string): Promise<string> => {
  for (;;) {
    const asked = fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(20_000) })
    const text = await asked.then(
      (response) => response.text(),
      (error: Error) => (error.name === "TimeoutError" ? Promise.reject(error) : undefined)
    )
    if (text !== undefined) return text
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const HALF_A_BODY =
  "POST /v3/transactions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"

/** A connection over which that much of a request has come, and no more will. */
const halfSent = (text: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(text, () => resolve(socket)))
    socket.on("error", reject)
  })

const Answer = Schema.fromJsonString(
  Schema.Struct({ error_code: Schema.Int, data: Schema.Struct({ total: Schema.optionalKey(Schema.Int) }) })
)

const answerTo = async (url: string, token: string) => {
  const response = await fetch(url, { headers: { "Service-Access-Token": token } })
  return Schema.decodeUnknownSync(Answer)(await response.text())
}

describe("npm start", () => {
  it("prints a curl that works, ends on SIGTERM within 12 s, and starts again with the same token", async () => {
    const starting = start()
    assert.strictEqual(await answered("/health/ready"), "ready\n")
    const first = await starting
    const [, token = "", url = ""] = /curl -H "Service-Access-Token: (\S+)" "(\S+)"/.exec(first.printed) ?? []
    assert.include(first.printed, `http://127.0.0.1:${port}/mcp`)
    const answer = await answerTo(url, token)
    assert.strictEqual(answer.error_code, 0)
    assert.isAbove(answer.data.total ?? 0, 0)
    assert.isBelow(await stop(first), 12_000)
    const again = await start()
    assert.notInclude(again.printed, token)
    assert.strictEqual((await answerTo(url, token)).error_code, 0)
    assert.isBelow(await stop(again), 12_000)
  }, 120_000)

  it("ends within 12 s whatever is half sent, and frees its data folder", async () => {
    const first = await start()
    const sending = await Promise.all([halfSent("GET /v3/inc"), halfSent(HALF_A_BODY)])
    assert.isBelow(await stop(first), 12_000)
    for (const socket of sending) socket.destroy()
    assert.isBelow(await stop(await start(), "SIGINT"), 12_000)
  }, 120_000)
})
