import { Result } from "effect"
import { BadRequest } from "../../contract/errors.ts"
import { LISTING_JSON_LENGTH } from "../../platform/limits.ts"
import type { ChannelListingEvent } from "../channels/port/channel-events.ts"
import { type PricingRatio, READ_ONLY_RATIO } from "./contract.ts"

export interface ListingMapping {
  readonly type: "property" | "room_type"
  readonly id: number
}

export const parseListingMapping = (ids: {
  readonly property_id?: number
  readonly room_type_id?: number
}): Result.Result<ListingMapping, BadRequest> => {
  const { property_id, room_type_id } = ids
  if (property_id !== undefined && room_type_id === undefined) {
    return Result.succeed({ type: "property", id: property_id })
  }
  if (room_type_id !== undefined && property_id === undefined) {
    return Result.succeed({ type: "room_type", id: room_type_id })
  }
  return Result.fail(
    new BadRequest({
      message: `property_id, room_type_id: ${property_id === undefined ? "give one of them" : "conflicting parameters, give one of them"}.`
    })
  )
}

/** Null removes the mapping, and undefined keeps it. */
export const parseMappingChange = (ids: {
  readonly property_id?: number | null
  readonly room_type_id?: number | null
}): Result.Result<ListingMapping | null | undefined, BadRequest> => {
  const { property_id, room_type_id } = ids
  if (property_id === undefined && room_type_id === undefined) return Result.succeed(undefined)
  if (property_id === null && room_type_id === null) return Result.succeed(null)
  if (typeof property_id === "number" && typeof room_type_id !== "number") {
    return Result.succeed({ type: "property", id: property_id })
  }
  if (typeof room_type_id === "number" && typeof property_id !== "number") {
    return Result.succeed({ type: "room_type", id: room_type_id })
  }
  return Result.fail(invalidMappingChangeError)
}

const invalidMappingChangeError = new BadRequest({
  message: "property_id, room_type_id: give one of them, or null in both to remove the mapping."
})

export const toPricingRatio = (ratio: number, readonly: boolean): Pick<PricingRatio, "ratio" | "readonly"> => ({
  ratio: readonly ? READ_ONLY_RATIO : ratio,
  readonly
})

export const findOversizedField = ({
  metadata,
  price_and_rules
}: Pick<ChannelListingEvent, "metadata" | "price_and_rules">): string | undefined =>
  Object.entries({ metadata, price_and_rules }).find(
    ([, value]) => JSON.stringify(value ?? null).length > LISTING_JSON_LENGTH
  )?.[0]
