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
  type SelectOption,
  select,
  textArea,
  withCurrentOption
} from "../form-fields.ts"
import { parseLines, parseNumber, parseText } from "../form-values.ts"
import type { FailedSubmission } from "../host-page.ts"
import { activityLogLink, badge, link, moneyHtml, timeHtml } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { stayUrl } from "../urls.ts"
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
  Record<TransactionDirection, { readonly noun: string; readonly title: string; readonly addTitle: string }>
> = {
  income: { noun: "income", title: "Income", addTitle: "Add income" },
  expense: { noun: "expense", title: "Expense", addTitle: "Add expense" }
}

const backLink = (
  visit: SignedInVisit,
  queryField: string
): Html => html`<p>${link(currentUrlWith(visit, { [queryField]: undefined }), "Back to Money")}</p>
`

const subjectFields = (
  fillField: FieldFiller,
  { properties }: TransactionChoices,
  { property, order }: MoneyFilter
) => ({
  propertyField: select(fillField, {
    name: "property_id",
    label: "Property",
    value: order === undefined ? (property ?? "") : "",
    emptyLabel: "Business-wide",
    options: properties.map(({ id, title }) => ({ value: id, label: title }))
  }),
  reservationField: input(fillField, {
    name: "reservation_code",
    label: "Reservation code",
    value: order ?? "",
    maxlength: RECORD_CODE_LENGTH
  })
})

/** The amount has the focus, and date, currency and payment method have defaults: few clicks record an expense. */
export const newEntryForm = (
  visit: SignedInVisit,
  direction: TransactionDirection,
  formChoices: TransactionChoices,
  moneyFilter: MoneyFilter,
  failedSubmission?: FailedSubmission
): Html => {
  const fillField = makeFieldFiller(failedSubmission, "record")
  const { propertyField, reservationField } = subjectFields(fillField, formChoices, moneyFilter)
  const amountFields = html`${input(fillField, { name: "amount", label: "Amount", type: "number", min: 0, step: "any", isRequired: true, hasFocus: true })}${input(
    fillField,
    { name: "currency", label: "Currency", value: formChoices.currency, maxlength: 3, isRequired: true }
  )}`
  const furtherFields = html`${select(fillField, { name: "payment_method_id", label: "Payment method", value: formChoices.usual_method ?? "", options: toOptions(formChoices.methods) })}${input(fillField, { name: "action_at", label: "Date", type: "datetime-local" })}${reservationField}${textArea(fillField, { name: "note", label: "Note", rows: 2, maxlength: TRANSACTION_NOTE_LENGTH })}`
  return html`<section>
${actionForm(visit, {
  action: "record",
  label: "Save",
  fields: html`<input type="hidden" name="direction" value="${direction}"><div class="entry-fields">
${amountFields}${select(fillField, { name: "item_id", label: "Category", options: toOptions(formChoices.items) })}${propertyField}${furtherFields}</div>
<p class="soft">Blank date = now; a future date is “outstanding”. Enter a reservation code instead of a property if it is for a reservation: the currency is then that of the reservation.</p>
`
})}${backLink(visit, "add")}</section>
`
}

const entryFacts = (visit: SignedInVisit, entry: Transaction): Html => html`<dl class="facts">
<dt>Type</dt><dd>${DIRECTION_LABELS[entry.direction].title} ${entry.status === "outstanding" ? badge("outstanding", "wait") : badge("paid", "good")}</dd>
<dt>Amount</dt><dd>${moneyHtml(entry.amount, entry.currency)}</dd>
<dt>Date</dt><dd>${timeHtml(entry.action_at, visit)}</dd>
<dt>${entry.reservation_code === null ? "Property" : "Reservation"}</dt><dd>${entry.reservation_code === null ? (entry.property_title ?? "Business-wide") : link(stayUrl(entry.reservation_code), entry.reservation_code)}</dd>
<dt>Added by</dt><dd>${entry.operator_name}</dd>
</dl>
<p class="soft">You cannot change the type, the currency and the property. Delete the transaction and add another instead.</p>
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
  return html`<section>
${entryFacts(visit, entry)}${entry.status === "outstanding" ? actionForm(visit, { action: "settle", label: "Mark as paid", kind: "plain", id: entry.id }) : nothing}${actionForm(
  visit,
  {
    action: "change",
    label: "Save",
    id: entry.id,
    fields: html`<div class="entry-fields">
${input(fillField, { name: "amount", label: `Amount in ${entry.currency}`, type: "number", min: 0, step: "any", value: String(entry.amount), isRequired: true, isEdit })}${input(fillField, { name: "action_at", label: "Date", type: "datetime-local", value: timeText.replace(" ", "T"), isRequired: true, isEdit })}${select(fillField, { name: "item_id", label: "Category", value: entry.item_id, options: withCurrentOption(toOptions(formChoices.items), entry.item_id, entry.item_name), isEdit })}${select(fillField, { name: "payment_method_id", label: "Payment method", value: entry.payment_method_id, options: withCurrentOption(toOptions(formChoices.methods), entry.payment_method_id, entry.payment_method_name), isEdit })}${textArea(fillField, { name: "note", label: "Note", rows: 2, value: entry.note, maxlength: TRANSACTION_NOTE_LENGTH, isEdit })}</div>
`
  }
)}${disclosure(
  "Delete…",
  actionForm(visit, { action: "delete", label: "Delete", kind: "danger", id: entry.id })
)}${activityLogLink(`transaction:${entry.id}`)}${backLink(visit, "change")}</section>
`
}
