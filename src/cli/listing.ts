import { Command } from "effect/cli"
import { link, ratio } from "./listing-link.ts"
import { list } from "./listing-list.ts"

export const listing = Command.make("listing").pipe(
  Command.withDescription("Listings at channels: what they sell here, and what they cost in percent of its price"),
  Command.withSubcommands([list, link, ratio])
)
