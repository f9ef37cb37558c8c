import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { Listings } from "../../domain/listings/Listings.ts"
import type { HostedListing } from "../../domain/listings/linking.ts"
import { LISTING_LIST_DEFAULT, LISTING_LIST_MAX } from "../../platform/limits.ts"
import { answer } from "./answer.ts"
import { answered, channel, linkInWords, operator } from "./listing-name.ts"

export const list = Command.make(
  "list",
  {
    channel: channel.pipe(Flag.withDescription("List only listings on this channel_type (default: all channels)")),
    operator: operator.pipe(Flag.withDescription("List only listings of this operator_id (default: all operators)")),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(
        `Listings to list, oldest first, at most ${LISTING_LIST_MAX} (default: ${LISTING_LIST_DEFAULT})`
      ),
      Flag.withDefault(LISTING_LIST_DEFAULT)
    )
  },
  ({ channel, operator, limit }) =>
    answer(
      "listing list",
      Effect.gen(function* () {
        if (limit < 1 || limit > LISTING_LIST_MAX) {
          return yield* new BadRequest({ message: `--limit: must be from 1 to ${LISTING_LIST_MAX}.` })
        }
        const wanted = {
          operator_id: Option.getOrUndefined(operator),
          channel_type: Option.getOrUndefined(channel),
          listing_id: undefined
        }
        const found = yield* Listings.use((listings) => listings.find(wanted, limit))
        return { listings: found.map(listed) }
      }).pipe(Effect.provide(Listings.layer)),
      ({ listings }) => (listings.length === 0 ? "No listings." : listings.map(inWords).join("\n"))
    )
).pipe(Command.withDescription("List listings with their mapping and price"))

const listed = (listing: HostedListing) => ({
  operator_id: listing.operator_id,
  channel_account_id: listing.channel_account_id,
  title: listing.title,
  shelf_status: listing.shelf_status,
  ...answered(listing)
})

const inWords = (listing: ReturnType<typeof listed>): string =>
  [
    `operator ${listing.operator_id}`,
    listing.channel_type,
    // Texts of other people, and a terminal obeys what stands in them.
    JSON.stringify(listing.listing_id),
    JSON.stringify(listing.title),
    listing.shelf_status,
    `mapped to ${linkInWords(listing)}`,
    listing.readonly ? "read-only" : `${listing.ratio} %`
  ].join("  ")
