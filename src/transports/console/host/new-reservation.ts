import { Effect, Schema } from "effect"
import { isCalendarDate } from "../../../contract/fields.ts"
import { query_custom_channels } from "../../../domain/channels/custom-channels/contract.ts"
import { query_income_methods } from "../../../domain/money/contract.ts"
import {
  AMOUNT_MAX,
  EMAIL,
  GUEST_NAME,
  GUEST_PHONE,
  GUESTS_MAX,
  RESERVATION_REMARKS
} from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html } from "../../docs/html.ts"
import type { OfferedProperty } from "../queries/in-the-way.ts"
import { OfferedProperties } from "../queries/OfferedProperties.ts"
import type { SignedInVisit } from "../visit.ts"
import { NEW_RESERVATION_PATH, stayAddress } from "./addresses.ts"
import { making, reading } from "./asking.ts"
import {
  area,
  asLines,
  asNumber,
  asText,
  type Fill,
  filling,
  formOf,
  givenIn,
  input,
  lookingForm,
  type Option,
  select
} from "./fields.ts"
import { actOf, hostPage, type NotTaken } from "./page.ts"
import { dayText, section } from "./parts.ts"
import { offeredOf, propertyOption, reasonsOf } from "./stay/words.ts"

const CREATE = "create"

/** A reservation entered by hand; it says beforehand whether its nights are free. */
export const makeNewReservationPage = Effect.gen(function* () {
  const [service, properties] = [yield* Service, yield* OfferedProperties]
  const make = making(service)
  const channels = reading(service, query_custom_channels)
  const methods = reading(service, query_income_methods)
  return hostPage({
    path: NEW_RESERVATION_PATH,
    show: (visit, notTaken) =>
      Effect.gen(function* () {
        const { operatorId } = visit.session.person.caller
        const known = knownIn(visit, notTaken)
        const { offered, more } = offeredOf(yield* properties.of(operatorId, known.nights))
        const { custom_channels } = yield* channels(visit, {})
        const { income_methods } = yield* methods(visit, {})
        const options = {
          properties: offered.map((property) => propertyOption(property)),
          channels: custom_channels.map(optionOf),
          methods: income_methods.map(optionOf)
        }
        return {
          title: "Enter a reservation",
          body: html`${section("Are the nights free?", html`${nightsForm(known, options.properties)}${more}${freeWords(known, offered)}`)}
${section("The reservation", html`${createForm(visit, notTaken, known, options)}<p class="soft">The guest is not told. The nights are taken on every channel at once.</p>`)}`
        }
      }),
    acts: {
      [CREATE]: {
        done: "The reservation is entered.",
        run: (visit, form) =>
          Effect.map(make(visit, form, "create_reservation", givenIn(form, READINGS)), (made) => ({
            _tag: "GoOn" as const,
            to: stayAddress(codeOf(made).reservation_code),
            done: "entered"
          }))
      }
    }
  })
})

const codeOf = Schema.decodeUnknownSync(Schema.Struct({ reservation_code: Schema.String }))

const optionOf = ({ id, name }: { readonly id: number; readonly name: string }): Option => ({ value: id, words: name })

/** How the fields of the form become those of the operation, which have the same names. */
const READINGS = {
  property_id: asNumber,
  check_in_date: asText,
  check_out_date: asText,
  guest_name: asText,
  number_of_guests: asNumber,
  custom_channel_id: asNumber,
  rate_amount: asNumber,
  commission_amount: asNumber,
  currency: asText,
  received_amount: asNumber,
  income_method_id: asNumber,
  email: asText,
  mobile: asText,
  remarks: asLines
}

/** What is known of where and when, by the form that was just not taken or else by the address. */
interface Known {
  readonly property: string
  readonly check_in_date: string
  readonly check_out_date: string
  readonly nights: { readonly from: string; readonly before: string } | undefined
}

const knownIn = ({ query }: SignedInVisit, notTaken: NotTaken | undefined): Known => {
  const form = notTaken !== undefined && actOf(notTaken) === CREATE ? notTaken.form : undefined
  const property = form?.get("property_id") ?? query.get("property") ?? ""
  const check_in_date = form?.get("check_in_date") ?? query.get("check_in_date") ?? ""
  const check_out_date = form?.get("check_out_date") ?? query.get("check_out_date") ?? ""
  const areDays = isCalendarDate(check_in_date) && isCalendarDate(check_out_date) && check_in_date < check_out_date
  const nights = areDays ? { from: check_in_date, before: check_out_date } : undefined
  return { property, check_in_date, check_out_date, nights }
}

