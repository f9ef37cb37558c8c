import { PALETTE, type PaletteColor } from "../../../../contract/palette.ts"
import { type Html, html } from "../../../docs/html.ts"

/** The colours of tags by the names that people have for them. */
const NAMES: Readonly<Record<PaletteColor, string>> = {
  "#FD587B": "red",
  "#1BBFA4": "green",
  "#FFA410": "orange",
  "#F3D432": "yellow",
  "#2CBCFD": "blue",
  "#7175FA": "violet",
  "#EF7EDE": "pink"
}

export const COLOURS = PALETTE.map((value) => ({ value, words: NAMES[value] }))

const nameOf = (color: string): string => COLOURS.find(({ value }) => value === color)?.words ?? color

/** A dot of the colour, which is told by its name too. */
export const colourOf = (color: string): Html =>
  html`<svg width="12" height="12" role="img" aria-label="${nameOf(color)}"><circle cx="6" cy="6" r="6" fill="${color}"/></svg>`
