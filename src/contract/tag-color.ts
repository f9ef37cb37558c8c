import { Schema } from "effect"

/** Contract facts 0.4. */
export const TAG_COLORS = ["#FD587B", "#1BBFA4", "#FFA410", "#F3D432", "#2CBCFD", "#7175FA", "#EF7EDE"] as const

export const TagColor = Schema.Literals(TAG_COLORS)
export type TagColor = typeof TagColor.Type

export const defaultTagColor = (name: string): TagColor => {
  const sum = Array.from(name).reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0)
  return TAG_COLORS[sum % TAG_COLORS.length] ?? TAG_COLORS[0]
}
