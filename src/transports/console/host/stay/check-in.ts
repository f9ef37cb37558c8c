import type { Schema } from "effect"
import { AMOUNT_MAX, LOCK_CODE } from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import { asNumber, asText, filling, formOf, input, orNull, select } from "../fields.ts"
import { section } from "../parts.ts"
import { behindAct, type Seen } from "./seen.ts"

// How the guest of a stay gets in.

/** A time on the property's clock; what is none goes on as it is, and the operation says so. */
const asClock = (text: string): Schema.Json => {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})(?::\d{2})?$/.exec(text.trim()) ?? []
  return hour === undefined ? text : { hour: Number(hour), minute: Number(minute) }
}

/** How the form's fields become those of `update_check_in_details`, which have the same names. */
export const CHECK_IN = {
  lock_code: orNull(asText),
  lock_code_visible_after: orNull(asText),
  arrival_at: orNull(asClock),
  departure_at: orNull(asClock),
  deposit: orNull(asNumber),
  id_required: asText
}

const DOCUMENTS = [
  { value: "not_required", words: "not asked for" },
  { value: "required", words: "asked for" },
  { value: "required_with_review", words: "asked for, and looked at by you" }
]

const clockText = (time: { readonly hour: number; readonly minute: number } | null): string =>
  time === null ? "" : `${String(time.hour).padStart(2, "0")}:${String(time.minute).padStart(2, "0")}`

export const checkIn = (seen: Seen): Html => {
  const { visit, notTaken, stay } = seen
  const { lock_code, lock_code_visible_after, arrival_at, departure_at, deposit, id_required } = stay.check_in_details
  const fill = filling(notTaken, "check_in")
  const edited = true
  return section(
    "Check-in",
    html`<dl class="facts"><dt>Door code</dt><dd>${lock_code ?? "none"}</dd><dt>Documents</dt><dd>${DOCUMENTS.find(({ value }) => value === id_required)?.words ?? ""}</dd></dl>
${behindAct(
  seen,
  "check_in",
  "Change the check-in",
  formOf(visit, {
    act: "check_in",
    button: "Save the check-in",
    fields: html`${input(fill, { name: "lock_code", label: "Door code", hint: "kept here, not sent to the lock", value: lock_code ?? "", maxlength: LOCK_CODE, edited })}
${input(fill, { name: "lock_code_visible_after", label: "Shown to the guest from", hint: "on the day of arrival; empty: all day", type: "time", value: lock_code_visible_after ?? "", edited })}
${input(fill, { name: "arrival_at", label: "Time of arrival", type: "time", value: clockText(arrival_at), edited })}
${input(fill, { name: "departure_at", label: "Time of departure", type: "time", value: clockText(departure_at), edited })}
${input(fill, { name: "deposit", label: "Deposit", hint: "in your own currency", type: "number", min: 0, max: AMOUNT_MAX, step: 1, value: deposit === null ? "" : String(deposit), edited })}
${select(fill, { name: "id_required", label: "Identity documents", value: id_required, options: DOCUMENTS, edited })}`
  })
)}`,
    "check_in"
  )
}
