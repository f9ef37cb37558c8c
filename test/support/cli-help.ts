import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { Effect, Layer, Struct } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli"
import { JsonFlag } from "../../src/tools/cli/command-output.ts"
import { COMMAND_LOADERS } from "../../src/tools/cli/program.ts"

/** Returns the help of a command and of all its subcommands, each with the words that call it. */
export const collectHelps = Effect.fnUntraced(function* (path: ReadonlyArray<string>) {
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
