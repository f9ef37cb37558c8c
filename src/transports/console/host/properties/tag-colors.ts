import { TAG_COLORS, type TagColor } from "../../../../contract/tag-color.ts"
import { type Html, html } from "../../../docs/html.ts"

const COLOR_NAMES: Readonly<Record<TagColor, string>> = {
  "#FD587B": "red",
  "#1BBFA4": "green",
  "#FFA410": "orange",
  "#F3D432": "yellow",
  "#2CBCFD": "blue",
  "#7175FA": "violet",
  "#EF7EDE": "pink"
}

export const COLOR_OPTIONS = TAG_COLORS.map((value) => ({ value, label: COLOR_NAMES[value] }))

const colorName = (color: string): string => COLOR_OPTIONS.find(({ value }) => value === color)?.label ?? color

export const colorDot = (color: string): Html =>
  html`<svg width="12" height="12" role="img" aria-label="${colorName(color)}"><circle cx="6" cy="6" r="6" fill="${color}"/></svg>`
