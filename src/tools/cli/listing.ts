import { Command } from "effect/cli"
import { link, ratio } from "./listing-link.ts"
import { list } from "./listing-list.ts"
import { pushes } from "./listing-pushes.ts"

export const listing = Command.make("listing").pipe(
  Command.withDescription(
    "Listings at channels: what they sell here, what they cost in percent of its price, and what was told there"
  ),
  Command.withSubcommands([list, link, ratio, pushes])
)
