import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { Effect } from "effect"

// A reader's own programs, and what they print.

interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program of the reader's; `answer` is what the reader types when a line that is printed asks for it. */
export const runCommand = (
  command: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  answer: (line: string) => Promise<string> | undefined = () => undefined
): Effect.Effect<Ran> =>
  Effect.callback((resume) => {
    const PATH = `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`
    const child = spawn(command[0] ?? "", command.slice(1), { env: { PATH, ...env }, stdio: "pipe" })
    const told = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      told.stdout += text
      for (const line of text.split("\n")) answer(line)?.then((typed) => child.stdin.write(`${typed}\n`))
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      told.stderr += text
    })
    child.on("close", (code) => resume(Effect.succeed({ code, ...told })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** The envelopes that curl prints, each behind the other. */
export const listErrorCodes = (stdout: string): ReadonlyArray<number> =>
  Array.from(stdout.matchAll(/\\?"error_code\\?":(\d+)/g), ([, code]) => Number(code))
