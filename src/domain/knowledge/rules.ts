import { Result } from "effect"
import { BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { toSortedUniqueIds } from "../../contract/id-list.ts"
import { ALL_CHANNELS, ALL_IDS, type ChannelScope, type PropertyScope } from "./contract.ts"

const failValidation = (message: string) => Result.fail(new ValidationFailed({ message }))
const failConflicting = (message: string) => Result.fail(new BadRequest({ message }))

export const SCOPE_ID_NOUNS = { all: "property", by_property: "property", by_group: "group", by_room_type: "room type" }

/** Returns sorted ids without duplicates. */
export const normalizePropertyScope = ({
  type,
  ids = []
}: PropertyScope): Result.Result<Required<PropertyScope>, BadRequest | ValidationFailed> => {
  if (type === "all") {
    return ids.every((id) => id === ALL_IDS)
      ? Result.succeed({ type, ids: [ALL_IDS] })
      : failConflicting(`scope_property.ids: must be [${ALL_IDS}] where scope_property.type is all.`)
  }
  if (ids.length === 0) return failValidation(`scope_property.ids: must name at least one ${SCOPE_ID_NOUNS[type]}.`)
  return ids.includes(ALL_IDS)
    ? failConflicting(`scope_property.ids: ${ALL_IDS} is allowed only with scope_property.type all.`)
    : Result.succeed({ type, ids: toSortedUniqueIds(ids) })
}

export const normalizeChannelScope = ({
  type,
  channels = []
}: ChannelScope): Result.Result<Required<ChannelScope>, BadRequest | ValidationFailed> => {
  if (type === "all") {
    return channels.every((channel) => channel === ALL_CHANNELS)
      ? Result.succeed({ type, channels: [ALL_CHANNELS] })
      : failConflicting(`scope_channel.channels: must be ["${ALL_CHANNELS}"] where scope_channel.type is all.`)
  }
  if (channels.length === 0) return failValidation("scope_channel.channels: must name at least one channel.")
  return channels.includes(ALL_CHANNELS)
    ? failConflicting(`scope_channel.channels: ${ALL_CHANNELS} is allowed only with scope_channel.type all.`)
    : Result.succeed({ type, channels: Array.from(new Set(channels)) })
}
