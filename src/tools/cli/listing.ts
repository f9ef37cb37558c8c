import { Command } from "effect/cli"
import { link, ratio } from "./listing-link.ts"
import { list } from "./listing-list.ts"
import { pushes } from "./listing-pushes.ts"

export const listing = Command.make("listing").pipe(
  Command.withDescription("List listings of channels, map them, set their price and show their pushes"),
  Command.withSubcommands([list, link, ratio, pushes])
)
