import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { Listings } from "../../domain/listings/Listings.ts"
import { RATIO_MAX } from "../../platform/limits.ts"
import { runCommand } from "./command-runner.ts"
import { withFieldFlags } from "./field-flags.ts"
import { formatListingMapping, listingFlags, resolveListing, toListingOutput } from "./listing-flags.ts"

const ONE_TARGET = "give exactly one of --property, --room-type and --none"
const ONE_CHANGE = "give exactly one of --percent, --read-only and --writable"

interface MappingOptions {
  readonly property: Option.Option<number>
  readonly roomType: Option.Option<number>
  readonly none: boolean
}

/** What a listing is to be linked to; undefined: nothing. */
const toListingMapping = ({ property, roomType, none }: MappingOptions) => {
  const mappings = [
    ...Option.match(property, { onNone: () => [], onSome: (id) => [{ type: "property", id } as const] }),
    ...Option.match(roomType, { onNone: () => [], onSome: (id) => [{ type: "room_type", id } as const] })
  ]
  return mappings.length + (none ? 1 : 0) === 1
    ? Effect.succeed(mappings[0])
    : Effect.fail(new BadRequest({ message: `--property: ${ONE_TARGET}.` }))
}

export const linkListingCommand = Command.make(
  "link",
  {
    ...listingFlags,
    property: Flag.Int("property").pipe(
      Flag.withDescription(`property_id to map the listing to; ${ONE_TARGET}`),
      Flag.optional
    ),
    roomType: Flag.Int("room-type").pipe(
      Flag.withDescription(`room_type_id to map the listing to; ${ONE_TARGET}`),
      Flag.optional
    ),
    none: Flag.Boolean("none").pipe(Flag.withDescription(`Remove the mapping; ${ONE_TARGET}`), Flag.withDefault(false))
  },
  ({ property, roomType, none, ...listingOptions }) =>
    runCommand(
      "listing link",
      Effect.gen(function* () {
        const mapping = yield* toListingMapping({ property, roomType, none })
        const { operator_id, ...listing } = yield* resolveListing(listingOptions)
        return toListingOutput(
          yield* Listings.use((listings) => listings.setMapping(operator_id, listing, { mapping: mapping ?? null }))
        )
      }).pipe(
        withFieldFlags({ property_id: "--property", room_type_id: "--room-type" }),
        Effect.provide(Listings.layer)
      ),
      (listing) =>
        `Listing ${listing.listing_id} on ${listing.channel_type} is mapped to ${formatListingMapping(listing)}.`
    )
).pipe(
  Command.withDescription("Map a listing to the property or room type that it sells"),
  Command.withExamples([
    { command: "latchkey listing link --listing 300-77 --property 12", description: "Map the listing to property 12" }
  ])
)

export const listingRatioCommand = Command.make(
  "ratio",
  {
    ...listingFlags,
    percent: Flag.Int("percent").pipe(
      Flag.withDescription(`Percent of the base price, 1 to ${RATIO_MAX}; ${ONE_CHANGE}`),
      Flag.optional
    ),
    readOnly: Flag.Boolean("read-only").pipe(
      Flag.withDescription(`Stop pushing prices to this listing; ${ONE_CHANGE}`),
      Flag.withDefault(false)
    ),
    writable: Flag.Boolean("writable").pipe(
      Flag.withDescription(`Push prices again, with the former percent; ${ONE_CHANGE}`),
      Flag.withDefault(false)
    )
  },
  ({ percent, readOnly, writable, ...listingOptions }) =>
    runCommand(
      "listing ratio",
      Effect.gen(function* () {
        if ([Option.isSome(percent), readOnly, writable].filter((each) => each).length !== 1) {
          return yield* new BadRequest({ message: `--percent: ${ONE_CHANGE}.` })
        }
        const { operator_id, ...listing } = yield* resolveListing(listingOptions)
        const change = { ratio: Option.getOrUndefined(percent), readonly: readOnly }
        return toListingOutput(yield* Listings.use((listings) => listings.setMapping(operator_id, listing, change)))
      }).pipe(withFieldFlags({ ratio: "--percent" }), Effect.provide(Listings.layer)),
      (listing) =>
        `Listing ${listing.listing_id} on ${listing.channel_type} ${
          listing.readonly
            ? "is read-only"
            : `costs ${listing.ratio} percent of the base price of ${formatListingMapping(listing)}`
        }.`
    )
).pipe(Command.withDescription("Set the price of a listing in percent of the base price"))
