import type { KnowledgeBase, PropertyScopeType } from "../../../../domain/knowledge/contract.ts"
import type { Scopes } from "../../queries/KnowledgeScopes.ts"
import type { Named } from "../../queries/named.ts"
import { channelWords } from "../channel-words.ts"

// For whom an entry is, in a sentence.

type Entry = typeof KnowledgeBase.Type

/** What a scope of each type names. */
export const namedBy = (type: PropertyScopeType, scopes: Scopes): ReadonlyArray<Named> => {
  switch (type) {
    case "by_property":
      return scopes.properties
    case "by_group":
      return scopes.groups
    case "by_room_type":
      return scopes.room_types
    default:
      return []
  }
}

const KINDS: Readonly<Record<PropertyScopeType, readonly [before: string, one: string]>> = {
  all: ["", "property"],
  by_property: ["", "property"],
  by_group: ["the group ", "group"],
  by_room_type: ["the room type ", "room type"]
}

/** Names that a sentence has; of more it says how many. */
const NAMED = 5

const placeWords = ({ type, ids }: Entry["scope_property"], scopes: Scopes): string => {
  if (type === "all") return "all properties"
  const names = new Map(namedBy(type, scopes).map(({ id, name }) => [id, name]))
  const named = ids.flatMap((id) => names.get(id) ?? []).slice(0, NAMED)
  const left = ids.length - named.length
  const [before, one] = KINDS[type]
  const more = left === 0 ? [] : [named.length === 0 ? `${left} of a ${one}` : `${left} more`]
  return `${before}${[...named, ...more].join(", ")}`
}

export const scopeWords = ({ scope_property, scope_channel, audience }: Entry, scopes: Scopes): string => {
  const where = placeWords(scope_property, scopes)
  const channels =
    scope_channel.type === "all" ? "" : `, booked at ${scope_channel.channels.map(channelWords).join(", ")}`
  return audience === "anyone" ? `Anyone who asks about ${where}${channels}` : `Guests of ${where}${channels}`
}

/** How far an entry is from being answered from. */
export const STATES = {
  waiting: ["waits to be prepared", "wait"],
  processing: ["is being prepared", "wait"],
  done: ["ready", "good"],
  failed: ["could not be prepared", "bad"]
} as const
