import { CODE } from "../../../platform/limits.ts"
import { type Html, html } from "../../docs/html.ts"
import type { TrialStay } from "../queries/trial-stays.ts"
import type { SignedInVisit } from "../visit.ts"
import { type Fill, input, select } from "./fields.ts"
import { dayText } from "./parts.ts"

// A stay that something is tried on: one of those that come next, or any other by its code.

/** Whose the code is that the address names: what is written goes before what is chosen. */
export const trialStayIn = ({ query }: SignedInVisit): string | undefined =>
  [query.get("code"), query.get("stay")].map((text) => text?.trim()).find((text) => text !== undefined && text !== "")

const words = ({ guest_name, stay_code, property_title, check_in_date }: TrialStay): string =>
  `${guest_name ?? stay_code}, ${property_title ?? "in the box"}, from ${dayText(check_in_date)}`

export const trialStayFields = (visit: SignedInVisit, stays: ReadonlyArray<TrialStay>, none: string): Html => {
  const chosen = trialStayIn(visit) ?? ""
  const isListed = stays.some(({ stay_code }) => stay_code === chosen)
  const fill: Fill = (name) => (name === "code" ? (isListed ? "" : chosen) : chosen)
  const options = stays.map((stay) => ({ value: stay.stay_code, words: words(stay) }))
  return html`${select(fill, { name: "stay", label: "Stay", options, none })}${input(fill, { name: "code", label: "or another by its code", maxlength: CODE })}`
}
