import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../contract/acting.ts"
import { type NotFound, ValidationFailed } from "../../contract/errors.ts"
import { LISTING_JSON, LISTINGS, LISTINGS_OF_LINK, RATIO_MAX } from "../../platform/limits.ts"
import { type HeardVersion, heardVersion, SaidRefused, type Speaking } from "../channels/port/heard.ts"
import type { ListingSaid } from "../channels/port/said.ts"
import { inTurn } from "../own-row.ts"
import { noSuchProperty, noSuchRoomType } from "../properties/properties/belonging.ts"
import { hear, take } from "./inward.ts"
import { find, type HostedListing, type ListingsWanted, link, rate } from "./linking.ts"
import { noSuchListing } from "./own-listing.ts"
import { type Link, tooLargeIn } from "./rules.ts"

/** How a listing's ratio is set: to a percent, which makes it writable, or only whether it is. */
export interface NewRatio {
  /** A whole number from 1 to RATIO_MAX (limits.ts); undefined: as it was. */
  readonly percent?: number
  /** Whether its prices are not to be set from here; undefined: as it was. */
  readonly readonly?: boolean
}

/** The listings of operators at channels: what channels say of them, and what hosts decide. Each change is in the trail. */
export class Listings extends Context.Service<
  Listings,
  {
    /** A listing of the account that speaks, as its channel says it is. A new one is linked to nothing. */
    readonly said: (speaker: Speaking, said: ListingSaid, at: Date) => Effect.Effect<HeardVersion, SaidRefused, Acting>
    /** The first listings of any operator that are wanted. */
    readonly find: (wanted: ListingsWanted, most: number) => Effect.Effect<ReadonlyArray<HostedListing>>
    /** Links a listing, by its row, to what it sells; undefined takes the link away. */
    readonly link: (
      operatorId: number,
      id: number,
      to: Link | undefined
    ) => Effect.Effect<HostedListing, NotFound | ValidationFailed, Acting>
    /** Sets what a listing, by its row, costs in percent of the base price of its link. */
    readonly rate: (
      operatorId: number,
      id: number,
      ratio: NewRatio
    ) => Effect.Effect<HostedListing, NotFound | ValidationFailed, Acting>
  }
>()("latchkey/resources/Listings") {
  static readonly layer = Layer.effect(
    Listings,
    Effect.map(SqlClient.SqlClient, (sql) =>
      Listings.of({ said: hearing(sql), find: find(sql), link: linking(sql), rate: rating(sql) })
    )
  )
}

const hearing = (sql: SqlClient.SqlClient): Listings["Service"]["said"] => {
  const heard = hear(sql)
  const taken = take(sql)
  const alone = inTurn(sql)
  return Effect.fnUntraced(function* (speaker, said, at) {
    const large = tooLargeIn(said)
    if (large !== undefined)
      return yield* new SaidRefused({ reason: `${large}: must be at most ${LISTING_JSON} characters as JSON` })
    const known = Effect.gen(function* () {
      const before = yield* heard(speaker, said, at)
      if (!before.speaker_known) return yield* new SaidRefused({ reason: "there is no such account" })
      if (before.last_version === null) return undefined
      if (before.is_theirs !== true) return yield* new SaidRefused({ reason: "listing_id: belongs to another account" })
      return heardVersion(before.last_version, said.version)
    })
    const first = yield* known
    if (first !== undefined) return first
    if ((yield* alone(speaker.operatorId, taken(speaker, said, at))).made) return "applied"
    // It came in meanwhile, or there is no room.
    return (yield* known) ?? (yield* noMoreListings)
  })
}

const noMoreListings = new SaidRefused({ reason: `the operator already has ${LISTINGS} listings, the maximum` })

const linking = (sql: SqlClient.SqlClient): Listings["Service"]["link"] => {
  const linked = link(sql)
  const alone = inTurn(sql)
  return Effect.fnUntraced(function* (operatorId, id, to) {
    const found = yield* alone(operatorId, linked(operatorId, id, to))
    if (found === undefined) return yield* noSuchListing
    const { known, linked: others, ...listing } = found
    if (!known) return yield* to?.type === "room_type" ? noSuchRoomType : noSuchProperty
    return others < LISTINGS_OF_LINK ? listing : yield* noMoreOfLink
  })
}

const noMoreOfLink = new ValidationFailed({
  message: `listing_id: at most ${LISTINGS_OF_LINK} listings can be mapped to one property or room type, deleted ones included.`
})

const rating = (sql: SqlClient.SqlClient): Listings["Service"]["rate"] => {
  const rated = rate(sql)
  return Effect.fnUntraced(function* (operatorId, id, { percent, readonly }) {
    if (percent !== undefined && !(Number.isInteger(percent) && percent >= 1 && percent <= RATIO_MAX)) {
      return yield* noSuchPercent
    }
    return (yield* rated(operatorId, id, { percent, readonly })) ?? (yield* noSuchListing)
  })
}

const noSuchPercent = new ValidationFailed({ message: `percent: must be a whole number from 1 to ${RATIO_MAX}.` })
