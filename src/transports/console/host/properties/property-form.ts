import type { Property } from "../../../../domain/properties/properties/contract.ts"
import { GUESTS_MAX } from "../../../../platform/limits.ts"
import { html } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, input, makeFieldFiller, textArea } from "../form-fields.ts"
import type { FailedSubmission, HostView } from "../host-page.ts"
import { activityLogLink, link, section } from "../page-parts.ts"
import { PROPERTIES_PATH } from "../urls.ts"
import { formatPriceItems, PRICE_ITEM_EXAMPLES } from "./price-item-text.ts"

export const CHANGE_PRICING_ACTION = "change_pricing"

export const propertyView = (
  visit: SignedInVisit,
  { id, title, currency, capacity, fees, taxes }: Property,
  failedSubmission?: FailedSubmission
): HostView => {
  const fillField = makeFieldFiller(failedSubmission, CHANGE_PRICING_ACTION, id)
  const fields = html`${input(fillField, { name: "currency", label: "Currency", value: currency, maxlength: 3, isEdit: true, hint: "empty: the currency of your business" })}
${input(fillField, { name: "capacity", label: "Maximum guests", type: "number", min: 1, max: GUESTS_MAX, value: String(capacity ?? ""), isEdit: true, hint: "empty: not limited" })}
${textArea(fillField, { name: "fees", label: "Fees", value: formatPriceItems(fees), rows: 4, isEdit: true, hint: PRICE_ITEM_EXAMPLES })}
${textArea(fillField, { name: "taxes", label: "Taxes", value: formatPriceItems(taxes), rows: 4, isEdit: true, hint: "a percentage is taken of the nights and all fees" })}`
  return {
    title,
    body: html`<p>${link(PROPERTIES_PATH, "Back to the properties")}</p>
${section(
  "Prices",
  html`<p class="soft">A quote adds fees and taxes to the price of the nights. A new currency does not convert any price.</p>
${actionForm(visit, { action: CHANGE_PRICING_ACTION, label: "Save", id, fields })}`
)}${activityLogLink(`property:${id}`)}`
  }
}
