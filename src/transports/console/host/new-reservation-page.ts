import { Effect, Schema } from "effect"
import { query_custom_channels } from "../../../domain/channels/custom-channels/contract.ts"
import { query_income_methods } from "../../../domain/money/contract.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { OfferedProperties } from "../queries/OfferedProperties.ts"
import type { OfferedProperty } from "../queries/property-conflicts.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeMutation, makeQuery } from "./api-operations.ts"
import { describeConflict } from "./conflict-text.ts"
import { disclosure, makeFieldFiller, type SelectOption } from "./form-fields.ts"
import { readFilledFields } from "./form-values.ts"
import { type FailedSubmission, makeHostPage, readSubmittedAction } from "./host-page.ts"
import { formatDayRange, pluralize, section } from "./page-parts.ts"
import {
  type BookingChoices,
  bookingForm,
  CHECK_ACTION,
  CREATE_ACTION,
  QUOTE_ACTION,
  quotedBookingForm
} from "./reservations/booking-form.ts"
import { findPropertyOf, makeCreateReservation, QUOTE_PARSERS } from "./reservations/create-reservation.ts"
import { type PrefilledStay, readFormStay, readPrefilledStay } from "./reservations/prefilled-stay.ts"
import { limitProperties, propertyOption } from "./stay/stay-labels.ts"
import { decodeQuote, quoteTable } from "./stay-quote.ts"
import { NEW_RESERVATION_PATH, stayUrl } from "./urls.ts"

export const makeNewReservationPage = Effect.gen(function* () {
  const [service, properties] = [yield* Service, yield* OfferedProperties]
  const mutate = makeMutation(service)
  const createReservation = makeCreateReservation(mutate, properties)
  const queryChannels = makeQuery(service, query_custom_channels)
  const queryIncomeMethods = makeQuery(service, query_income_methods)
  const loadChoices = Effect.fnUntraced(function* (visit: SignedInVisit) {
    const { custom_channels } = yield* queryChannels(visit, {})
    const { income_methods } = yield* queryIncomeMethods(visit, {})
    return { channels: custom_channels.map(toOption), methods: income_methods.map(toOption) }
  })

  return makeHostPage({
    path: NEW_RESERVATION_PATH,
    show: Effect.fnUntraced(function* (visit, failedSubmission) {
      const prefilled = readPrefilledStay(visit, failedSubmission)
      const offered = limitProperties(yield* properties.of(prefilled.nights))
      const choices = yield* loadChoices(visit)
      return {
        title: "New reservation",
        body: renderBooking({ visit, failedSubmission, prefilled, choices, ...offered })
      }
    }),
    actions: {
      [CHECK_ACTION]: {
        doneMessage: "",
        run: () => Effect.succeed({ _tag: "Told" as const, html: nothing, keepsForm: true as const })
      },
      [QUOTE_ACTION]: {
        doneMessage: "This quote is no longer shown. Get a new quote.",
        run: Effect.fnUntraced(function* (visit, form) {
          const quote = decodeQuote(yield* mutate(visit, form, "create_quote", readFilledFields(form, QUOTE_PARSERS)))
          const prefilled = readFormStay(form)
          const quoted = {
            ...(yield* loadChoices(visit)),
            ...{ prefilled, quote, propertyTitle: (yield* findPropertyOf(properties, prefilled))?.title }
          }
          const fillField = makeFieldFiller({ form }, QUOTE_ACTION)
          return {
            _tag: "Told" as const,
            html: section(
              "Quote",
              html`${quoteTable(quote)}${quote.bookable ? quotedBookingForm(visit, fillField, quoted) : nothing}`
            ),
            keepsForm: true as const
          }
        })
      },
      [CREATE_ACTION]: {
        doneMessage: "Reservation saved.",
        run: Effect.fnUntraced(function* (visit, form) {
          const created = yield* createReservation(visit, form)
          return {
            _tag: "GoOn" as const,
            url: stayUrl(decodeCreatedReservation(created).reservation_code),
            doneKey: "entered"
          }
        })
      }
    }
  })
})

const decodeCreatedReservation = Schema.decodeUnknownSync(Schema.Struct({ reservation_code: Schema.String }))

const toOption = ({ id, name }: { readonly id: number; readonly name: string }): SelectOption => ({
  value: id,
  label: name
})

interface BookingView {
  readonly visit: SignedInVisit
  readonly failedSubmission: FailedSubmission | undefined
  readonly prefilled: PrefilledStay
  readonly choices: BookingChoices
  readonly properties: ReadonlyArray<OfferedProperty>
  readonly truncationNote: Html
}

const renderBooking = (view: BookingView): Html => {
  const { visit, failedSubmission, prefilled, choices, properties, truncationNote } = view
  const action = failedSubmission === undefined ? CREATE_ACTION : readSubmittedAction(failedSubmission)
  const fillField = makeFieldFiller(failedSubmission, action)
  const chosen = properties.find(({ id }) => String(id) === prefilled.property)
  if (prefilled.quote_id !== "" && action === CREATE_ACTION) {
    const quote = { quote_id: prefilled.quote_id }
    return section(
      "Quote",
      quotedBookingForm(visit, fillField, { ...choices, prefilled, quote, propertyTitle: chosen?.title })
    )
  }
  const form = bookingForm(visit, fillField, {
    ...choices,
    prefilled,
    properties: properties.map((property) => toPropertyOption(property, prefilled)),
    currency: chosen?.currency ?? visit.session.person.caller.currency,
    typedCurrency: readTypedCurrency(failedSubmission)
  })
  const isQuote = action === QUOTE_ACTION && failedSubmission?.error === undefined
  return isQuote
    ? disclosure("Change property, dates or price", form)
    : html`<section>
${failedSubmission?.error === undefined ? availabilityText(prefilled, chosen) : nothing}${form}${truncationNote}<p class="soft">The nights are blocked on every channel at once. The guest is not notified.</p>
</section>
`
}

const readTypedCurrency = (failedSubmission: FailedSubmission | undefined): string | undefined => {
  const currency = failedSubmission?.form.get("currency") ?? undefined
  return currency === failedSubmission?.form.get("was.currency") ? undefined : currency
}

/** A property that is not free cannot be chosen. The one that is chosen already is kept, so that its error is shown. */
const toPropertyOption = (property: OfferedProperty, { property: chosenId }: PrefilledStay): SelectOption => ({
  ...propertyOption(property),
  isDisabled: describeConflict(property) !== undefined && String(property.id) !== chosenId
})

const availabilityText = ({ nights }: PrefilledStay, property: OfferedProperty | undefined): Html => {
  if (nights === undefined)
    return html`<p class="soft">Choose both dates to see which properties are free.</p>
`
  const dates = formatDayRange(nights.from, nights.before)
  if (property === undefined)
    return html`<p class="soft">Properties that are not free on ${dates} cannot be chosen.</p>
`
  const conflict = describeConflict(property)
  if (conflict !== undefined)
    return html`<p class="message note">${conflict}</p>
`
  const blockedNote =
    property.closed === 0 ? "" : ` You blocked ${pluralize(property.closed, "night")}; you can book anyway.`
  return html`<p class="message done">${property.title} is free on ${dates}.${blockedNote}</p>
`
}
