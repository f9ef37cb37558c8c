import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

const launcherPath = join(import.meta.dirname, "../../../../bin/latchkey.js")

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The processes of tests are short: to compile the embedded database's functions a second time would not pay. */
const FIRST_COMPILER_ONLY = "--wasm-tiering-budget=1000000000"

/**
 * Up to five tests run at the same time on a server with 100 connections, and some start several processes. By default a
 * process has 14 connections for requests and 5 for other work, so together they would need more than there are.
 */
export const FEW_CONNECTIONS = { DATABASE_CONNECTIONS: "4" }

/** A command line as a person has it: of this test run's environment it has only the search path. */
const spawnLatchkey = (
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  node: string,
  program = launcherPath
) =>
  spawn(node, [FIRST_COMPILER_ONLY, program, ...args], {
    env: { PATH: process.env.PATH ?? "", ...FEW_CONNECTIONS, ...env },
    stdio: "pipe"
  })

/** Runs `latchkey` to its end; `input` is its standard input. */
export const runLatchkeyProcess = (
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  { node = process.execPath, input = "" }: { readonly node?: string | undefined; readonly input?: string } = {}
): Effect.Effect<CommandResult> =>
  Effect.callback((resume) => {
    const child = spawnLatchkey(args, env, node)
    // A command that does not read it may have ended before it is written.
    child.stdin.on("error", () => {}).end(input)
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.on("close", (code) => resume(Effect.succeed({ code, stdout, stderr })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

export interface ServiceProcess {
  /** What it had printed when it was ready. */
  readonly startupOutput: string
  /** Asks it to end and waits until it has. */
  readonly stop: Effect.Effect<{ readonly code: number | null }>
  /** Ends it at once, whatever it is doing. */
  readonly kill: Effect.Effect<unknown>
}

/** `latchkey serve`, of this checkout or of another folder, once it has printed `ready`; ended with the scope if the test has not. */
export const startService = (
  readyText: string,
  env: Record<string, string>,
  node = process.execPath,
  program = launcherPath,
  args: ReadonlyArray<string> = ["serve"]
) =>
  Effect.acquireRelease(
    Effect.callback<ServiceProcess, Error>((resume) => {
      const child = spawnLatchkey(args, env, node, program)
      let startupOutput = ""
      const exit = new Promise<{ readonly code: number | null }>((resolve) =>
        child.on("close", (code) => resolve({ code }))
      )
      const stop = Effect.suspend(() => {
        child.kill("SIGTERM")
        return Effect.promise(() => exit)
      })
      const kill = Effect.suspend(() => {
        child.kill("SIGKILL")
        return Effect.promise(() => exit)
      })
      const collectOutput = (text: string) => {
        startupOutput += text
        if (startupOutput.includes(readyText)) resume(Effect.succeed({ startupOutput, stop, kill }))
      }
      child.stdout.setEncoding("utf8").on("data", collectOutput)
      child.stderr.setEncoding("utf8").on("data", collectOutput)
      child.on("close", () => resume(Effect.fail(new Error(`ended before it was ready: ${startupOutput}`))))
    }),
    ({ stop }) => stop
  )

/** An empty folder, gone with the scope. */
export const makeEmptyFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "latchkey-cli-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** A port of this machine nobody listens on. */
export const findFreePort = Effect.callback<string>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = address !== null && typeof address === "object" ? address.port : 0
    server.close(() => resume(Effect.succeed(String(port))))
  })
})
