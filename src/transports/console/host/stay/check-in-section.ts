import type { Schema } from "effect"
import { AMOUNT_MAX, LOCK_CODE_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import { actionForm, input, makeFieldFiller, select } from "../form-fields.ts"
import { nullIfEmpty, parseNumber, parseText } from "../form-values.ts"
import { fact, moneyHtml, section } from "../page-parts.ts"
import { actionDisclosure, type StayView } from "./stay-view.ts"

/** Returns an invalid time unchanged, so that the operation reports it. */
const parseClockTime = (text: string): Schema.Json => {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})(?::\d{2})?$/.exec(text.trim()) ?? []
  return hour === undefined ? text : { hour: Number(hour), minute: Number(minute) }
}

export const CHECK_IN_PARSERS = {
  lock_code: nullIfEmpty(parseText),
  lock_code_visible_after: nullIfEmpty(parseText),
  arrival_at: nullIfEmpty(parseClockTime),
  departure_at: nullIfEmpty(parseClockTime),
  deposit: nullIfEmpty(parseNumber),
  id_required: parseText
}

const DOCUMENT_OPTIONS = [
  { value: "not_required", label: "Not required" },
  { value: "required", label: "Required" },
  { value: "required_with_review", label: "Required, you review them" }
]

const formatClockTime = (time: { readonly hour: number; readonly minute: number } | null): string =>
  time === null ? "" : `${String(time.hour).padStart(2, "0")}:${String(time.minute).padStart(2, "0")}`

const doorCodeText = ({ stay: { check_in_details } }: StayView): string => {
  const { lock_code, lock_code_visible_after } = check_in_details
  if (lock_code === null) return "None yet"
  return lock_code_visible_after === null
    ? lock_code
    : `${lock_code}, shown to the guest from ${lock_code_visible_after}`
}

export const checkInSection = (view: StayView): Html => {
  const { visit, failedSubmission, stay } = view
  const { lock_code, lock_code_visible_after, arrival_at, departure_at, deposit, id_required } = stay.check_in_details
  const fillField = makeFieldFiller(failedSubmission, "check_in")
  const isEdit = true
  return section(
    "Check-in details",
    html`<dl class="facts">
${fact("Door code", doorCodeText(view))}${fact("Arrival time", formatClockTime(arrival_at))}${fact("Departure time", formatClockTime(departure_at))}${fact("Deposit", deposit === null ? null : moneyHtml(String(deposit), visit.session.person.caller.currency))}${fact("ID documents", DOCUMENT_OPTIONS.find(({ value }) => value === id_required)?.label)}</dl>
${actionDisclosure(
  view,
  "check_in",
  "Edit check-in details",
  actionForm(visit, {
    action: "check_in",
    label: "Save",
    fields: html`${input(fillField, { name: "lock_code", label: "Door code", hint: "shown to the guest, not sent to the lock", value: lock_code ?? "", maxlength: LOCK_CODE_LENGTH, isEdit })}
${input(fillField, { name: "lock_code_visible_after", label: "Show door code from", hint: "on the check-in day; empty: all day", type: "time", value: lock_code_visible_after ?? "", isEdit })}
${input(fillField, { name: "arrival_at", label: "Arrival time", type: "time", value: formatClockTime(arrival_at), isEdit })}
${input(fillField, { name: "departure_at", label: "Departure time", type: "time", value: formatClockTime(departure_at), isEdit })}
${input(fillField, { name: "deposit", label: "Deposit", hint: `in ${visit.session.person.caller.currency}`, type: "number", min: 0, max: AMOUNT_MAX, step: 1, value: deposit === null ? "" : String(deposit), isEdit })}
${select(fillField, { name: "id_required", label: "ID documents", value: id_required, options: DOCUMENT_OPTIONS, isEdit })}`
  })
)}`,
    "check_in"
  )
}
