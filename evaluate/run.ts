import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { evaluated, type Result } from "./evaluated.ts"

// `npm run evaluate`: thirty things that hosts ask for, over the demo operator in an empty folder of its own. By the scripts, or with
// MODEL_URL (and MODEL_NAME, MODEL_KEY) by a model of any OpenAI-compatible API, which has the words and the tools alone.

const folder = mkdtempSync(join(tmpdir(), "latchkey-evaluate-"))
const port = 20_000 + (process.pid % 12_000)
const { DATABASE_URL: _database, REDIS_URL: _redis, MODEL_URL, MODEL_NAME, MODEL_KEY, ...rest } = process.env

const started = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let printed = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString()
      const [, token] = /Service-Access-Token: (\S+)"/.exec(printed) ?? []
      if (token !== undefined && printed.includes("The password is not shown")) resolve(token)
    })
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}: ${printed}`)))
  })

const line = ({ id, calls, why }: Result): string =>
  `${why === undefined ? "done  " : "failed"}  ${id}  (${calls} calls)${why === undefined ? "" : `: ${why}`}`

const env = { ...rest, DATA_DIR: join(folder, "data"), PORT: String(port), LOG_LEVEL: "warn" }
const child = spawn(process.execPath, [join(import.meta.dirname, "../bin/latchkey.js"), "serve"], { env })
try {
  const token = await started(child)
  if (MODEL_URL !== undefined && MODEL_NAME === undefined) throw new Error("MODEL_NAME is needed with MODEL_URL")
  const model =
    MODEL_URL === undefined || MODEL_NAME === undefined
      ? undefined
      : { url: MODEL_URL.replace(/\/+$/, ""), name: MODEL_NAME, key: MODEL_KEY }
  const results = await evaluated(`http://127.0.0.1:${port}`, token, model, (result) => console.log(line(result)))
  const done = results.filter(({ why }) => why === undefined).length
  const calls = results.reduce((sum, result) => sum + result.calls, 0)
  console.log(`${done} of ${results.length} done by ${model?.name ?? "the scripts"}, ${calls} calls`)
  // A model's score is a figure, a script that fails is a path that broke.
  process.exitCode = model === undefined && done < results.length ? 1 : 0
} finally {
  child.kill("SIGTERM")
  await new Promise((resolve) => child.once("exit", resolve))
  rmSync(folder, { recursive: true, force: true })
}
