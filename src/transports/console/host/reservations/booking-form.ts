import {
  AMOUNT_MAX,
  EMAIL_LENGTH,
  GUEST_NAME_LENGTH,
  GUEST_PHONE_LENGTH,
  GUESTS_MAX,
  RESERVATION_REMARKS_LENGTH
} from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, type FieldFiller, input, type SelectOption, select, textArea } from "../form-fields.ts"
import { fact, formatDayRange, formatMoney } from "../page-parts.ts"
import type { Quote } from "../stay-quote.ts"
import type { PrefilledStay } from "./prefilled-stay.ts"

export const CREATE_ACTION = "create"
export const QUOTE_ACTION = "quote"
export const CHECK_ACTION = "check"

export interface BookingChoices {
  readonly channels: ReadonlyArray<SelectOption>
  readonly methods: ReadonlyArray<SelectOption>
}

const DIRECT_CHANNEL_LABEL = "Direct"
/** Id of the built-in payment method "Cash", which hosts may rename. */
const CASH_METHOD_ID = 197
const DEFAULT_GUESTS = "2"

const findOptionValue = (options: ReadonlyArray<SelectOption>, label: string): string | number =>
  options.find((option) => option.label === label)?.value ?? ""

const chooseDefaultMethod = (incomeMethods: ReadonlyArray<SelectOption>) =>
  incomeMethods.some(({ value }) => value === CASH_METHOD_ID)
    ? { value: CASH_METHOD_ID }
    : { emptyLabel: "Choose", isRequired: true }

const AMOUNT_INPUT = { type: "number", min: 0, max: AMOUNT_MAX, step: "any", isRequired: true } as const

/** Fields of one line are side by side if the window is wide enough. */
const fieldGroup = (legend: string, fields: Html): Html => html`<fieldset class="group"><legend>${legend}</legend>
<div class="fields">
${fields}</div></fieldset>
`

const guestFields = (fillField: FieldFiller, { channels }: BookingChoices): Html =>
  html`${input(fillField, { name: "guest_name", label: "Guest name", maxlength: GUEST_NAME_LENGTH, isRequired: true })}${input(fillField, { name: "email", label: "E-mail", type: "email", maxlength: EMAIL_LENGTH })}${input(fillField, { name: "mobile", label: "Phone", type: "tel", maxlength: GUEST_PHONE_LENGTH })}${select(fillField, { name: "custom_channel_id", label: "Source", options: channels, value: findOptionValue(channels, DIRECT_CHANNEL_LABEL) })}`

const paymentFields = (fillField: FieldFiller, { methods }: BookingChoices): Html =>
  html`${input(fillField, { ...AMOUNT_INPUT, name: "received_amount", label: "Amount paid", value: "0" })}${select(fillField, { name: "income_method_id", label: "Payment method", options: methods, ...chooseDefaultMethod(methods) })}`

const remarksField = (fillField: FieldFiller): Html =>
  textArea(fillField, {
    name: "remarks",
    label: "Remarks",
    hint: "only you see them",
    maxlength: RESERVATION_REMARKS_LENGTH
  })

interface BookingFormOptions extends BookingChoices {
  readonly prefilled: PrefilledStay
  readonly properties: ReadonlyArray<SelectOption>
  /** The currency of the chosen property, or the account's. */
  readonly currency: string
  /** Another currency that the host has typed into the form. */
  readonly typedCurrency: string | undefined
}

/** Shows the default, and the error of a form that came back. */
const withoutValues = ({ errors }: FieldFiller): FieldFiller => {
  const showDefault = (_name: string, defaultValue: string) => defaultValue
  return errors === undefined ? showDefault : Object.assign(showDefault, { errors })
}

const currencyField = (
  fillField: FieldFiller,
  { prefilled, currency, typedCurrency }: Pick<BookingFormOptions, "prefilled" | "currency" | "typedCurrency">
): Html =>
  html`<input type="hidden" name="currency_property" value="${prefilled.property}"><input type="hidden" name="was.currency" value="${currency}">${input(withoutValues(fillField), { name: "currency", label: "Currency", value: typedCurrency ?? currency, maxlength: 3, isRequired: true })}`

/** Asks for everything once. A change of the property also changes the currency, unless the host has typed one. */
export const bookingForm = (
  visit: SignedInVisit,
  fillField: FieldFiller,
  { prefilled, properties, currency, typedCurrency, ...choices }: BookingFormOptions
): Html =>
  actionForm(visit, {
    action: CREATE_ACTION,
    label: "Save",
    otherActions: [
      { action: CHECK_ACTION, label: "Check availability" },
      { action: QUOTE_ACTION, label: "Get quote" }
    ],
    fields: html`${fieldGroup("Stay", html`${select(fillField, { name: "property_id", label: "Property", value: prefilled.property, options: properties, emptyLabel: "Choose a property", isRequired: true })}${input(fillField, { name: "check_in_date", label: "Check-in", type: "date", value: prefilled.check_in_date, isRequired: true })}${input(fillField, { name: "check_out_date", label: "Check-out", type: "date", value: prefilled.check_out_date, isRequired: true })}${input(fillField, { name: "number_of_guests", label: "Guests", type: "number", min: 1, max: GUESTS_MAX, value: DEFAULT_GUESTS, isRequired: true })}`)}${fieldGroup("Guest", guestFields(fillField, choices))}${fieldGroup("Price", html`${input(fillField, { ...AMOUNT_INPUT, name: "rate_amount", label: "Total price (incl. commission)" })}${input(fillField, { ...AMOUNT_INPUT, name: "commission_amount", label: "Commission", value: "0" })}${currencyField(fillField, { prefilled, currency, typedCurrency })}${paymentFields(fillField, choices)}`)}${remarksField(fillField)}`
  })

const hiddenFields = (values: Readonly<Record<string, string>>): Html =>
  html`${Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`

/** The quote sets the property, the dates, the guests and the price. */
export const quotedBookingForm = (
  visit: SignedInVisit,
  fillField: FieldFiller,
  {
    prefilled,
    quote,
    propertyTitle,
    ...choices
  }: BookingChoices & {
    readonly prefilled: PrefilledStay
    readonly quote: Pick<Quote, "quote_id"> & Partial<Pick<Quote, "currency" | "total">>
    readonly propertyTitle: string | undefined
  }
): Html => {
  const { property, check_in_date, check_out_date, guests, nights } = prefilled
  const { quote_id, currency, total } = quote
  return actionForm(visit, {
    action: CREATE_ACTION,
    label: "Save",
    fields: html`<dl class="facts">
${fact("Property", propertyTitle)}${fact("Dates", nights === undefined ? null : formatDayRange(nights.from, nights.before))}${fact("Guests", guests)}${total === undefined || total === null || currency === undefined ? nothing : fact("Total", formatMoney(String(total), currency))}</dl>
${hiddenFields({ property_id: property, check_in_date, check_out_date, number_of_guests: guests, quote_id })}${fieldGroup("Guest", guestFields(fillField, choices))}${fieldGroup("Payment", paymentFields(fillField, choices))}${remarksField(fillField)}`
  })
}
