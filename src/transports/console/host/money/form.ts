import { wallClockText } from "../../../../contract/time.ts"
import type { Direction, Transaction } from "../../../../domain/money/contract.ts"
import type { DictionaryEntry } from "../../../../domain/money/dictionaries.ts"
import { CODE, TRANSACTION_NOTE } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Choices } from "../../queries/EntryChoices.ts"
import type { SignedInVisit } from "../../visit.ts"
import {
  area,
  asLines,
  asNumber,
  asText,
  behind,
  type Fill,
  filling,
  formOf,
  input,
  type Option,
  select,
  withOwn
} from "../fields.ts"
import { hereWith, type NotTaken } from "../page.ts"
import { badge, historyLink, link, moneyOf, section } from "../parts.ts"
import type { MoneyAsked } from "./period.ts"

// The forms for an entry: a new one, and one that is there.

/** How what is filled in becomes what the operations take. */
export const CHANGEABLE = {
  amount: asNumber,
  item_id: asNumber,
  payment_method_id: asNumber,
  action_at: asText,
  note: asLines
}
export const NEW = {
  ...CHANGEABLE,
  direction: asText,
  property_id: asNumber,
  reservation_code: asText,
  currency: (text: string) => text.trim().toUpperCase()
}

const optionsOf = (entries: ReadonlyArray<DictionaryEntry>): ReadonlyArray<Option> =>
  entries.map(({ id, name }) => ({ value: id, words: name }))

/** What income and expense are called here. */
export const DIRECTIONS: Readonly<Record<Direction, { readonly one: string; readonly method: string }>> = {
  income: { one: "income", method: "Received by" },
  expense: { one: "expense", method: "Paid by" }
}

const backTo = (
  visit: SignedInVisit,
  field: string
): Html => html`<p>${link(hereWith(visit, { [field]: undefined }), "Back to the entries")}</p>
`

const onWhat = (fill: Fill, { properties }: Choices, { property, order }: MoneyAsked): Html => html`<fieldset>
<legend>What it is on: a property, a reservation, or neither, which is the business as a whole</legend>
${select(fill, {
  name: "property_id",
  label: "Property",
  value: order === undefined ? (property ?? "") : "",
  none: "No property",
  options: properties.map(({ id, title }) => ({ value: id, words: title }))
})}${input(fill, { name: "reservation_code", label: "Reservation", hint: "its code; several properties get their shares", value: order ?? "", maxlength: CODE })}</fieldset>
`

export const newEntry = (
  visit: SignedInVisit,
  direction: Direction,
  choices: Choices,
  asked: MoneyAsked,
  notTaken?: NotTaken
): Html => {
  const fill = filling(notTaken, "record")
  const { one, method } = DIRECTIONS[direction]
  return section(
    `A new ${one}`,
    html`${formOf(visit, {
      act: "record",
      button: `Record the ${one}`,
      fields: html`<input type="hidden" name="direction" value="${direction}">
${input(fill, { name: "amount", label: "Amount", type: "number", min: 0, step: "any", required: true })}${input(fill, {
  name: "currency",
  label: "Currency",
  hint: "of a reservation: its own",
  value: choices.currency ?? visit.session.person.caller.currency,
  maxlength: 3,
  required: true
})}${select(fill, { name: "item_id", label: "Category", options: optionsOf(choices.items) })}${select(fill, { name: "payment_method_id", label: method, options: optionsOf(choices.methods) })}${onWhat(fill, choices, asked)}${input(fill, { name: "action_at", label: "When", hint: "left empty: now; later than now: outstanding", type: "datetime-local" })}${area(fill, { name: "note", label: "Note", maxlength: TRANSACTION_NOTE })}`
    })}${backTo(visit, "add")}`
  )
}

const whatItIs = (entry: Transaction): Html => html`<dl class="facts">
<dt>Kind</dt><dd>${DIRECTIONS[entry.direction].one} ${entry.status === "outstanding" ? badge("outstanding", "wait") : badge("paid", "good")}</dd>
<dt>Amount</dt><dd>${moneyOf(entry.amount, entry.currency)}</dd>
<dt>On</dt><dd>${entry.reservation_code ?? entry.property_title ?? "the business as a whole"}</dd>
<dt>Entered by</dt><dd>${entry.operator_name}</dd>
</dl>
<p class="soft">Whether it is income or expense, its currency and what it is on stay as they are: delete it and enter another.</p>
`

export const oneEntry = (visit: SignedInVisit, entry: Transaction, choices: Choices, notTaken?: NotTaken): Html => {
  const fill = filling(notTaken, "change", entry.id)
  const when = wallClockText(new Date(entry.action_at), visit.session.person.caller.timeZone).slice(0, 16)
  const edited = true
  return section(
    "The entry",
    html`${whatItIs(entry)}${entry.status === "outstanding" ? formOf(visit, { act: "settle", button: "Mark as paid", id: entry.id }) : nothing}${formOf(
      visit,
      {
        act: "change",
        button: "Change it",
        id: entry.id,
        fields: html`${input(fill, { name: "amount", label: `Amount in ${entry.currency}`, type: "number", min: 0, step: "any", value: String(entry.amount), required: true, edited })}${select(fill, { name: "item_id", label: "Category", value: entry.item_id, options: withOwn(optionsOf(choices.items), entry.item_id, entry.item_name), edited })}${select(fill, { name: "payment_method_id", label: DIRECTIONS[entry.direction].method, value: entry.payment_method_id, options: withOwn(optionsOf(choices.methods), entry.payment_method_id, entry.payment_method_name), edited })}${input(fill, { name: "action_at", label: "When", type: "datetime-local", value: when.replace(" ", "T"), required: true, edited })}${area(fill, { name: "note", label: "Note", value: entry.note, maxlength: TRANSACTION_NOTE, edited })}`
      }
    )}${behind(
      "Delete the entry",
      formOf(visit, { act: "delete", button: "Delete it for good", kind: "danger", id: entry.id })
    )}${historyLink(`transaction:${entry.id}`)}${backTo(visit, "change")}`
  )
}
