import { Effect, Schema } from "effect"
import { isCalendarDate } from "../../../contract/fields.ts"
import { query_custom_channels } from "../../../domain/channels/custom-channels/contract.ts"
import { query_income_methods } from "../../../domain/money/contract.ts"
import {
  AMOUNT_MAX,
  EMAIL_LENGTH,
  GUEST_NAME_LENGTH,
  GUEST_PHONE_LENGTH,
  GUESTS_MAX,
  RESERVATION_REMARKS_LENGTH
} from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { OfferedProperties } from "../queries/OfferedProperties.ts"
import type { OfferedProperty } from "../queries/property-conflicts.ts"
import type { SignedInVisit, SubmittedForm } from "../visit.ts"
import { makeMutation, makeQuery } from "./api-operations.ts"
import {
  actionForm,
  type FieldFiller,
  input,
  makeFieldFiller,
  parseLines,
  parseNumber,
  parseText,
  queryForm,
  readFilledFields,
  type SelectOption,
  select,
  textArea
} from "./form-fields.ts"
import { type FailedSubmission, makeHostPage } from "./host-page.ts"
import { formatDay, section } from "./page-parts.ts"
import { findBlockers, limitProperties, propertyOption } from "./stay/stay-labels.ts"
import { decodeQuote, quoteTable } from "./stay-quote.ts"
import { NEW_RESERVATION_PATH, stayUrl } from "./urls.ts"

const CREATE_ACTION = "create"
const QUOTE_ACTION = "quote"

export const makeNewReservationPage = Effect.gen(function* () {
  const [service, properties] = [yield* Service, yield* OfferedProperties]
  const mutate = makeMutation(service)
  const queryChannels = makeQuery(service, query_custom_channels)
  const queryIncomeMethods = makeQuery(service, query_income_methods)
  const loadChoices = Effect.fnUntraced(function* (visit: SignedInVisit) {
    const { custom_channels } = yield* queryChannels(visit, {})
    const { income_methods } = yield* queryIncomeMethods(visit, {})
    return { channels: custom_channels.map(toOption), methods: income_methods.map(toOption) }
  })
  return makeHostPage({
    path: NEW_RESERVATION_PATH,
    show: (visit, failedSubmission) =>
      Effect.gen(function* () {
        const prefilled = readPrefilledStay(visit, failedSubmission)
        const { properties: limitedProperties, truncationNote } = limitProperties(
          yield* properties.of(prefilled.nights)
        )
        const options = {
          ...(yield* loadChoices(visit)),
          properties: limitedProperties.map((property) => propertyOption(property)),
          currency: limitedProperties.find(({ id }) => String(id) === prefilled.property)?.currency
        }
        return {
          title: "Enter a reservation",
          body: html`${section("Are the nights free?", html`${availabilityForm(prefilled, options.properties)}${truncationNote}${availabilityText(prefilled, limitedProperties)}`)}
${section("What does the stay cost?", quoteForm(visit, failedSubmission, prefilled, options.properties))}
${section("The reservation", html`${reservationForm(visit, failedSubmission, prefilled, options)}<p class="soft">The guest is not told. The nights are taken on every channel at once.</p>`)}`
        }
      }),
    actions: {
      [QUOTE_ACTION]: {
        doneMessage: "This quote is no longer shown. Get a new quote.",
        run: (visit, form) =>
          Effect.gen(function* () {
            const quote = decodeQuote(yield* mutate(visit, form, "create_quote", readFilledFields(form, QUOTE_PARSERS)))
            const bookingForm = quote.bookable
              ? reservationForm(visit, undefined, toQuotedStay(form, quote.quote_id), {
                  ...(yield* loadChoices(visit)),
                  properties: [],
                  currency: quote.currency
                })
              : nothing
            return { _tag: "Told" as const, html: section("Quote", html`${quoteTable(quote)}${bookingForm}`) }
          })
      },
      [CREATE_ACTION]: {
        doneMessage: "The reservation is entered.",
        run: (visit, form) =>
          Effect.map(mutate(visit, form, "create_reservation", readFilledFields(form, FIELD_PARSERS)), (created) => ({
            _tag: "GoOn" as const,
            url: stayUrl(decodeCreatedReservation(created).reservation_code),
            doneKey: "entered"
          }))
      }
    }
  })
})

const decodeCreatedReservation = Schema.decodeUnknownSync(Schema.Struct({ reservation_code: Schema.String }))

