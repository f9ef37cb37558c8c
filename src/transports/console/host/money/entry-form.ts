import { formatWallClock } from "../../../../contract/time.ts"
import type { Transaction, TransactionDirection } from "../../../../domain/money/contract.ts"
import type { DictionaryEntry } from "../../../../domain/money/dictionaries.ts"
import { RECORD_CODE_LENGTH, TRANSACTION_NOTE_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { TransactionChoices } from "../../queries/EntryChoices.ts"
import type { SignedInVisit } from "../../visit.ts"
import {
  actionForm,
  disclosure,
  type FieldFiller,
  input,
  makeFieldFiller,
  parseLines,
  parseNumber,
  parseText,
  type SelectOption,
  select,
  textArea,
  withCurrentOption
} from "../form-fields.ts"
import type { FailedSubmission } from "../host-page.ts"
import { activityLogLink, badge, link, moneyHtml, section } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import type { MoneyFilter } from "./money-filter.ts"

export const ENTRY_EDIT_PARSERS = {
  amount: parseNumber,
  item_id: parseNumber,
  payment_method_id: parseNumber,
  action_at: parseText,
  note: parseLines
}
export const ENTRY_CREATE_PARSERS = {
  ...ENTRY_EDIT_PARSERS,
  direction: parseText,
  property_id: parseNumber,
  reservation_code: parseText,
  currency: (text: string) => text.trim().toUpperCase()
}

const toOptions = (entries: ReadonlyArray<DictionaryEntry>): ReadonlyArray<SelectOption> =>
  entries.map(({ id, name }) => ({ value: id, label: name }))

export const DIRECTION_LABELS: Readonly<
  Record<TransactionDirection, { readonly noun: string; readonly methodLabel: string }>
> = {
  income: { noun: "income", methodLabel: "Received by" },
  expense: { noun: "expense", methodLabel: "Paid by" }
}

const backLink = (
  visit: SignedInVisit,
  queryField: string
): Html => html`<p>${link(currentUrlWith(visit, { [queryField]: undefined }), "Back to the entries")}</p>
`

const subjectFields = (
  fillField: FieldFiller,
  { properties }: TransactionChoices,
  { property, order }: MoneyFilter
): Html => html`<fieldset>
<legend>What it is on: a property, a reservation, or neither, which is the business as a whole</legend>
${select(fillField, {
  name: "property_id",
  label: "Property",
  value: order === undefined ? (property ?? "") : "",
  emptyLabel: "No property",
  options: properties.map(({ id, title }) => ({ value: id, label: title }))
})}${input(fillField, { name: "reservation_code", label: "Reservation", hint: "its code; several properties get their shares", value: order ?? "", maxlength: RECORD_CODE_LENGTH })}</fieldset>
`

export const newEntryForm = (
  visit: SignedInVisit,
  direction: TransactionDirection,
  formChoices: TransactionChoices,
  moneyFilter: MoneyFilter,
  failedSubmission?: FailedSubmission
): Html => {
  const fillField = makeFieldFiller(failedSubmission, "record")
  const { noun, methodLabel } = DIRECTION_LABELS[direction]
  return section(
    `A new ${noun}`,
    html`${actionForm(visit, {
      action: "record",
      label: `Record the ${noun}`,
      fields: html`<input type="hidden" name="direction" value="${direction}">
${input(fillField, { name: "amount", label: "Amount", type: "number", min: 0, step: "any", isRequired: true })}${input(
  fillField,
  {
    name: "currency",
    label: "Currency",
    hint: "of a reservation: its own",
    value: formChoices.currency,
    maxlength: 3,
    isRequired: true
  }
)}${select(fillField, { name: "item_id", label: "Category", options: toOptions(formChoices.items) })}${select(fillField, { name: "payment_method_id", label: methodLabel, options: toOptions(formChoices.methods) })}${subjectFields(fillField, formChoices, moneyFilter)}${input(fillField, { name: "action_at", label: "When", hint: "left empty: now; later than now: outstanding", type: "datetime-local" })}${textArea(fillField, { name: "note", label: "Note", maxlength: TRANSACTION_NOTE_LENGTH })}`
    })}${backLink(visit, "add")}`
  )
}

const entryFacts = (entry: Transaction): Html => html`<dl class="facts">
<dt>Kind</dt><dd>${DIRECTION_LABELS[entry.direction].noun} ${entry.status === "outstanding" ? badge("outstanding", "wait") : badge("paid", "good")}</dd>
<dt>Amount</dt><dd>${moneyHtml(entry.amount, entry.currency)}</dd>
<dt>On</dt><dd>${entry.reservation_code ?? entry.property_title ?? "the business as a whole"}</dd>
<dt>Entered by</dt><dd>${entry.operator_name}</dd>
</dl>
<p class="soft">Whether it is income or expense, its currency and what it is on stay as they are: delete it and enter another.</p>
`

export const editEntryForm = (
  visit: SignedInVisit,
  entry: Transaction,
  formChoices: TransactionChoices,
  failedSubmission?: FailedSubmission
): Html => {
  const fillField = makeFieldFiller(failedSubmission, "change", entry.id)
  const timeText = formatWallClock(new Date(entry.action_at), visit.session.person.caller.timeZone).slice(0, 16)
  const isEdit = true
  return section(
    "The entry",
    html`${entryFacts(entry)}${entry.status === "outstanding" ? actionForm(visit, { action: "settle", label: "Mark as paid", id: entry.id }) : nothing}${actionForm(
      visit,
      {
        action: "change",
        label: "Change it",
        id: entry.id,
        fields: html`${input(fillField, { name: "amount", label: `Amount in ${entry.currency}`, type: "number", min: 0, step: "any", value: String(entry.amount), isRequired: true, isEdit })}${select(fillField, { name: "item_id", label: "Category", value: entry.item_id, options: withCurrentOption(toOptions(formChoices.items), entry.item_id, entry.item_name), isEdit })}${select(fillField, { name: "payment_method_id", label: DIRECTION_LABELS[entry.direction].methodLabel, value: entry.payment_method_id, options: withCurrentOption(toOptions(formChoices.methods), entry.payment_method_id, entry.payment_method_name), isEdit })}${input(fillField, { name: "action_at", label: "When", type: "datetime-local", value: timeText.replace(" ", "T"), isRequired: true, isEdit })}${textArea(fillField, { name: "note", label: "Note", value: entry.note, maxlength: TRANSACTION_NOTE_LENGTH, isEdit })}`
      }
    )}${disclosure(
      "Delete the entry",
      actionForm(visit, { action: "delete", label: "Delete it for good", kind: "danger", id: entry.id })
    )}${activityLogLink(`transaction:${entry.id}`)}${backLink(visit, "change")}`
  )
}
