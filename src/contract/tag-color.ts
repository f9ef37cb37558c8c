import { Schema } from "effect"

/** The colours a property tag may have (contract facts 0.4); reservation tags are given one of them by the service. */
export const TAG_COLORS = ["#FD587B", "#1BBFA4", "#FFA410", "#F3D432", "#2CBCFD", "#7175FA", "#EF7EDE"] as const

export const TagColor = Schema.Literals(TAG_COLORS)
export type TagColor = typeof TagColor.Type

/** The colour a tag gets where the caller chooses none: always the same for the same name. */
export const defaultTagColor = (name: string): TagColor => {
  const sum = Array.from(name).reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0)
  return TAG_COLORS[sum % TAG_COLORS.length] ?? TAG_COLORS[0]
}
