import { Command } from "effect/cli"
import { activate, deactivate } from "./property-active.ts"
import { feed } from "./property-feed.ts"

export const property = Command.make("property").pipe(
  Command.withDescription(
    "Properties: whether they are let, and where marketplaces read which of their days are taken"
  ),
  Command.withSubcommands([deactivate, activate, feed])
)
