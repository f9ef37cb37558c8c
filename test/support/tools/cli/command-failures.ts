import { assert } from "@effect/vitest"
import { fieldOfError } from "../../error-messages.ts"
import type { CommandResult } from "./latchkey-process.ts"

const PREFIX = "latchkey: "

/** Returns the message of a failed command. Fails unless it exited with 1 and printed one line, on standard error alone. */
export const failureMessageOf = ({ code, stdout, stderr }: CommandResult): string => {
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.match(stderr, /^latchkey: .+\n$/)
  return stderr.slice(PREFIX.length, -1)
}

/** Returns the option, setting or field that a message of a command begins with, or "" if it names none. */
export const fieldOfFailure = (message: string): string => fieldOfError({ error_msg: message })
