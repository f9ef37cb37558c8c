import { Effect, Option, type Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { set_listing_mapping } from "../../domain/listings/contract.ts"
import { RATIO_MAX } from "../../platform/limits.ts"
import { formatListingMapping, type ListingOptions, listingFlags, resolveListing } from "./listing-flags.ts"
import { callOperation, runOperationCommand } from "./operation-call.ts"

const ONE_TARGET = "give exactly one of --property, --room-type and --none"
const ONE_CHANGE = "give exactly one of --percent, --read-only and --writable"

interface MappingOptions {
  readonly property: Option.Option<number>
  readonly roomType: Option.Option<number>
  readonly none: boolean
}

/** Null ids remove the mapping. */
const toMappingFields = ({ property, roomType, none }: MappingOptions) => {
  const [property_id, room_type_id] = [Option.getOrUndefined(property), Option.getOrUndefined(roomType)]
  return [property_id !== undefined, room_type_id !== undefined, none].filter((each) => each).length === 1
    ? Effect.succeed(none ? { property_id: null, room_type_id: null } : { property_id, room_type_id })
    : Effect.fail(new BadRequest({ message: `--property: ${ONE_TARGET}.` }))
}

const setMapping = Effect.fnUntraced(function* (
  listingOptions: ListingOptions,
  change: Readonly<Record<string, Schema.Json | undefined>>
) {
  const { operator_id, channel_type, listing_id } = yield* resolveListing(listingOptions)
  const flags = {
    channel_type: "--channel",
    listing_id: "--listing",
    property_id: "--property",
    room_type_id: "--room-type",
    ratio: "--percent",
    readonly: "--read-only"
  } as const
  return (yield* callOperation(set_listing_mapping, operator_id, { channel_type, listing_id, ...change }, flags))
    .mapping
})

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
    runOperationCommand(
      "listing link",
      Effect.flatMap(toMappingFields({ property, roomType, none }), (mapping) => setMapping(listingOptions, mapping)),
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
    runOperationCommand(
      "listing ratio",
      Effect.gen(function* () {
        if ([Option.isSome(percent), readOnly, writable].filter((each) => each).length !== 1) {
          return yield* new BadRequest({ message: `--percent: ${ONE_CHANGE}.` })
        }
        return yield* setMapping(listingOptions, { ratio: Option.getOrUndefined(percent), readonly: readOnly })
      }),
      (listing) =>
        `Listing ${listing.listing_id} on ${listing.channel_type} ${
          listing.readonly
            ? "is read-only"
            : `costs ${listing.ratio} percent of the base price of ${formatListingMapping(listing)}`
        }.`
    )
).pipe(Command.withDescription("Set the price of a listing in percent of the base price"))
