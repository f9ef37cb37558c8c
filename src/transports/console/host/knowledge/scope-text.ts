import type { KnowledgeBase, PropertyScopeType } from "../../../../domain/knowledge/contract.ts"
import type { KnowledgeScopeChoices } from "../../queries/KnowledgeScopes.ts"
import type { NamedRecord } from "../../queries/named-records.ts"
import { channelName } from "../channel-names.ts"

type KnowledgeEntry = typeof KnowledgeBase.Type

export const scopeRecordsOf = (type: PropertyScopeType, scopes: KnowledgeScopeChoices): ReadonlyArray<NamedRecord> => {
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

const SCOPE_NOUNS: Readonly<Record<PropertyScopeType, readonly [before: string, one: string]>> = {
  all: ["", "property"],
  by_property: ["", "property"],
  by_group: ["the group ", "group"],
  by_room_type: ["the room type ", "room type"]
}

const NAMES_LISTED = 5

const propertyScopeText = ({ type, ids }: KnowledgeEntry["scope_property"], scopes: KnowledgeScopeChoices): string => {
  if (type === "all") return "all properties"
  const names = new Map(scopeRecordsOf(type, scopes).map(({ id, name }) => [id, name]))
  const listedNames = ids.flatMap((id) => names.get(id) ?? []).slice(0, NAMES_LISTED)
  const remaining = ids.length - listedNames.length
  const [prefix, singular] = SCOPE_NOUNS[type]
  const moreText =
    remaining === 0 ? [] : [listedNames.length === 0 ? `${remaining} of a ${singular}` : `${remaining} more`]
  return `${prefix}${[...listedNames, ...moreText].join(", ")}`
}

export const scopeText = (
  { scope_property, scope_channel, audience }: KnowledgeEntry,
  scopes: KnowledgeScopeChoices
): string => {
  const propertiesText = propertyScopeText(scope_property, scopes)
  const channels = scope_channel.type === "all" ? "" : `, ${scope_channel.channels.map(channelName).join(", ")}`
  return audience === "anyone" ? `Everyone, ${propertiesText}${channels}` : `Guests, ${propertiesText}${channels}`
}

export const PROCESS_STATUS_BADGES = {
  waiting: ["Waiting", "wait"],
  processing: ["Indexing", "wait"],
  done: ["Indexed", "good"],
  failed: ["Indexing failed", "bad"]
} as const
