import { Console, Data, Effect } from "effect"
import { Command } from "effect/cli"
import { newKey, noKeys, type SecretKeys } from "../../platform/sealing/keys.ts"
import { type Rotated, rotate } from "../../platform/sealing/rotating.ts"
import { missingIn, standing } from "../../platform/sealing/standing.ts"
import { KeyMissing } from "../../platform/sealing/start.ts"
import { Configuration } from "../../service/configuration.ts"
import { answer } from "./answer.ts"
import { Json, reporting } from "./reporting.ts"

const made = Command.make("new", {}, () =>
  // Also where SECRET_KEY is wrong: whoever puts it right wants a key.
  reporting(
    Effect.flatMap(Json, (json) => {
      const secret_key = newKey()
      return Console.log(json ? JSON.stringify({ secret_key }) : secret_key)
    })
  )
).pipe(
  Command.withDescription("Create a key for SECRET_KEY; it is printed once and stored nowhere"),
  Command.withExamples([{ command: "latchkey secret new", description: "Print a key to put into SECRET_KEY" }])
)

class NoKeys extends Data.TaggedError("NoKeys") {
  override get message(): string {
    return "SECRET_KEY: is not set; create a key with latchkey secret new"
  }
}

/** Some secrets are still as they were. */
class SomeLeft extends Data.TaggedError("SomeLeft")<{ readonly left: number }> {
  override get message(): string {
    return `SECRET_KEY: ${this.left} secrets still use another key. Give every process this SECRET_KEY and run the command again; secrets that remain were changed by hand and cannot be decrypted`
  }
}

const rotated = Effect.gen(function* () {
  const { secretKeys } = yield* Configuration
  const keyIds = missingIn(yield* standing, secretKeys ?? noKeys)
  if (keyIds.length > 0) return yield* new KeyMissing({ keyIds })
  if (secretKeys === undefined) return yield* new NoKeys()
  const done = yield* rotate(secretKeys)
  if (done.left > 0) return yield* new SomeLeft(done)
  return { ...done, first_key: secretKeys.first?.id ?? null, others: othersOf(secretKeys) }
})

const othersOf = ({ first, all }: SecretKeys): ReadonlyArray<string> =>
  Array.from(all.keys()).filter((id) => id !== first?.id)

interface Done extends Rotated {
  readonly first_key: string | null
  readonly others: ReadonlyArray<string>
}

const inWords = ({ places, first_key, others }: Done): string => {
  const counts = places.map(({ place, texts }) => `${place}: ${texts}`)
  if (first_key === null) {
    return [...counts, "No secret is encrypted any more. You can unset SECRET_KEY in every process."].join("\n")
  }
  const dropped =
    others.length === 0
      ? `Every secret is encrypted with the key ${first_key}.`
      : `Every secret is encrypted with the key ${first_key}. You can remove ${others.join(" and ")} from SECRET_KEY.`
  return [...counts, dropped].join("\n")
}

const rotateCommand = Command.make("rotate", {}, () => answer("secret rotate", rotated, inWords)).pipe(
  Command.withDescription(
    "Re-encrypt every secret with the first key of SECRET_KEY, while the service runs; safe to repeat"
  ),
  Command.withExamples([
    { command: "latchkey secret rotate", description: "Run this after you put a new key first in SECRET_KEY" }
  ])
)

export const secret = Command.make("secret").pipe(
  Command.withDescription("Create and rotate the keys that encrypt secrets in the database"),
  Command.withSubcommands([made, rotateCommand])
)
