import { assert } from "@effect/vitest"
import { fieldOf } from "../../messages-of-errors.ts"
import type { Ended } from "./latchkey.ts"

const PREFIX = "latchkey: "

/** Returns the message of a failed command. Fails unless it exited with 1 and printed one line, on standard error alone. */
export const messageOf = ({ code, stdout, stderr }: Ended): string => {
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.match(stderr, /^latchkey: .+\n$/)
  return stderr.slice(PREFIX.length, -1)
}

/** Returns the option, setting or field that a message of a command begins with, or "" if it names none. */
export const fieldIn = (message: string): string => fieldOf({ error_msg: message })
