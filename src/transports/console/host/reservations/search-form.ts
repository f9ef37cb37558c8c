import { RECORD_CODE_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { type StaySearchFilter, UNASSIGNED_PROPERTY } from "../../queries/FoundStays.ts"
import type { SignedInVisit } from "../../visit.ts"
import { disclosure, type FieldFiller, input, type SelectOption, select } from "../form-fields.ts"
import { link } from "../page-parts.ts"
import { RESERVATION_STATUS_OPTIONS } from "../stay/stay-labels.ts"
import { RESERVATIONS_PATH } from "../urls.ts"
import { countHiddenFilters, hasFilter } from "./reservation-filter.ts"

const PAYMENT_OPTIONS: ReadonlyArray<SelectOption> = [
  { value: "unpaid", label: "Balance due" },
  { value: "paid", label: "Paid" }
]

const UNASSIGNED_OPTION: SelectOption = { value: UNASSIGNED_PROPERTY, label: "Unassigned" }

/** Two fields are visible. The others are behind a summary that counts those in use. */
export const searchForm = (
  visit: SignedInVisit,
  filter: StaySearchFilter,
  properties: ReadonlyArray<SelectOption>
): Html => {
  const fillField: FieldFiller = (name, defaultValue) => visit.query.get(name) ?? defaultValue
  const hiddenCount = countHiddenFilters(filter)
  return html`<form method="get" action="${RESERVATIONS_PATH}" class="finder noprint" role="search">
${input(fillField, { name: "q", label: "Guest or code", type: "search", placeholder: "Guest, code", maxlength: RECORD_CODE_LENGTH })}${select(fillField, { name: "status", label: "Status", emptyLabel: "All statuses", options: RESERVATION_STATUS_OPTIONS })}<button>Search</button>
${disclosure(
  hiddenCount === 0 ? "More filters" : `More filters (${hiddenCount})`,
  html`<div class="fields">
${select(fillField, { name: "property", label: "Property", emptyLabel: "All", options: [UNASSIGNED_OPTION, ...properties] })}${select(fillField, { name: "payment", label: "Payment", emptyLabel: "All", options: PAYMENT_OPTIONS })}${input(fillField, { name: "from", label: "Check-in from", type: "date" })}${input(fillField, { name: "to", label: "Check-in to", type: "date" })}${input(fillField, { name: "leaves_from", label: "Check-out from", type: "date" })}${input(fillField, { name: "leaves_to", label: "Check-out to", type: "date" })}</div>
${hasFilter(filter) ? html`<p>${link(RESERVATIONS_PATH, "Clear filters")}</p>` : nothing}`
)}</form>
`
}
