import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Struct } from "effect"
import { COMMAND_LOADERS } from "../../../src/tools/cli/program.ts"
import { collectHelps } from "../../support/cli-help.ts"

const textOf = (description: Option.Option<string>) => Option.getOrElse(description, () => "")

/** A default, or how options exclude or require each other. */
const SAYS_WITHOUT = /\(default: [^)]+\)( \(choices: [^)]+\))?$|; give exactly one of --|; required without --/

describe("the help of", () => {
  it.live.each(Struct.keys(COMMAND_LOADERS))(
    "%s has one line for each command and argument, and a default for each option",
    (name) =>
      Effect.gen(function* () {
        for (const [command, help] of yield* collectHelps([name])) {
          assert.match(help.description, /^[A-Z][^\n.]{5,99}$/, command)
          for (const { name, type, description } of help.args ?? []) {
            assert.match(textOf(description), /^\S.*$/, `${command} ${name}`)
            // Help shows the choices of an option, but those of an argument only where its description names them.
            if (type === "choice") assert.match(textOf(description), /: \w+(, \w+)+$/, `${command} ${name}`)
          }
          for (const flag of help.flags) {
            const text = textOf(flag.description)
            assert.match(text, /^\S.*$/, `${command} --${flag.name}`)
            if (!flag.required) assert.match(text, SAYS_WITHOUT, `${command} --${flag.name}`)
          }
        }
      })
  )
})
