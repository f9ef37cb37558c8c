import { Command } from "effect/cli"
import { webhookDeliveriesCommand } from "./webhook-deliveries-command.ts"
import { webhookListenCommand } from "./webhook-listen-command.ts"
import { webhookReplayCommand } from "./webhook-replay-command.ts"

export const webhookCommand = Command.make("webhook").pipe(
  Command.withDescription("List, resend and receive webhook deliveries"),
  Command.withSubcommands([webhookDeliveriesCommand, webhookReplayCommand, webhookListenCommand])
)
