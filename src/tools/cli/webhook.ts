import { Command } from "effect/cli"
import { webhookDeliveriesCommand } from "./webhook-deliveries.ts"
import { webhookListenCommand } from "./webhook-listen.ts"
import { webhookReplayCommand } from "./webhook-replay.ts"

export const webhookCommand = Command.make("webhook").pipe(
  Command.withDescription("List, resend and receive webhook deliveries"),
  Command.withSubcommands([webhookDeliveriesCommand, webhookReplayCommand, webhookListenCommand])
)
