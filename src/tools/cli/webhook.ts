import { Command } from "effect/cli"
import { deliveries } from "./webhook-deliveries.ts"
import { listen } from "./webhook-listen.ts"
import { replay } from "./webhook-replay.ts"

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("List, resend and receive webhook deliveries"),
  Command.withSubcommands([deliveries, replay, listen])
)
