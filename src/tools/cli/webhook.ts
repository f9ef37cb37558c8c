import { Command } from "effect/cli"
import { deliveries } from "./webhook-deliveries.ts"
import { listen } from "./webhook-listen.ts"
import { replay } from "./webhook-replay.ts"

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Webhooks: what was delivered, sending it again, and a receiver to try them with"),
  Command.withSubcommands([deliveries, replay, listen])
)
