import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { layerListingsWithPrices } from "../../domain/calendars/base-prices/mapping-price-pushes.ts"
import { Listings } from "../../domain/listings/Listings.ts"
import type { ListingWithMapping } from "../../domain/listings/mapping-and-ratio.ts"
import { LISTING_LIST_DEFAULT, LISTING_LIST_MAX } from "../../platform/limits.ts"
import { runCommand } from "./command-runner.ts"
import { channelFlag, formatListingMapping, operatorFlag, toListingOutput } from "./listing-flags.ts"
import { resolveOperatorFilter } from "./operator-filter.ts"

export const listListingsCommand = Command.make(
  "list",
  {
    channel: channelFlag.pipe(Flag.withDescription("List only listings on this channel_type (default: all channels)")),
    operator: operatorFlag.pipe(
      Flag.withDescription("List only listings of this operator_id (default: all operators)")
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(
        `Listings to list, oldest first, at most ${LISTING_LIST_MAX} (default: ${LISTING_LIST_DEFAULT})`
      ),
      Flag.withDefault(LISTING_LIST_DEFAULT)
    )
  },
  ({ channel, operator, limit }) =>
    runCommand(
      "listing list",
      Effect.gen(function* () {
        if (limit < 1 || limit > LISTING_LIST_MAX) {
          return yield* new BadRequest({ message: `--limit: must be from 1 to ${LISTING_LIST_MAX}.` })
        }
        const filter = {
          operator_id: yield* resolveOperatorFilter(operator),
          channel_type: Option.getOrUndefined(channel),
          listing_id: undefined
        }
        const matches = yield* Listings.use((listings) => listings.list(filter, limit))
        return { listings: matches.map(toListedListing) }
      }).pipe(Effect.provide(layerListingsWithPrices)),
      ({ listings }) => (listings.length === 0 ? "No listings." : listings.map(formatListing).join("\n"))
    )
).pipe(Command.withDescription("List listings with their mapping and price"))

const toListedListing = (listing: ListingWithMapping) => ({
  operator_id: listing.operator_id,
  channel_account_id: listing.channel_account_id,
  title: listing.title,
  shelf_status: listing.shelf_status,
  ...toListingOutput(listing)
})

const formatListing = (listing: ReturnType<typeof toListedListing>): string =>
  [
    `operator ${listing.operator_id}`,
    listing.channel_type,
    // `JSON.stringify` keeps control characters away from the terminal.
    JSON.stringify(listing.listing_id),
    JSON.stringify(listing.title),
    listing.shelf_status,
    `mapped to ${formatListingMapping(listing)}`,
    listing.readonly ? "read-only" : `${listing.ratio} %`
  ].join("  ")
