import { Command } from "effect/cli"
import { linkListingCommand, listingRatioCommand } from "./listing-link.ts"
import { listListingsCommand } from "./listing-list.ts"
import { listingPushesCommand } from "./listing-pushes.ts"

export const listingCommand = Command.make("listing").pipe(
  Command.withDescription("List listings of channels, map them, set their price and show their pushes"),
  Command.withSubcommands([listListingsCommand, linkListingCommand, listingRatioCommand, listingPushesCommand])
)
