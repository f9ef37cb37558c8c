import { spawn } from "node:child_process"
import { once } from "node:events"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"

// Programs that use `latchkey/testing`, each as a process of its own.

const SCRIPT_NAME = "script.mjs"
const POLL_MS = 50

/** Settings that must not reach a test server. */
const WRONG_SETTINGS = { DATABASE_URL: "postgres://127.0.0.1:1/nothing", REDIS_URL: "redis://127.0.0.1:1", PORT: "1" }

export interface RunningScript {
  /** The first line that it printed. */
  readonly line: string
  /** Its exit code when it has ended, null after a signal. */
  readonly exitCode: Promise<number | null>
  readonly kill: (signal: NodeJS.Signals) => void
}

/**
 * Starts `source` as a program in `folder`, which is also its home and its folder for temporary files. Waits for its first
 * line.
 */
export const startScript = (folder: string, source: string, node = process.execPath) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<RunningScript> => {
      await writeFile(join(folder, SCRIPT_NAME), source)
      const env = { PATH: process.env.PATH ?? "", HOME: folder, TMPDIR: folder, ...WRONG_SETTINGS }
      const child = spawn(node, [SCRIPT_NAME], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
      let errorOutput = ""
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        errorOutput += text
      })
      const exitCode = once(child, "close").then(() => child.exitCode)
      const line = await new Promise<string>((resolve, reject) => {
        let output = ""
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          output += text
          if (output.includes("\n")) resolve(output.split("\n", 1)[0] ?? "")
        })
        child.once("close", () => reject(new Error(`the script ended without a line: ${errorOutput}`)))
      })
      return { line, exitCode, kill: (signal) => child.kill(signal) }
    }),
    ({ kill }) =>
      Effect.promise(async () => {
        kill("SIGKILL")
        await rm(join(folder, SCRIPT_NAME))
      })
  )

/** Returns when nothing listens at `url`. */
export const waitUntilUnreachable = (url: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    const isReachable = () =>
      fetch(url).then(
        () => true,
        () => false
      )
    while (await isReachable()) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  })
