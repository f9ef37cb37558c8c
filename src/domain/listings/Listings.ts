import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../contract/actor.ts"
import { type Conflict, type NotFound, ValidationFailed } from "../../contract/errors.ts"
import { LISTING_JSON_LENGTH, LISTINGS_MAX, LISTINGS_PER_MAPPING, RATIO_MAX } from "../../platform/limits.ts"
import type { ChannelListingEvent } from "../channels/port/channel-events.ts"
import {
  type ChannelAccountRef,
  InvalidChannelEvent,
  toVersionOutcome,
  type VersionOutcome
} from "../channels/port/event-handling.ts"
import { withOperatorLock } from "../operator-rows.ts"
import { unknownPropertyIdError, unknownRoomTypeIdError } from "../properties/properties/ownership.ts"
import { makeInsertListing, makeUpdateListing } from "./channel-updates.ts"
import { type ListingKey, listingNotFoundError } from "./listing-lookup.ts"
import { listingQueueFullError, MappingPricePushes } from "./MappingPricePushes.ts"
import {
  type ListingFilter,
  type ListingMappingChange,
  type ListingWithMapping,
  makeListListings,
  makeUpdateMapping
} from "./mapping-and-ratio.ts"
import { findOversizedField } from "./rules.ts"

export class Listings extends Context.Service<
  Listings,
  {
    /** A new listing has no mapping. */
    readonly applyUpdate: (
      account: ChannelAccountRef,
      update: ChannelListingEvent,
      at: Date
    ) => Effect.Effect<VersionOutcome, InvalidChannelEvent, CurrentActor>
    readonly list: (filter: ListingFilter, limit: number) => Effect.Effect<ReadonlyArray<ListingWithMapping>>
    /**
     * Changes mapping and ratio together or not at all, and queues the base prices for the listing. Fails if its queue
     * is full.
     */
    readonly setMapping: (
      operatorId: number,
      key: ListingKey,
      change: ListingMappingChange
    ) => Effect.Effect<ListingWithMapping, Conflict | NotFound | ValidationFailed, CurrentActor>
  }
>()("latchkey/domain/listings/Listings") {
  static readonly layer = Layer.effect(
    Listings,
    Effect.gen(function* () {
      const [sql, pricePushes] = [yield* SqlClient.SqlClient, yield* MappingPricePushes]
      return Listings.of({
        applyUpdate: makeApplyUpdate(sql),
        list: makeListListings(sql),
        setMapping: makeSetMapping(sql, pricePushes)
      })
    })
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
    // Nothing was inserted, because another event has inserted the listing or the limit is reached.
    return (yield* applyToExisting) ?? (yield* listingLimitError)
  })
}

const listingLimitError = new InvalidChannelEvent({
  reason: `the operator already has ${LISTINGS_MAX} listings, the maximum`
})

const makeSetMapping = (
  sql: SqlClient.SqlClient,
  pricePushes: MappingPricePushes["Service"]
): Listings["Service"]["setMapping"] => {
  const updateMapping = makeUpdateMapping(sql, pricePushes)
  const runLocked = withOperatorLock(sql)
  return Effect.fnUntraced(function* (operatorId, key, change) {
    const { mapping, ratio } = change
    if (ratio !== undefined && !(Number.isInteger(ratio) && ratio >= 1 && ratio <= RATIO_MAX))
      return yield* invalidRatioError
    const update = updateMapping(operatorId, key, change, yield* DateTime.nowAsDate)
    const updated = yield* runLocked(
      operatorId,
      // A failure inside the lock rolls the change back.
      Effect.filterOrFail(
        update,
        (row) => row?.is_queue_full !== true,
        () => listingQueueFullError
      )
    )
    if (updated === undefined) return yield* listingNotFoundError
    const { known: isKnown, linked: otherListingCount, is_queue_full: _, ...listing } = updated
    if (!isKnown) return yield* mapping?.type === "room_type" ? unknownRoomTypeIdError : unknownPropertyIdError
    return otherListingCount < LISTINGS_PER_MAPPING ? listing : yield* mappedListingLimitError
  })
}

const mappedListingLimitError = new ValidationFailed({
  message: `listing_id: at most ${LISTINGS_PER_MAPPING} listings can be mapped to one property or room type, deleted ones included.`
})

const invalidRatioError = new ValidationFailed({ message: `ratio: must be a whole number from 1 to ${RATIO_MAX}.` })
