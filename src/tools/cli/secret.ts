import { Console, Data, Effect } from "effect"
import { Command } from "effect/cli"
import { findMissingKeyIds, loadKeyUsage } from "../../platform/sealing/key-usage.ts"
import { generateKey, noSecretKeys, type SecretKeys } from "../../platform/sealing/secret-keys.ts"
import { type RotationResult, rotateSecrets } from "../../platform/sealing/secret-rotation.ts"
import { KeyMissing } from "../../platform/sealing/startup-check.ts"
import { Configuration } from "../../service/configuration.ts"
import { JsonFlag, reportFailure } from "./command-output.ts"
import { runCommand } from "./command-runner.ts"

const newCommand = Command.make("new", {}, () =>
  // Reads no settings, because the current SECRET_KEY may be invalid.
  reportFailure(
    Effect.flatMap(JsonFlag, (json) => {
      const secret_key = generateKey()
      return Console.log(json ? JSON.stringify({ secret_key }) : secret_key)
    })
  )
).pipe(
  Command.withDescription("Create a key for SECRET_KEY; it is printed once and stored nowhere"),
  Command.withExamples([{ command: "latchkey secret new", description: "Print a key to put into SECRET_KEY" }])
)

class SecretKeyNotSet extends Data.TaggedError("SecretKeyNotSet") {
  override get message(): string {
    return "SECRET_KEY: is not set; create a key with latchkey secret new"
  }
}

class SecretsNotRotated extends Data.TaggedError("SecretsNotRotated")<{ readonly left: number }> {
  override get message(): string {
    return `SECRET_KEY: ${this.left} secrets still use another key. Give every process this SECRET_KEY and run the command again; secrets that remain were changed by hand and cannot be decrypted`
  }
}

const runRotateSecrets = Effect.gen(function* () {
  const { secretKeys } = yield* Configuration
  const keyIds = findMissingKeyIds(yield* loadKeyUsage, secretKeys ?? noSecretKeys)
  if (keyIds.length > 0) return yield* new KeyMissing({ keyIds })
  if (secretKeys === undefined) return yield* new SecretKeyNotSet()
  const rotation = yield* rotateSecrets(secretKeys)
  if (rotation.left > 0) return yield* new SecretsNotRotated(rotation)
  return { ...rotation, first_key: secretKeys.current?.id ?? null, others: otherKeyIds(secretKeys) }
})

const otherKeyIds = ({ current, byId }: SecretKeys): ReadonlyArray<string> =>
  Array.from(byId.keys()).filter((id) => id !== current?.id)

interface RotationOutput extends RotationResult {
  readonly first_key: string | null
  readonly others: ReadonlyArray<string>
}

const formatRotation = ({ places, first_key, others }: RotationOutput): string => {
  const counts = places.map(({ place, texts }) => `${place}: ${texts}`)
  if (first_key === null) {
    return [...counts, "No secret is encrypted any more. You can unset SECRET_KEY in every process."].join("\n")
  }
  const keyAdvice =
    others.length === 0
      ? `Every secret is encrypted with the key ${first_key}.`
      : `Every secret is encrypted with the key ${first_key}. You can remove ${others.join(" and ")} from SECRET_KEY.`
  return [...counts, keyAdvice].join("\n")
}

const rotateCommand = Command.make("rotate", {}, () =>
  runCommand("secret rotate", runRotateSecrets, formatRotation)
).pipe(
  Command.withDescription(
    "Re-encrypt every secret with the first key of SECRET_KEY, while the service runs; safe to repeat"
  ),
  Command.withExamples([
    { command: "latchkey secret rotate", description: "Run this after you put a new key first in SECRET_KEY" }
  ])
)

export const secretCommand = Command.make("secret").pipe(
  Command.withDescription("Create and rotate the keys that encrypt secrets in the database"),
  Command.withSubcommands([newCommand, rotateCommand])
)
