import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Struct } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import packageJson from "../../../package.json" with { type: "json" }
import { presenter } from "./presenter.ts"
import { Json } from "./reporting.ts"

/** Each by its name, and loaded when it is asked for: a command starts without what the others need, in half of the time. */
export const COMMANDS = {
  serve: async () => (await import("./serve.ts")).serve,
  migrate: async () => (await import("./migrate.ts")).migrate,
  backup: async () => (await import("./backup.ts")).backup,
  restore: async () => (await import("./restore.ts")).restore,
  move: async () => (await import("./move.ts")).move,
  operator: async () => (await import("./operator.ts")).operator,
  account: async () => (await import("./account.ts")).account,
  token: async () => (await import("./token.ts")).token,
  secret: async () => (await import("./secret.ts")).secret,
  client: async () => (await import("./client.ts")).client,
  property: async () => (await import("./property.ts")).property,
  calendar: async () => (await import("./calendar.ts")).calendar,
  listing: async () => (await import("./listing.ts")).listing,
  connector: async () => (await import("./connector.ts")).connector,
  webhook: async () => (await import("./webhook.ts")).webhook,
  automation: async () => (await import("./automation.ts")).automation,
  dictionary: async () => (await import("./dictionary.ts")).dictionaries,
  guest: async () => (await import("./guest.ts")).guest,
  audit: async () => (await import("./audit.ts")).audit,
  demo: async () => (await import("./demo.ts")).demo,
  docs: async () => (await import("./docs.ts")).docs,
  doctor: async () => (await import("./doctor.ts")).doctor,
  sandbox: async () => (await import("./sandbox.ts")).sandbox,
  "check-in": async () => (await import("./check-in.ts")).checkIn,
  knowledge: async () => (await import("./knowledge.ts")).knowledge
}

type Name = keyof typeof COMMANDS

const isName = (text: string | undefined): text is Name => text !== undefined && Object.hasOwn(COMMANDS, text)

/**
 * The one that is asked for. All of them where none is, for the help or for what it may have been meant to be, and for a
 * shell's completions, which are of all wherever they are asked for.
 */
const namesOf = (args: ReadonlyArray<string>): ReadonlyArray<Name> => {
  const first = args.find((arg) => !arg.startsWith("-"))
  const completes = args.some((arg) => arg.split("=", 1)[0] === "--completions")
  return isName(first) && !completes ? [first] : Struct.keys(COMMANDS)
}

const loaded = (args: ReadonlyArray<string>) => Promise.all(namesOf(args).map((name) => COMMANDS[name]()))

const latchkey = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  return Command.make("latchkey").pipe(
    Command.withDescription(
      "Run and administer Latchkey, a property-management API with REST and MCP endpoints. Environment variables hold the settings."
    ),
    Command.withSubcommands(yield* Effect.promise(() => loaded(args))),
    Command.withGlobalFlags([Json])
  )
})

/** `latchkey` with these arguments, to its end. It fails once it has said why. */
export const program = (args: ReadonlyArray<string>) =>
  Effect.flatMap(latchkey(args), (command) => Command.runWith(command, { version: packageJson.version })(args)).pipe(
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliOutput.layerPresenter(presenter(args.includes("--json"))),
        CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
      )
    )
  )