const toOption = ({ id, name }: { readonly id: number; readonly name: string }): SelectOption => ({
  value: id,
  label: name
})

const FIELD_PARSERS = {
  property_id: parseNumber,
  check_in_date: parseText,
  check_out_date: parseText,
  guest_name: parseText,
  number_of_guests: parseNumber,
  custom_channel_id: parseNumber,
  rate_amount: parseNumber,
  commission_amount: parseNumber,
  currency: parseText,
  received_amount: parseNumber,
  income_method_id: parseNumber,
  email: parseText,
  mobile: parseText,
  remarks: parseLines,
  quote_id: parseText
}

const QUOTE_PARSERS = {
  property_id: parseNumber,
  check_in_date: parseText,
  check_out_date: parseText,
  number_of_guests: parseNumber
}

interface PrefilledStay {
  readonly property: string
  readonly check_in_date: string
  readonly check_out_date: string
  readonly nights: { readonly from: string; readonly before: string } | undefined
  /** Quote that sets the property, dates, guests and price of the reservation. */
  readonly quote?: { readonly quote_id: string; readonly number_of_guests: string } | undefined
}

const toQuotedStay = (form: SubmittedForm, quote_id: string): PrefilledStay => ({
  property: form.get("property_id") ?? "",
  check_in_date: form.get("check_in_date") ?? "",
  check_out_date: form.get("check_out_date") ?? "",
  nights: undefined,
  quote: { quote_id, number_of_guests: form.get("number_of_guests") ?? "" }
})

const readPrefilledStay = ({ query }: SignedInVisit, failedSubmission: FailedSubmission | undefined): PrefilledStay => {
  const form = failedSubmission?.form
  const property = form?.get("property_id") ?? query.get("property") ?? ""
  const check_in_date = form?.get("check_in_date") ?? query.get("check_in_date") ?? ""
  const check_out_date = form?.get("check_out_date") ?? query.get("check_out_date") ?? ""
  const isValidRange = isCalendarDate(check_in_date) && isCalendarDate(check_out_date) && check_in_date < check_out_date
  const nights = isValidRange ? { from: check_in_date, before: check_out_date } : undefined
  const quote_id = form?.get("quote_id") ?? ""
  const quote = quote_id === "" ? undefined : { quote_id, number_of_guests: form?.get("number_of_guests") ?? "" }
  return { property, check_in_date, check_out_date, nights, quote }
}

const stayFields = (
  fillField: FieldFiller,
  prefilled: PrefilledStay,
  properties: ReadonlyArray<SelectOption>,
  name: "property" | "property_id"
): Html =>
  html`${select(fillField, { name, label: "Property", value: prefilled.property, options: properties, emptyLabel: "Choose a property", isRequired: true })}
${input(fillField, { name: "check_in_date", label: "Arrives", type: "date", value: prefilled.check_in_date, isRequired: true })}
${input(fillField, { name: "check_out_date", label: "Leaves", type: "date", value: prefilled.check_out_date, isRequired: true })}`

const useDefault: FieldFiller = (_name, defaultValue) => defaultValue

const availabilityForm = (prefilled: PrefilledStay, properties: ReadonlyArray<SelectOption>): Html =>
  queryForm(NEW_RESERVATION_PATH, stayFields(useDefault, prefilled, properties, "property"), "Look")

const availabilityText = (
  { property, nights }: PrefilledStay,
  limitedProperties: ReadonlyArray<OfferedProperty>
): Html => {
  if (nights === undefined)
    return html`<p class="soft">With both days it says beside each property what is in the way.</p>`
  const days = `${formatDay(nights.from)} to ${formatDay(nights.before)}`
  const selectedProperty = limitedProperties.find(({ id }) => String(id) === property)
  if (selectedProperty === undefined)
    return html`<p class="soft">For ${days} it says beside each property what is in the way.</p>`
  const { blockers, warnings } = findBlockers(selectedProperty)
  const noteParagraphs = warnings.map((label) => html`<p class="soft">${label}</p>`)
  return blockers.length === 0
    ? html`<p class="message done">${selectedProperty.title} is free from ${days}.</p>${noteParagraphs}`
    : html`<div class="message note"><p><strong>${selectedProperty.title} is not free from ${days}.</strong></p>
<ul>${blockers.map((label) => html`<li>${label}</li>`)}</ul></div>${noteParagraphs}`
}

