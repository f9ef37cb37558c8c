import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { BadRequest, NotFound } from "../../contract/errors.ts"
import { ChannelType } from "../../domain/channels/port/channel-type.ts"
import { Listings } from "../../domain/listings/Listings.ts"
import type { HostedListing } from "../../domain/listings/linking.ts"
import { shownRatio } from "../../domain/listings/rules.ts"

// How a command names a listing: by the channel's own id, and by more only where that is not one listing's alone.

export const channel = Flag.Literals("channel", ChannelType.literals).pipe(
  Flag.withDescription("channel_type; required if several channels have this listing_id (default: the only one)"),
  Flag.optional
)
export const operator = Flag.Int("operator").pipe(
  Flag.withDescription("operator_id; required if several operators have this listing_id (default: the only one)"),
  Flag.optional
)
export const naming = {
  listing: Flag.String("listing").pipe(Flag.withDescription("listing_id of the channel")),
  channel,
  operator
}

export interface Named {
  readonly listing: string
  readonly channel: Option.Option<ChannelType>
  readonly operator: Option.Option<number>
}

/** Listings of one id that are looked at to say why it is not one listing's alone. */
const LOOKED_AT = 20

/** The one listing that is named. */
export const namedListing = Effect.fnUntraced(function* ({ listing, channel, operator }: Named) {
  const listings = yield* Listings
  const wanted = {
    listing_id: listing,
    channel_type: Option.getOrUndefined(channel),
    operator_id: Option.getOrUndefined(operator)
  }
  const found = yield* listings.find(wanted, LOOKED_AT)
  const [only, another] = found
  if (only === undefined)
    return yield* new NotFound({ message: `--listing: there is no listing ${listing}${narrowed(wanted)}.` })
  return another === undefined ? only : yield* new BadRequest({ message: ambiguous(listing, found) })
})

const narrowed = (wanted: { readonly channel_type: string | undefined; readonly operator_id: number | undefined }) =>
  [
    wanted.channel_type === undefined ? "" : ` on ${wanted.channel_type}`,
    wanted.operator_id === undefined ? "" : ` of operator ${wanted.operator_id}`
  ].join("")

const ambiguous = (listing: string, found: ReadonlyArray<HostedListing>): string => {
  const operators = new Set(found.map(({ operator_id }) => operator_id))
  const channels = new Set(found.map(({ channel_type }) => channel_type))
  const say = [
    ...(operators.size > 1 ? [`--operator (${Array.from(operators).join(", ")})`] : []),
    ...(channels.size > 1 ? [`--channel (${Array.from(channels).join(", ")})`] : [])
  ]
  return `--listing: several listings have the id ${listing}; add ${say.join(" and ")}.`
}

/** What a command answers of a listing. */
export const answered = ({ listing_id, channel_type, property_id, room_type_id, ratio, readonly }: HostedListing) => ({
  listing_id,
  channel_type,
  property_id,
  room_type_id,
  ...shownRatio(ratio, readonly)
})

export const linkInWords = ({
  property_id,
  room_type_id
}: Pick<HostedListing, "property_id" | "room_type_id">): string => {
  if (property_id !== null) return `property ${property_id}`
  return room_type_id === null ? "nothing" : `room type ${room_type_id}`
}
