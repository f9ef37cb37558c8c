import { Config, Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { PASSWORD_MAX } from "../../platform/limits.ts"
import type { SettingName } from "../../service/settings.ts"

const VARIABLE: SettingName = "LATCHKEY_PASSWORD"

/** The flags of a command that takes the password of an account. */
export const passwordFlags = {
  password: Flag.Redacted("password").pipe(
    Flag.withDescription(`Password, visible in the process list and the shell history (default: ${VARIABLE})`),
    Flag.optional
  ),
  passwordStdin: Flag.Boolean("password-stdin").pipe(
    Flag.withDescription(`Read the password from standard input (default: off)`),
    Flag.withDefault(false)
  )
}

interface Given {
  readonly password: Option.Option<Redacted.Redacted>
  readonly passwordStdin: boolean
}

/** The password in the way it was given: as a flag, on standard input, or in the environment. */
export const passwordOf = Effect.fnUntraced(function* ({ password, passwordStdin }: Given) {
  if (Option.isSome(password)) {
    return passwordStdin
      ? yield* new BadRequest({ message: "--password: cannot be combined with --password-stdin." })
      : Redacted.value(password.value)
  }
  if (passwordStdin) return yield* firstLine
  const fromEnvironment = yield* Effect.orDie(Config.option(Config.Redacted(VARIABLE)))
  return Option.isSome(fromEnvironment)
    ? Redacted.value(fromEnvironment.value)
    : yield* new BadRequest({ message: `Give the password with --password, --password-stdin or ${VARIABLE}.` })
})

// Four bytes are the longest character; more than a password can have is none and is not read to its end.
const MOST_BYTES = 4 * PASSWORD_MAX + 2

const firstLine = Effect.suspend(() =>
  // What is typed there would be seen.
  process.stdin.isTTY
    ? Effect.fail(new BadRequest({ message: "--password-stdin: needs a file or a pipe, not a terminal." }))
    : Effect.promise(async () => {
        let read = Buffer.alloc(0)
        for await (const chunk of process.stdin) {
          read = Buffer.concat([read, chunk])
          if (read.length > MOST_BYTES || read.includes("\n")) break
        }
        const [line = ""] = read.toString("utf8").split(/\r?\n/, 1)
        return line
      })
)
