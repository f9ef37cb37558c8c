import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Struct } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli"
import { JsonFlag } from "../../../src/tools/cli/command-output.ts"
import { COMMAND_LOADERS } from "../../../src/tools/cli/program.ts"

/** The help of a command and of all commands below it, by what is typed for each. */
const helpsBelow = Effect.fnUntraced(function* (path: ReadonlyArray<string>) {
  const root = Command.make("latchkey").pipe(
    Command.withSubcommands(
      yield* Effect.promise(() => Promise.all(Struct.keys(COMMAND_LOADERS).map((name) => COMMAND_LOADERS[name]())))
    ),
    Command.withGlobalFlags([JsonFlag])
  )
  const helpOf = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
    const docs: Array<HelpDoc.HelpDoc> = []
    yield* Command.runWith(root, { version: "" })([...args, "--help"]).pipe(
      Effect.provide(
        Layer.mergeAll(
          NodeServices.layer,
          CliConfig.layer({ builtIns: [GlobalFlag.Help] }),
          CliOutput.layerPresenter({
            present: (event) =>
              Effect.sync(() => {
                if (event._tag === "Help") docs.push(event.helpDoc)
              })
          })
        )
      )
    )
    return docs[0] ?? assert.fail(`no help of ${args.join(" ")}`)
  })
  const collectHelp = (
    args: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<readonly [string, HelpDoc.HelpDoc]>, unknown> =>
    Effect.gen(function* () {
      const help = yield* helpOf(args)
      const names = (help.subcommands ?? []).flatMap(({ commands }) => commands.map(({ name }) => name))
      const below = yield* Effect.forEach(names, (name) => collectHelp([...args, name]))
      return [[args.join(" "), help] as const, ...below.flat()]
    })
  return yield* collectHelp(path)
})

const textOf = (description: Option.Option<string>) => Option.getOrElse(description, () => "")

/** A default, or how options exclude or require each other. */
const SAYS_WITHOUT = /\(default: [^)]+\)( \(choices: [^)]+\))?$|; give exactly one of --|; required without --/

describe("the help of", () => {
  it.live.each(Struct.keys(COMMAND_LOADERS))(
    "%s has one line for each command and argument, and a default for each option",
    (name) =>
      Effect.gen(function* () {
        for (const [command, help] of yield* helpsBelow([name])) {
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
