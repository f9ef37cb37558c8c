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
import { type Html, html } from "../../docs/html.ts"
import { OfferedProperties } from "../queries/OfferedProperties.ts"
import type { OfferedProperty } from "../queries/property-conflicts.ts"
import type { SignedInVisit } from "../visit.ts"
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
import { type FailedSubmission, makeHostPage, readSubmittedAction } from "./host-page.ts"
import { formatDay, section } from "./page-parts.ts"
import { findBlockers, limitProperties, propertyOption } from "./stay/stay-labels.ts"
import { NEW_RESERVATION_PATH, stayUrl } from "./urls.ts"

const CREATE_ACTION = "create"

export const makeNewReservationPage = Effect.gen(function* () {
  const [service, properties] = [yield* Service, yield* OfferedProperties]
  const mutate = makeMutation(service)
  const queryChannels = makeQuery(service, query_custom_channels)
  const queryIncomeMethods = makeQuery(service, query_income_methods)
  return makeHostPage({
    path: NEW_RESERVATION_PATH,
    show: (visit, failedSubmission) =>
      Effect.gen(function* () {
        const prefilled = readPrefilledStay(visit, failedSubmission)
        const { properties: limitedProperties, truncationNote } = limitProperties(
          yield* properties.of(prefilled.nights)
        )
        const { custom_channels } = yield* queryChannels(visit, {})
        const { income_methods } = yield* queryIncomeMethods(visit, {})
        const options = {
          properties: limitedProperties.map((property) => propertyOption(property)),
          channels: custom_channels.map(toOption),
          methods: income_methods.map(toOption)
        }
        return {
          title: "Enter a reservation",
          body: html`${section("Are the nights free?", html`${availabilityForm(prefilled, options.properties)}${truncationNote}${availabilityText(prefilled, limitedProperties)}`)}
${section("The reservation", html`${reservationForm(visit, failedSubmission, prefilled, options)}<p class="soft">The guest is not told. The nights are taken on every channel at once.</p>`)}`
        }
      }),
    actions: {
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
  remarks: parseLines
}

interface PrefilledStay {
  readonly property: string
  readonly check_in_date: string
  readonly check_out_date: string
  readonly nights: { readonly from: string; readonly before: string } | undefined
}

const readPrefilledStay = ({ query }: SignedInVisit, failedSubmission: FailedSubmission | undefined): PrefilledStay => {
  const form =
    failedSubmission !== undefined && readSubmittedAction(failedSubmission) === CREATE_ACTION
      ? failedSubmission.form
      : undefined
  const property = form?.get("property_id") ?? query.get("property") ?? ""
  const check_in_date = form?.get("check_in_date") ?? query.get("check_in_date") ?? ""
  const check_out_date = form?.get("check_out_date") ?? query.get("check_out_date") ?? ""
  const isValidRange = isCalendarDate(check_in_date) && isCalendarDate(check_out_date) && check_in_date < check_out_date
  const nights = isValidRange ? { from: check_in_date, before: check_out_date } : undefined
  return { property, check_in_date, check_out_date, nights }
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

interface ReservationFormOptions {
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
  const amount = { type: "number", min: 0, max: AMOUNT_MAX, step: "any", isRequired: true } as const
  return actionForm(visit, {
    action: CREATE_ACTION,
    label: "Enter it",
    fields: html`${stayFields(fillField, prefilled, options.properties, "property_id")}
${input(fillField, { name: "guest_name", label: "Guest", maxlength: GUEST_NAME_LENGTH, isRequired: true })}
${input(fillField, { name: "number_of_guests", label: "How many guests", type: "number", min: 1, max: GUESTS_MAX, value: "1" })}
${select(fillField, { name: "custom_channel_id", label: "Came by", options: options.channels, value: findOptionValue(options.channels, DIRECT_CHANNEL_LABEL) })}
${input(fillField, { ...amount, name: "rate_amount", label: "Price of the whole stay", hint: "with the commission, if there is one" })}
${input(fillField, { ...amount, name: "commission_amount", label: "Commission in it", value: "0" })}
${input(fillField, { name: "currency", label: "Currency", value: visit.session.person.caller.currency, maxlength: 3, isRequired: true })}
${input(fillField, { ...amount, name: "received_amount", label: "Received already", value: "0" })}
${select(fillField, { name: "income_method_id", label: "Received by", options: options.methods, ...chooseDefaultMethod(options.methods) })}
${input(fillField, { name: "email", label: "E-mail", type: "email", maxlength: EMAIL_LENGTH })}
${input(fillField, { name: "mobile", label: "Phone", type: "tel", maxlength: GUEST_PHONE_LENGTH })}
${textArea(fillField, { name: "remarks", label: "Remarks", hint: "for yourself", maxlength: RESERVATION_REMARKS_LENGTH })}`
  })
}