const quoteForm = (
  visit: SignedInVisit,
  failedSubmission: FailedSubmission | undefined,
  prefilled: PrefilledStay,
  properties: ReadonlyArray<SelectOption>
): Html => {
  const fillField = makeFieldFiller(failedSubmission, QUOTE_ACTION)
  return html`<p class="soft">A quote adds the fees and taxes of the property to its base prices. It does not block the nights.</p>
${actionForm(visit, {
  action: QUOTE_ACTION,
  label: "Get quote",
  isInline: true,
  fields: html`${stayFields(fillField, prefilled, properties, "property_id")}${guestCountField(fillField)}`
})}`
}

const guestCountField = (fillField: FieldFiller): Html =>
  input(fillField, {
    name: "number_of_guests",
    label: "How many guests",
    type: "number",
    min: 1,
    max: GUESTS_MAX,
    value: "1"
  })

interface ReservationFormOptions {
  /** Undefined without a chosen property. */
  readonly currency: string | undefined
  readonly properties: ReadonlyArray<SelectOption>
  readonly channels: ReadonlyArray<SelectOption>
  readonly methods: ReadonlyArray<SelectOption>
}

const DIRECT_CHANNEL_LABEL = "Direct"
/** Id of the built-in payment method "Cash", which hosts may rename. */
const CASH_METHOD_ID = 197

const findOptionValue = (options: ReadonlyArray<SelectOption>, label: string): string | number =>
  options.find((option) => option.label === label)?.value ?? ""

const chooseDefaultMethod = (incomeMethods: ReadonlyArray<SelectOption>) =>
  incomeMethods.some(({ value }) => value === CASH_METHOD_ID)
    ? { value: CASH_METHOD_ID }
    : { emptyLabel: "Choose", isRequired: true }

const reservationForm = (
  visit: SignedInVisit,
  failedSubmission: FailedSubmission | undefined,
  prefilled: PrefilledStay,
  options: ReservationFormOptions
): Html => {
  const fillField = makeFieldFiller(failedSubmission, CREATE_ACTION)
  const { quote } = prefilled
  const stay =
    quote === undefined
      ? html`${stayFields(fillField, prefilled, options.properties, "property_id")}${guestCountField(fillField)}`
      : html`<p class="soft">The reservation gets the property, dates, guests and price of the quote.</p>
${hiddenFields({ property_id: prefilled.property, check_in_date: prefilled.check_in_date, check_out_date: prefilled.check_out_date, ...quote })}`
  return actionForm(visit, {
    action: CREATE_ACTION,
    label: quote === undefined ? "Enter it" : "Book with this quote",
    fields: html`${stay}
${input(fillField, { name: "guest_name", label: "Guest", maxlength: GUEST_NAME_LENGTH, isRequired: true })}
${select(fillField, { name: "custom_channel_id", label: "Came by", options: options.channels, value: findOptionValue(options.channels, DIRECT_CHANNEL_LABEL) })}
${quote === undefined ? priceFields(fillField, options.currency ?? visit.session.person.caller.currency) : nothing}
${input(fillField, { ...AMOUNT_INPUT, name: "received_amount", label: "Received already", value: "0" })}
${select(fillField, { name: "income_method_id", label: "Received by", options: options.methods, ...chooseDefaultMethod(options.methods) })}
${input(fillField, { name: "email", label: "E-mail", type: "email", maxlength: EMAIL_LENGTH })}
${input(fillField, { name: "mobile", label: "Phone", type: "tel", maxlength: GUEST_PHONE_LENGTH })}
${textArea(fillField, { name: "remarks", label: "Remarks", hint: "for yourself", maxlength: RESERVATION_REMARKS_LENGTH })}`
  })
}

const AMOUNT_INPUT = { type: "number", min: 0, max: AMOUNT_MAX, step: "any", isRequired: true } as const

const priceFields = (fillField: FieldFiller, currency: string): Html =>
  html`${input(fillField, { ...AMOUNT_INPUT, name: "rate_amount", label: "Price of the whole stay", hint: "with the commission, if there is one" })}
${input(fillField, { ...AMOUNT_INPUT, name: "commission_amount", label: "Commission in it", value: "0" })}
${input(fillField, { name: "currency", label: "Currency", value: currency, maxlength: 3, isRequired: true })}`

const hiddenFields = (values: Readonly<Record<string, string>>): Html =>
  html`${Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`
