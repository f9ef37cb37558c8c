import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../contract/actor.ts"
import { type NotFound, ValidationFailed } from "../../contract/errors.ts"
import { LISTING_JSON_LENGTH, LISTINGS_MAX, LISTINGS_PER_MAPPING, RATIO_MAX } from "../../platform/limits.ts"
import type { ChannelListingEvent } from "../channels/port/channel-events.ts"
import {
  type ChannelAccountRef,
  InvalidChannelEvent,
  toVersionOutcome,
  type VersionOutcome
} from "../channels/port/event-handling.ts"
import { withOperatorLock } from "../operator-rows.ts"
import { noSuchProperty, noSuchRoomType } from "../properties/properties/ownership.ts"
import { makeInsertListing, makeUpdateListing } from "./channel-updates.ts"
import { noSuchListing } from "./listing-lookup.ts"
import {
  type ListingFilter,
  type ListingWithMapping,
  makeListListings,
  makeUpdateMapping,
  makeUpdateRatio
} from "./mapping-and-ratio.ts"
import { findOversizedField, type ListingMapping } from "./rules.ts"

/** How a listing's ratio is set: to a percent, which makes it writable, or only whether it is. */
export interface RatioChange {
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
    readonly applyUpdate: (
      account: ChannelAccountRef,
      update: ChannelListingEvent,
      at: Date
    ) => Effect.Effect<VersionOutcome, InvalidChannelEvent, CurrentActor>
    /** The first listings of any operator that are wanted. */
    readonly list: (filter: ListingFilter, limit: number) => Effect.Effect<ReadonlyArray<ListingWithMapping>>
    /** Links a listing, by its row, to what it sells; undefined takes the link away. */
    readonly setMapping: (
      operatorId: number,
      id: number,
      mapping: ListingMapping | undefined
    ) => Effect.Effect<ListingWithMapping, NotFound | ValidationFailed, CurrentActor>
    /** Sets what a listing, by its row, costs in percent of the base price of its link. */
    readonly setRatio: (
      operatorId: number,
      id: number,
      ratio: RatioChange
    ) => Effect.Effect<ListingWithMapping, NotFound | ValidationFailed, CurrentActor>
  }
>()("latchkey/domain/listings/Listings") {
  static readonly layer = Layer.effect(
    Listings,
    Effect.map(SqlClient.SqlClient, (sql) =>
      Listings.of({
        applyUpdate: makeApplyUpdate(sql),
        list: makeListListings(sql),
        setMapping: makeSetMapping(sql),
        setRatio: makeSetRatio(sql)
      })
    )
  )
}

const makeApplyUpdate = (sql: SqlClient.SqlClient): Listings["Service"]["applyUpdate"] => {
  const updateListing = makeUpdateListing(sql)
  const insertListing = makeInsertListing(sql)
  const runLocked = withOperatorLock(sql)
  return Effect.fnUntraced(function* (account, update, at) {
    const oversizedField = findOversizedField(update)
    if (oversizedField !== undefined)
      return yield* new InvalidChannelEvent({
        reason: `${oversizedField}: must be at most ${LISTING_JSON_LENGTH} characters as JSON`
      })
    const applyToExisting = Effect.gen(function* () {
      const previous = yield* updateListing(account, update, at)
      if (!previous.speaker_known) return yield* new InvalidChannelEvent({ reason: "there is no such account" })
      if (previous.last_version === null) return undefined
      if (previous.is_theirs !== true)
        return yield* new InvalidChannelEvent({ reason: "listing_id: belongs to another account" })
      return toVersionOutcome(previous.last_version, update.version)
    })
    const result = yield* applyToExisting
    if (result !== undefined) return result
    if ((yield* runLocked(account.operatorId, insertListing(account, update, at))).made) return "applied"
    // It came in meanwhile, or there is no room.
    return (yield* applyToExisting) ?? (yield* tooManyListings)
  })
}

const tooManyListings = new InvalidChannelEvent({
  reason: `the operator already has ${LISTINGS_MAX} listings, the maximum`
})

const makeSetMapping = (sql: SqlClient.SqlClient): Listings["Service"]["setMapping"] => {
  const updateMapping = makeUpdateMapping(sql)
  const runLocked = withOperatorLock(sql)
  return Effect.fnUntraced(function* (operatorId, id, mapping) {
    const updated = yield* runLocked(operatorId, updateMapping(operatorId, id, mapping))
    if (updated === undefined) return yield* noSuchListing
    const { known: isKnown, linked: otherListingCount, ...listing } = updated
    if (!isKnown) return yield* mapping?.type === "room_type" ? noSuchRoomType : noSuchProperty
    return otherListingCount < LISTINGS_PER_MAPPING ? listing : yield* tooManyMappedListings
  })
}

const tooManyMappedListings = new ValidationFailed({
  message: `listing_id: at most ${LISTINGS_PER_MAPPING} listings can be mapped to one property or room type, deleted ones included.`
})

const makeSetRatio = (sql: SqlClient.SqlClient): Listings["Service"]["setRatio"] => {
  const updateRatio = makeUpdateRatio(sql)
  return Effect.fnUntraced(function* (operatorId, id, { percent, readonly }) {
    if (percent !== undefined && !(Number.isInteger(percent) && percent >= 1 && percent <= RATIO_MAX)) {
      return yield* invalidPercent
    }
    return (yield* updateRatio(operatorId, id, { percent, readonly })) ?? (yield* noSuchListing)
  })
}

const invalidPercent = new ValidationFailed({ message: `percent: must be a whole number from 1 to ${RATIO_MAX}.` })
