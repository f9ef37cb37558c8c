import { NAMED_PROPERTIES, PROPERTY_TITLE } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import type { Choosable } from "../queries/choosing.ts"
import type { SignedInVisit } from "../visit.ts"
import { choices, input, lookingForm } from "./fields.ts"

// Properties to be ticked in a form: the one list of all of them that a page has, when it is asked for.

/** What its address asks to make or to change: `group:12`, `group:new`. */
export const CHANGE_FIELD = "change"
const LOOKED_FOR_FIELD = "q"

/** A part of a title that is looked for; undefined: none is. */
export const lookedForIn = ({ query }: SignedInVisit): string | undefined => {
  const text = (query.get(LOOKED_FOR_FIELD) ?? "").trim().slice(0, PROPERTY_TITLE)
  return text === "" ? undefined : text
}

export interface Change {
  readonly kind: string
  /** Undefined: one that is to be made. */
  readonly id: number | undefined
}

/** Undefined: nothing that could be changed is asked for. */
export const changeIn = ({ query }: SignedInVisit): Change | undefined => {
  const [, kind = "", id = ""] = /^(\w+):([1-9]\d{0,14}|new)$/.exec(query.get(CHANGE_FIELD) ?? "") ?? []
  return kind === "" ? undefined : { kind, id: id === "new" ? undefined : Number(id) }
}

export const changeAddress = (path: string, kind: string, id: number | "new"): string =>
  `${path}?${CHANGE_FIELD}=${kind}:${id}`

interface Ticked {
  readonly legend: string
  readonly properties: ReadonlyArray<Choosable>
  readonly chosen: ReadonlyArray<string>
  /** Of an edit: the list as it is. */
  readonly had?: string
  readonly none: string
}

/** Each property with a box to tick. */
export const propertyChoices = ({ properties, none, ...ticked }: Ticked): Html =>
  properties.length === 0
    ? html`<p class="soft">${none}</p>
`
    : choices({
        name: "property_ids",
        options: properties.slice(0, NAMED_PROPERTIES).map(({ id, title, deactivated }) => ({
          value: id,
          words: deactivated ? `${title} (not let)` : title
        })),
        ...ticked
      })

/** Where there are more properties than a form has room for, they are narrowed by their titles. */
export const narrowing = (visit: SignedInVisit, properties: ReadonlyArray<Choosable>): Html => {
  const lookedFor = lookedForIn(visit)
  if (properties.length <= NAMED_PROPERTIES && lookedFor === undefined) return nothing
  return html`<p>Not every property is shown to choose from. What is ticked already stays ticked.</p>
${lookingForm(
  visit.path,
  html`<input type="hidden" name="${CHANGE_FIELD}" value="${visit.query.get(CHANGE_FIELD) ?? ""}">
${titleField(lookedFor)}`,
  "Show these"
)}`
}

/** A part of a title to look for. */
export const titleField = (lookedFor: string | undefined): Html =>
  input((_name, otherwise) => otherwise, {
    name: LOOKED_FOR_FIELD,
    label: "A part of the title",
    type: "search",
    value: lookedFor ?? "",
    maxlength: PROPERTY_TITLE
  })
