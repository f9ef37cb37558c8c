import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import packageJson from "../package.json" with { type: "json" }
import { account } from "./cli/account.ts"
import { Json } from "./cli/answer.ts"
import { demo } from "./cli/demo.ts"
import { migrate } from "./cli/migrate.ts"
import { operator } from "./cli/operator.ts"
import { presenter } from "./cli/presenter.ts"
import { serve } from "./cli/serve.ts"
import { teardown } from "./cli/signals.ts"
import { token } from "./cli/token.ts"
import { webhook } from "./cli/webhook.ts"

const latchkey = Command.make("latchkey").pipe(
  Command.withDescription(
    "The open API of a property-management service: REST under /v3 and an MCP endpoint. Settings come from the environment."
  ),
  Command.withSubcommands([serve, migrate, operator, account, token, webhook, demo]),
  Command.withGlobalFlags([Json])
)

latchkey.pipe(
  Command.run({ version: packageJson.version }),
  Effect.provide(
    Layer.mergeAll(
      NodeServices.layer,
      CliOutput.layerPresenter(presenter(process.argv.includes("--json"))),
      CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
    )
  ),
  NodeRuntime.runMain({ teardown: teardown(process.argv.includes("serve")) })
)
