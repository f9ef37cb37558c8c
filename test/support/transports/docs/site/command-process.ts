import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { Effect } from "effect"

// A reader's own programs, and what they print.

interface CommandOutput {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program of the reader's; `answer` is what the reader types when a line that is printed asks for it. */
export const runCommand = (
  command: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  answerPrompt: (line: string) => Promise<string> | undefined = () => undefined
): Effect.Effect<CommandOutput> =>
  Effect.callback((resume) => {
    const PATH = `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`
    const child = spawn(command[0] ?? "", command.slice(1), { env: { PATH, ...env }, stdio: "pipe" })
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text
      for (const line of text.split("\n")) answerPrompt(line)?.then((typed) => child.stdin.write(`${typed}\n`))
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text
    })
    child.on("close", (code) => resume(Effect.succeed({ code, ...output })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** The envelopes that curl prints, each behind the other. */
export const listErrorCodes = (stdout: string): ReadonlyArray<number> =>
  Array.from(stdout.matchAll(/\\?"error_code\\?":(\d+)/g), ([, code]) => Number(code))
