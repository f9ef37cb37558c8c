import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Struct } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import packageJson from "../../../package.json" with { type: "json" }
import { CommandFailed } from "./command-failure.ts"
import { JsonFlag } from "./command-output.ts"
import { makePresenter } from "./presenter.ts"

/** Loading only the called command halves the start time. */
export const COMMAND_LOADERS = {
  serve: async () => (await import("./serve.ts")).serveCommand,
  migrate: async () => (await import("./migrate.ts")).migrateCommand,
  backup: async () => (await import("./backup.ts")).backupCommand,
  restore: async () => (await import("./restore.ts")).restoreCommand,
  move: async () => (await import("./move.ts")).moveCommand,
  operator: async () => (await import("./operator.ts")).operatorCommand,
  account: async () => (await import("./account.ts")).accountCommand,
  token: async () => (await import("./token.ts")).tokenCommand,
  secret: async () => (await import("./secret.ts")).secretCommand,
  client: async () => (await import("./client.ts")).clientCommand,
  property: async () => (await import("./property.ts")).propertyCommand,
  calendar: async () => (await import("./calendar.ts")).calendarCommand,
  listing: async () => (await import("./listing.ts")).listingCommand,
  connector: async () => (await import("./connector.ts")).connectorCommand,
  webhook: async () => (await import("./webhook.ts")).webhookCommand,
  automation: async () => (await import("./automation.ts")).automationCommand,
  dictionary: async () => (await import("./dictionary.ts")).dictionaryCommand,
  guest: async () => (await import("./guest.ts")).guestCommand,
  audit: async () => (await import("./audit.ts")).auditCommand,
  demo: async () => (await import("./demo.ts")).demoCommand,
  docs: async () => (await import("./docs.ts")).docsCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
  sandbox: async () => (await import("./sandbox.ts")).sandboxCommand,
  "check-in": async () => (await import("./check-in.ts")).checkInCommand,
  knowledge: async () => (await import("./knowledge.ts")).knowledgeCommand
}

type CommandName = keyof typeof COMMAND_LOADERS

const isCommandName = (text: string | undefined): text is CommandName =>
  text !== undefined && Object.hasOwn(COMMAND_LOADERS, text)

const selectCommandNames = (args: ReadonlyArray<string>): ReadonlyArray<CommandName> => {
  const firstWord = args.find((arg) => !arg.startsWith("-"))
  const wantsCompletions = args.some((arg) => arg.split("=", 1)[0] === "--completions")
  return isCommandName(firstWord) && !wantsCompletions ? [firstWord] : Struct.keys(COMMAND_LOADERS)
}

const loadCommands = (args: ReadonlyArray<string>) =>
  Promise.all(selectCommandNames(args).map((name) => COMMAND_LOADERS[name]()))

const makeRootCommand = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  return Command.make("latchkey").pipe(
    Command.withDescription(
      "Run and administer Latchkey, a property-management API with REST and MCP endpoints. Environment variables hold the settings."
    ),
    Command.withSubcommands(yield* Effect.promise(() => loadCommands(args))),
    Command.withGlobalFlags([JsonFlag])
  )
})

export const runLatchkey = (args: ReadonlyArray<string>) =>
  Effect.flatMap(makeRootCommand(args), (command) =>
    Command.runWith(command, { version: packageJson.version })(args)
  ).pipe(
    // With `--json`, a missing subcommand is a failure, because help is not a result.
    Effect.catchIf(
      (error) => args.includes("--json") && error instanceof CliError.ShowHelp && error.errors.length === 0,
      () => new CommandFailed()
    ),
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliOutput.layerPresenter(makePresenter(args.includes("--json"))),
        CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
      )
    )
  )
