import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { account } from "./account.ts"
import { Json } from "./answer.ts"
import { audit } from "./audit.ts"
import { automation } from "./automation.ts"
import { backup } from "./backup.ts"
import { calendar } from "./calendar.ts"
import { checkIn } from "./check-in.ts"
import { client } from "./client.ts"
import { connector } from "./connector.ts"
import { demo } from "./demo.ts"
import { dictionaries } from "./dictionary.ts"
import { docs } from "./docs.ts"
import { doctor } from "./doctor.ts"
import { guest } from "./guest.ts"
import { knowledge } from "./knowledge.ts"
import { listing } from "./listing.ts"
import { migrate } from "./migrate.ts"
import { move } from "./move.ts"
import { operator } from "./operator.ts"
import { presenter } from "./presenter.ts"
import { property } from "./property.ts"
import { restore } from "./restore.ts"
import { sandbox } from "./sandbox.ts"
import { secret } from "./secret.ts"
import { serve } from "./serve.ts"
import { token } from "./token.ts"
import { webhook } from "./webhook.ts"

const latchkey = Command.make("latchkey").pipe(
  Command.withDescription(
    "The open API of a property-management service: REST under /v3 and an MCP endpoint. Settings come from the environment."
  ),
  Command.withSubcommands([
    serve,
    migrate,
    backup,
    restore,
    move,
    operator,
    account,
    token,
    secret,
    client,
    property,
    calendar,
    listing,
    connector,
    webhook,
    automation,
    dictionaries,
    guest,
    audit,
    demo,
    docs,
    doctor,
    sandbox,
    checkIn,
    knowledge
  ]),
  Command.withGlobalFlags([Json])
)

/** `latchkey` with these arguments, to its end. It fails once it has said why. */
export const program = (args: ReadonlyArray<string>) =>
  Command.runWith(latchkey, { version: packageJson.version })(args).pipe(
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliOutput.layerPresenter(presenter(args.includes("--json"))),
        CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
      )
    )
  )
