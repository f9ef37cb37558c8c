import {
  COORDINATE_LENGTH,
  GUESTS_MAX,
  PROPERTY_ADDRESS_LENGTH,
  PROPERTY_TITLE_LENGTH
} from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { PropertyDetail } from "../../queries/PropertyPage.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, disclosure, type FieldFiller, input, makeFieldFiller, textArea } from "../form-fields.ts"
import type { FailedSubmission, HostView } from "../host-page.ts"
import { link, section } from "../page-parts.ts"
import { KNOWLEDGE_PATH, PROPERTIES_PATH } from "../urls.ts"
import { formatPriceItems, PRICE_ITEM_EXAMPLES } from "./price-item-text.ts"

export const ADD_PROPERTY_ACTION = "add_property"
export const SAVE_PROPERTY_ACTION = "save_property"

export const newPropertyView = (visit: SignedInVisit, failedSubmission?: FailedSubmission): HostView => ({
  title: "New property",
  body: html`<p>${link(PROPERTIES_PATH, "Back to properties")}</p>
${section(
  "Name",
  actionForm(visit, {
    action: ADD_PROPERTY_ACTION,
    label: "Add property",
    fields: input(makeFieldFiller(failedSubmission, ADD_PROPERTY_ACTION), {
      name: "title",
      label: "Name",
      hint: "Names must be unique.",
      isRequired: true,
      maxlength: PROPERTY_TITLE_LENGTH
    })
  })
)}`
})

export const propertyForm = (
  visit: SignedInVisit,
  property: PropertyDetail,
  failedSubmission?: FailedSubmission
): Html => {
  const fillField = makeFieldFiller(failedSubmission, SAVE_PROPERTY_ACTION, property.id)
  return section(
    "Details",
    actionForm(visit, {
      action: SAVE_PROPERTY_ACTION,
      label: "Save",
      id: property.id,
      fields: html`${descriptionFields(fillField, property)}${priceFields(fillField, property)}${positionFields(fillField, property)}`
    }),
    "details"
  )
}

const descriptionFields = (fillField: FieldFiller, property: PropertyDetail): Html => {
  const { title, address, capacity, check_in_time, check_out_time } = property
  const timeField = (name: string, label: string, value: string) =>
    input(fillField, { name, label, type: "time", value, isEdit: true })
  return html`<div class="fields">${input(fillField, {
    ...{ name: "title", label: "Name", hint: "Names must be unique.", value: title },
    ...{ isRequired: true, maxlength: PROPERTY_TITLE_LENGTH, isEdit: true }
  })}${input(fillField, {
    ...{ name: "capacity", label: "Max. guests", hint: "If empty: no limit", type: "number" },
    ...{ min: 1, max: GUESTS_MAX, value: String(capacity ?? ""), isEdit: true }
  })}</div>
${textArea(fillField, { name: "address", label: "Address", value: address ?? "", rows: 2, maxlength: PROPERTY_ADDRESS_LENGTH, isEdit: true })}<div class="fields">${timeField("default_checkin_time", "Check-in from", check_in_time)}${timeField("default_checkout_time", "Check-out by", check_out_time)}</div>
<p class="soft">Write check-in instructions for guests as an article of the ${link(KNOWLEDGE_PATH, "knowledge base")}.</p>
`
}

const priceFields = (fillField: FieldFiller, { currency, fees, taxes }: PropertyDetail): Html =>
  html`${input(fillField, {
    ...{ name: "currency", label: "Currency", value: currency, maxlength: 3, isEdit: true },
    hint: "A new currency converts no price."
  })}${textArea(fillField, {
    ...{ name: "fees", label: "Fees", value: formatPriceItems(fees), isEdit: true },
    hint: PRICE_ITEM_EXAMPLES
  })}${textArea(fillField, {
    ...{ name: "taxes", label: "Taxes", value: formatPriceItems(taxes), isEdit: true },
    hint: "A percentage is taken of the nights and all fees."
  })}`

const positionFields = (fillField: FieldFiller, { latitude, longitude }: PropertyDetail): Html => {
  const degreesField = (name: string, label: string, value: string | null, hint: string) =>
    input(fillField, { name, label, value: value ?? "", hint, maxlength: COORDINATE_LENGTH, isEdit: true })
  const hasError = fillField.errors?.has("latitude") === true || fillField.errors?.has("longitude") === true
  return disclosure(
    "Map position",
    html`<div class="fields">${degreesField("latitude", "Latitude", latitude, "such as 38.7118")}${degreesField("longitude", "Longitude", longitude, "such as -9.1302")}</div>`,
    hasError
  )
}
