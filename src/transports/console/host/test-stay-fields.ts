import { RECORD_CODE_LENGTH } from "../../../platform/limits.ts"
import { type Html, html } from "../../docs/html.ts"
import type { TestStay } from "../queries/test-stays.ts"
import type { SignedInVisit } from "../visit.ts"
import { type FieldFiller, input, select } from "./form-fields.ts"
import { formatDay } from "./page-parts.ts"

/** A typed code takes precedence over a selected stay. */
export const readTestStayCode = ({ query }: SignedInVisit): string | undefined =>
  [query.get("code"), query.get("stay")].map((text) => text?.trim()).find((text) => text !== undefined && text !== "")

const stayLabel = ({ guest_name, stay_code, property_title, check_in_date }: TestStay): string =>
  `${guest_name ?? stay_code}, ${property_title ?? "unassigned"}, from ${formatDay(check_in_date)}`

export const testStayFields = (visit: SignedInVisit, stays: ReadonlyArray<TestStay>, emptyLabel: string): Html => {
  const selectedCode = readTestStayCode(visit) ?? ""
  const isListed = stays.some(({ stay_code }) => stay_code === selectedCode)
  const fillField: FieldFiller = (name) => (name === "code" ? (isListed ? "" : selectedCode) : selectedCode)
  const options = stays.map((stay) => ({ value: stay.stay_code, label: stayLabel(stay) }))
  return html`${select(fillField, { name: "stay", label: "Stay", options, emptyLabel })}${input(fillField, { name: "code", label: "Or a reservation code", maxlength: RECORD_CODE_LENGTH })}`
}