const whereAndWhen = (
  fill: Fill,
  known: Known,
  properties: ReadonlyArray<Option>,
  name: "property" | "property_id"
): Html =>
  html`${select(fill, { name, label: "Property", value: known.property, options: properties, none: "Choose a property", required: true })}
${input(fill, { name: "check_in_date", label: "Arrives", type: "date", value: known.check_in_date, required: true })}
${input(fill, { name: "check_out_date", label: "Leaves", type: "date", value: known.check_out_date, required: true })}`

const asItIs: Fill = (_name, otherwise) => otherwise

const nightsForm = (known: Known, properties: ReadonlyArray<Option>): Html =>
  lookingForm(NEW_RESERVATION_PATH, whereAndWhen(asItIs, known, properties, "property"), "Look")

/** Whether the nights are free where they are asked for, and else what is in the way. */
const freeWords = ({ property, nights }: Known, offered: ReadonlyArray<OfferedProperty>): Html => {
  if (nights === undefined)
    return html`<p class="soft">With both days it says beside each property what is in the way.</p>`
  const days = `${dayText(nights.from)} to ${dayText(nights.before)}`
  const chosen = offered.find(({ id }) => String(id) === property)
  if (chosen === undefined)
    return html`<p class="soft">For ${days} it says beside each property what is in the way.</p>`
  const { against, note } = reasonsOf(chosen)
  const others = note.map((words) => html`<p class="soft">${words}</p>`)
  return against.length === 0
    ? html`<p class="message done">${chosen.title} is free from ${days}.</p>${others}`
    : html`<div class="message note"><p><strong>${chosen.title} is not free from ${days}.</strong></p>
<ul>${against.map((words) => html`<li>${words}</li>`)}</ul></div>${others}`
}

interface Options {
  readonly properties: ReadonlyArray<Option>
  readonly channels: ReadonlyArray<Option>
  readonly methods: ReadonlyArray<Option>
}

const DIRECT = "Direct"
/** The built-in way that money is received by hand, whatever its host calls it. */
const CASH = 197

const idOf = (options: ReadonlyArray<Option>, words: string): string | number =>
  options.find((option) => option.words === words)?.value ?? ""

/** Cash, if it is still to be chosen: else the host says which. */
const receivedBy = (methods: ReadonlyArray<Option>) =>
  methods.some(({ value }) => value === CASH) ? { value: CASH } : { none: "Choose", required: true }

const createForm = (visit: SignedInVisit, notTaken: NotTaken | undefined, known: Known, options: Options): Html => {
  const fill = filling(notTaken, CREATE)
  const amount = { type: "number", min: 0, max: AMOUNT_MAX, step: "any", required: true } as const
  return formOf(visit, {
    act: CREATE,
    button: "Enter it",
    fields: html`${whereAndWhen(fill, known, options.properties, "property_id")}
${input(fill, { name: "guest_name", label: "Guest", maxlength: GUEST_NAME, required: true })}
${input(fill, { name: "number_of_guests", label: "How many guests", type: "number", min: 1, max: GUESTS_MAX, value: "1" })}
${select(fill, { name: "custom_channel_id", label: "Came by", options: options.channels, value: idOf(options.channels, DIRECT) })}
${input(fill, { ...amount, name: "rate_amount", label: "Price of the whole stay", hint: "with the commission, if there is one" })}
${input(fill, { ...amount, name: "commission_amount", label: "Commission in it", value: "0" })}
${input(fill, { name: "currency", label: "Currency", value: visit.session.person.caller.currency, maxlength: 3, required: true })}
${input(fill, { ...amount, name: "received_amount", label: "Received already", value: "0" })}
${select(fill, { name: "income_method_id", label: "Received by", options: options.methods, ...receivedBy(options.methods) })}
${input(fill, { name: "email", label: "E-mail", type: "email", maxlength: EMAIL })}
${input(fill, { name: "mobile", label: "Phone", type: "tel", maxlength: GUEST_PHONE })}
${area(fill, { name: "remarks", label: "Remarks", hint: "for yourself", maxlength: RESERVATION_REMARKS })}`
  })
}
