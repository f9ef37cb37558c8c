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
  Command.withDescription("Make a key for SECRET_KEY; it is shown this once and kept nowhere"),
  Command.withExamples([{ command: "latchkey secret new", description: "A key to put into SECRET_KEY" }])
)

class NoKeys extends Data.TaggedError("NoKeys") {
  override get message(): string {
    return "SECRET_KEY is not set: latchkey secret new makes a key"
  }
}

/** Some secrets are still as they were. */
class SomeLeft extends Data.TaggedError("SomeLeft")<{ readonly left: number }> {
  override get message(): string {
    return `${this.left} secrets are still kept as before: see that every process has this SECRET_KEY and run it again; what stays then was changed by hand and opens no more`
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
    return [...counts, "Nothing is sealed any more: SECRET_KEY can be unset, in every process."].join("\n")
  }
  const dropped =
    others.length === 0
      ? `Everything is sealed with the key ${first_key}.`
      : `Everything is sealed with the key ${first_key}. No row needs ${others.join(" or ")} any more: SECRET_KEY can go without.`
  return [...counts, dropped].join("\n")
}

const rotateCommand = Command.make("rotate", {}, () => answer("secret rotate", rotated, inWords)).pipe(
  Command.withDescription(
    "Seal every secret anew with the first key of SECRET_KEY; beside the service, and again if it was cut off"
  ),
  Command.withExamples([
    { command: "latchkey secret rotate", description: "After a new key was put first in SECRET_KEY" }
  ])
)

export const secret = Command.make("secret").pipe(
  Command.withDescription("The keys that signing secrets and addresses of calendars are sealed with in the database"),
  Command.withSubcommands([made, rotateCommand])
)
