import { Command } from "effect/cli"
import { activatePropertyCommand, deactivatePropertyCommand } from "./property-activation-commands.ts"
import { propertyFeedCommand } from "./property-feed-command.ts"

export const propertyCommand = Command.make("property").pipe(
  Command.withDescription("Activate and deactivate properties, and show their exported calendars"),
  Command.withSubcommands([deactivatePropertyCommand, activatePropertyCommand, propertyFeedCommand])
)
