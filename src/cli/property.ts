import { Command } from "effect/cli"
import { feed } from "./property-feed.ts"

export const property = Command.make("property").pipe(
  Command.withDescription("Properties: where marketplaces read which of their days are taken"),
  Command.withSubcommands([feed])
)
