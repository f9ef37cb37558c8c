import { Config, Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { PASSWORD_MAX } from "../../platform/limits.ts"
import type { SettingName } from "../../service/settings.ts"

const PASSWORD_VARIABLE: SettingName = "LATCHKEY_PASSWORD"

export const passwordFlags = {
  password: Flag.Redacted("password").pipe(
    Flag.withDescription(`Password, visible in the process list and the shell history (default: ${PASSWORD_VARIABLE})`),
    Flag.optional
  ),
  passwordStdin: Flag.Boolean("password-stdin").pipe(
    Flag.withDescription(`Read the password from standard input (default: off)`),
    Flag.withDefault(false)
  )
}

interface PasswordOptions {
  readonly password: Option.Option<Redacted.Redacted>
  readonly passwordStdin: boolean
}

export const readPasswordOption = Effect.fnUntraced(function* ({ password, passwordStdin }: PasswordOptions) {
  if (Option.isSome(password)) {
    return passwordStdin
      ? yield* new BadRequest({ message: "--password: cannot be combined with --password-stdin." })
      : Redacted.value(password.value)
  }
  if (passwordStdin) return yield* readFirstLine
  const fromEnvironment = yield* Effect.orDie(Config.option(Config.Redacted(PASSWORD_VARIABLE)))
  return Option.isSome(fromEnvironment)
    ? Redacted.value(fromEnvironment.value)
    : yield* new BadRequest({ message: `Give the password with --password, --password-stdin or ${PASSWORD_VARIABLE}.` })
})

// UTF-8 has at most four bytes per character. The line break has at most two.
const PASSWORD_LINE_BYTES = 4 * PASSWORD_MAX + 2

const readFirstLine = Effect.suspend(() =>
  // A terminal would show the typed password.
  process.stdin.isTTY
    ? Effect.fail(new BadRequest({ message: "--password-stdin: needs a file or a pipe, not a terminal." }))
    : Effect.promise(async () => {
        let received = Buffer.alloc(0)
        for await (const chunk of process.stdin) {
          received = Buffer.concat([received, chunk])
          if (received.length > PASSWORD_LINE_BYTES || received.includes("\n")) break
        }
        const [line = ""] = received.toString("utf8").split(/\r?\n/, 1)
        return line
      })
)
