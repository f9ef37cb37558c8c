import { Command } from "effect/cli"
import { activate, deactivate } from "./property-active.ts"
import { feed } from "./property-feed.ts"

export const property = Command.make("property").pipe(
  Command.withDescription("Activate and deactivate properties, and show their exported calendars"),
  Command.withSubcommands([deactivate, activate, feed])
)
