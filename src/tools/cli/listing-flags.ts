import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { BadRequest, NotFound } from "../../contract/errors.ts"
import { layerListingsWithPrices } from "../../domain/calendars/base-prices/mapping-price-pushes.ts"
import { ChannelType } from "../../domain/channels/port/channel-type.ts"
import { Listings } from "../../domain/listings/Listings.ts"
import type { ListingWithMapping } from "../../domain/listings/mapping-and-ratio.ts"
import { toPricingRatio } from "../../domain/listings/rules.ts"

// Channels and operators may have listings with the same `listing_id`. Only then a command needs `--channel` or
// `--operator`.

export const channelFlag = Flag.Literals("channel", ChannelType.literals).pipe(
  Flag.withDescription("channel_type; required if several channels have this listing_id (default: the only one)"),
  Flag.optional
)
export const operatorFlag = Flag.Int("operator").pipe(
  Flag.withDescription("operator_id; required if several operators have this listing_id (default: the only one)"),
  Flag.optional
)
export const listingFlags = {
  listing: Flag.String("listing").pipe(Flag.withDescription("listing_id of the channel")),
  channel: channelFlag,
  operator: operatorFlag
}

export interface ListingOptions {
  readonly listing: string
  readonly channel: Option.Option<ChannelType>
  readonly operator: Option.Option<number>
}

const AMBIGUOUS_LISTINGS_MAX = 20

export const resolveListing = Effect.fnUntraced(function* ({ listing, channel, operator }: ListingOptions) {
  const listings = yield* Effect.provide(Listings, layerListingsWithPrices)
  const filter = {
    listing_id: listing,
    channel_type: Option.getOrUndefined(channel),
    operator_id: Option.getOrUndefined(operator)
  }
  const matches = yield* listings.list(filter, AMBIGUOUS_LISTINGS_MAX)
  const [match, secondMatch] = matches
  if (match === undefined)
    return yield* new NotFound({ message: `--listing: there is no listing ${listing}${describeFilter(filter)}.` })
  return secondMatch === undefined ? match : yield* new BadRequest({ message: ambiguityMessage(listing, matches) })
})

const describeFilter = (filter: {
  readonly channel_type: string | undefined
  readonly operator_id: number | undefined
}) =>
  [
    filter.channel_type === undefined ? "" : ` on ${filter.channel_type}`,
    filter.operator_id === undefined ? "" : ` of operator ${filter.operator_id}`
  ].join("")

const ambiguityMessage = (listing: string, matches: ReadonlyArray<ListingWithMapping>): string => {
  const operators = new Set(matches.map(({ operator_id }) => operator_id))
  const channels = new Set(matches.map(({ channel_type }) => channel_type))
  const flags = [
    ...(operators.size > 1 ? [`--operator (${Array.from(operators).join(", ")})`] : []),
    ...(channels.size > 1 ? [`--channel (${Array.from(channels).join(", ")})`] : [])
  ]
  return `--listing: several listings have the id ${listing}; add ${flags.join(" and ")}.`
}

export const toListingOutput = ({
  listing_id,
  channel_type,
  property_id,
  room_type_id,
  ratio,
  readonly
}: ListingWithMapping) => ({
  listing_id,
  channel_type,
  property_id,
  room_type_id,
  ...toPricingRatio(ratio, readonly)
})

export const formatListingMapping = ({
  property_id,
  room_type_id
}: Pick<ListingWithMapping, "property_id" | "room_type_id">): string => {
  if (property_id !== null) return `property ${property_id}`
  return room_type_id === null ? "nothing" : `room type ${room_type_id}`
}
