import { Command } from "effect/cli"
import { pushes } from "./listing-pushes.ts"

export const listing = Command.make("listing").pipe(
  Command.withDescription("Listings at channels: what was told there"),
  Command.withSubcommands([pushes])
)
