import { execFileSync } from "node:child_process"

/** Runs a command of `latchkey` with this environment; what it answers as JSON. */
export const command =
  (env: Readonly<Record<string, string>>) =>
  (...args: ReadonlyArray<string>): Readonly<Record<string, unknown>> =>
    JSON.parse(
      execFileSync(process.execPath, ["bin/latchkey.js", ...args, "--json"], {
        env: { ...process.env, ...env },
        encoding: "utf8"
      })
    )
