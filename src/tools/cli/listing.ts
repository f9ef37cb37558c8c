import { Command } from "effect/cli"
import { listListingsCommand } from "./listing-list-command.ts"
import { linkListingCommand, listingRatioCommand } from "./listing-mapping-commands.ts"
import { listingPushesCommand } from "./listing-pushes-command.ts"

export const listingCommand = Command.make("listing").pipe(
  Command.withDescription("List listings of channels, map them, set their price and show their pushes"),
  Command.withSubcommands([listListingsCommand, linkListingCommand, listingRatioCommand, listingPushesCommand])
)
