import {
  AMOUNT_MAX,
  EMAIL,
  GUEST_NAME,
  GUEST_PHONE,
  GUESTS_MAX,
  RESERVATION_REMARKS
} from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { area, asLines, asNumber, asText, filling, formOf, input, select } from "../fields.ts"
import { dayText, section } from "../parts.ts"
import { behindAct, isByHand, isOver, type Seen } from "./seen.ts"
import { wayShown } from "./way.ts"
import { offeredOf, propertyOption, reasonsOf } from "./words.ts"

// What can be changed of a stay itself: who comes, when, at what price, and where to.

/** How the form's fields become those of `update_reservation_basic`, which have the same names. */
export const BASICS = {
  guest_name: asText,
  number_of_guests: asNumber,
  mobile: asText,
  email: asText,
  remarks: asLines,
  custom_channel_id: asNumber,
  currency: asText,
  rate_amount: asNumber,
  commission_amount: asNumber
}

export const DATES = { check_in_date: asText, check_out_date: asText }

export const change = (seen: Seen): Html =>
  section("Change it", html`${basics(seen)}${dates(seen)}${place(seen)}${channelsOwn(seen)}`, "change")

const channelsOwn = (seen: Seen): Html =>
  isByHand(seen)
    ? nothing
    : html`<p class="soft">Its days, its price and its cancellation are the channel's: change them there, and they change here.</p>
`

const basics = (seen: Seen): Html => {
  const { visit, notTaken, stay } = seen
  const fill = filling(notTaken, "change")
  const edited = true
  return behindAct(
    seen,
    "change",
    isByHand(seen) ? "Guest, contact, price, remarks" : "Guest, contact, remarks",
    formOf(visit, {
      act: "change",
      button: "Save",
      fields: html`${input(fill, { name: "guest_name", label: "Guest", value: stay.guest_name ?? "", maxlength: GUEST_NAME, edited })}
${input(fill, { name: "number_of_guests", label: "How many guests", type: "number", min: 1, max: GUESTS_MAX, value: String(stay.number_of_guests), edited })}
${input(fill, { name: "mobile", label: "Phone", type: "tel", value: stay.guest_phone ?? "", maxlength: GUEST_PHONE, edited })}
${input(fill, { name: "email", label: "E-mail", type: "email", value: stay.guest_email ?? "", maxlength: EMAIL, edited })}
${isByHand(seen) ? priceFields(seen) : nothing}${area(fill, { name: "remarks", label: "Remarks", hint: "for yourself", value: stay.remarks, maxlength: RESERVATION_REMARKS, edited })}`
    })
  )
}

const priceFields = ({ notTaken, stay, channels }: Seen): Html => {
  const fill = filling(notTaken, "change")
  const { rate, commission } = stay.rates
  const amount = { type: "number", min: 0, max: AMOUNT_MAX, step: "any", edited: true } as const
  return html`${input(fill, { ...amount, name: "rate_amount", label: "Price of this stay", hint: "with the commission", value: String(rate.amount) })}
${input(fill, { ...amount, name: "commission_amount", label: "Commission in it", value: commission === null ? "" : String(commission.amount) })}
${input(fill, { name: "currency", label: "Currency", value: rate.currency, maxlength: 3, edited: true })}
${stay.custom_channel === null ? nothing : select(fill, { name: "custom_channel_id", label: "Came by", value: stay.custom_channel.id, options: channels, edited: true })}`
}

const dates = (seen: Seen): Html => {
  const { visit, notTaken, stay } = seen
  if (!isByHand(seen) || isOver(seen)) return nothing
  const fill = filling(notTaken, "dates")
  return behindAct(
    seen,
    "dates",
    "Other days",
    html`${roomWords(seen)}${formOf(visit, {
      act: "dates",
      button: "Change the days",
      fields: html`${input(fill, { name: "check_in_date", label: "Arrives", type: "date", value: stay.check_in_date, required: true, edited: true })}
${input(fill, { name: "check_out_date", label: "Leaves", type: "date", value: stay.check_out_date, required: true, edited: true })}`
    })}`
  )
}

/** How far it could grow where it is. */
const roomWords = ({ stay, beside: { free_from, free_until } }: Seen): Html => {
  if (stay.in_reservation_box)
    return html`<p>It is in no property, so nothing is in the way of other days.</p>
`
  if (free_from === null && free_until === null)
    return html`<p>Its property is free before and after it.</p>
`
  const since = free_from === null ? "" : ` from ${dayText(free_from)}`
  const until = free_until === null ? "" : ` until ${dayText(free_until)}`
  return html`<p>But for this stay, its property is free${since}${until}.</p>
`
}

const place = (seen: Seen): Html => {
  const { stay, notTaken, visit, beside } = seen
  if (isOver(seen)) return nothing
  const holds = stay.status === "accepted"
  const { offered, more } = offeredOf(beside.properties)
  const elsewhere = offered.filter(({ id }) => id !== stay.property_id)
  const fill = filling(notTaken, "allocate")
  return behindAct(
    seen,
    "allocate",
    stay.in_reservation_box ? "Into a property" : "Into another property",
    html`${
      holds
        ? html`<p>A stay that holds one of its nights there goes into the box in its place. Nights that are busy in a calendar elsewhere cannot be taken.</p>
`
        : html`<p>It holds no nights yet, so it moves nobody.</p>
`
    }${formOf(visit, {
      act: "allocate",
      button: "Move it there",
      fields: html`<input type="hidden" name="way" value="${wayShown(elsewhere)}">${select(fill, {
        name: "property_id",
        label: "Property",
        none: "Choose a property",
        required: true,
        options: elsewhere.map((property) =>
          propertyOption(property, (names) => (holds ? `${names} would go into the box` : `taken by ${names}`))
        )
      })}`
    })}${more}${
      stay.in_reservation_box
        ? nothing
        : formOf(visit, {
            act: "box",
            button: "Into the box",
            kind: "plain",
            fields: html`<p>In the box it is in no property, and its nights can be sold again.</p>
`
          })
    }`
  )
}

/** What stands in the way of a request where it is. */
export const requestReasons = ({ stay, beside }: Seen): ReadonlyArray<string> => {
  const there = beside.properties.find(({ id }) => id === stay.property_id)
  return there === undefined ? [] : reasonsOf(there).against
}
