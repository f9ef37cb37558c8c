import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { Listings } from "../../domain/listings/Listings.ts"
import { RATIO_MAX } from "../../platform/limits.ts"
import { answer } from "./answer.ts"
import { answered, linkInWords, namedListing, naming } from "./listing-name.ts"

interface Wanted {
  readonly property: Option.Option<number>
  readonly roomType: Option.Option<number>
  readonly none: boolean
}

/** What a listing is to be linked to; undefined: nothing. */
const wantedLink = ({ property, roomType, none }: Wanted) => {
  const links = [
    ...Option.match(property, { onNone: () => [], onSome: (id) => [{ type: "property", id } as const] }),
    ...Option.match(roomType, { onNone: () => [], onSome: (id) => [{ type: "room_type", id } as const] })
  ]
  return links.length + (none ? 1 : 0) === 1
    ? Effect.succeed(links[0])
    : Effect.fail(new BadRequest({ message: "Say what it sells: one of --property, --room-type and --none." }))
}

export const link = Command.make(
  "link",
  {
    ...naming,
    property: Flag.Int("property").pipe(Flag.withDescription("property_id that the listing sells"), Flag.optional),
    roomType: Flag.Int("room-type").pipe(
      Flag.withDescription("room_type_id whose rooms the listing sells"),
      Flag.optional
    ),
    none: Flag.Boolean("none").pipe(Flag.withDescription("It sells nothing here any more"), Flag.withDefault(false))
  },
  ({ property, roomType, none, ...named }) =>
    answer(
      "listing link",
      Effect.gen(function* () {
        const to = yield* wantedLink({ property, roomType, none })
        const { operator_id, id } = yield* namedListing(named)
        return answered(yield* Listings.use((listings) => listings.link(operator_id, id, to)))
      }).pipe(Effect.provide(Listings.layer)),
      (listing) => `Listing ${listing.listing_id} on ${listing.channel_type} sells ${linkInWords(listing)}.`
    )
).pipe(
  Command.withDescription("Say what a listing sells: its orders come there, and its ratio is a percent of that price"),
  Command.withExamples([
    { command: "latchkey listing link --listing 300-77 --property 12", description: "It sells the property 12" }
  ])
)

export const ratio = Command.make(
  "ratio",
  {
    ...naming,
    percent: Flag.Int("percent").pipe(
      Flag.withDescription(`Percent of the base price of what it sells, 1 to ${RATIO_MAX}`),
      Flag.optional
    ),
    readOnly: Flag.Boolean("read-only").pipe(
      Flag.withDescription("Its prices are not to be set from here"),
      Flag.withDefault(false)
    ),
    writable: Flag.Boolean("writable").pipe(
      Flag.withDescription("They are again, by the percent there was"),
      Flag.withDefault(false)
    )
  },
  ({ percent, readOnly, writable, ...named }) =>
    answer(
      "listing ratio",
      Effect.gen(function* () {
        if ([Option.isSome(percent), readOnly, writable].filter((each) => each).length !== 1) {
          return yield* new BadRequest({ message: "Say one of --percent, --read-only and --writable." })
        }
        const { operator_id, id } = yield* namedListing(named)
        const wanted = { ...(Option.isSome(percent) ? { percent: percent.value } : {}), readonly: readOnly }
        return answered(yield* Listings.use((listings) => listings.rate(operator_id, id, wanted)))
      }).pipe(Effect.provide(Listings.layer)),
      (listing) =>
        `Listing ${listing.listing_id} on ${listing.channel_type} ${
          listing.readonly ? "is read-only" : `costs ${listing.ratio} percent of the price of ${linkInWords(listing)}`
        }.`
    )
).pipe(Command.withDescription("Say what a listing costs in percent of the base price of what it sells"))
