import type { Category } from "../../../../domain/money/category-contract.ts"
import { DictionaryName, isUsedByService } from "../../../../domain/money/dictionaries.ts"
import { DICTIONARY_NAME_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, disclosure, input, makeFieldFiller } from "../form-fields.ts"
import type { FailedSubmission, HostView } from "../host-page.ts"
import { activityLogLink, badge, link, section } from "../page-parts.ts"
import { CATEGORIES_PATH } from "../urls.ts"

export const DICTIONARY_LABELS = {
  income_items: { title: "Income categories", newLabel: "New income category" },
  expense_items: { title: "Expense categories", newLabel: "New expense category" },
  income_methods: { title: "Payment methods for income", newLabel: "New payment method" },
  expense_methods: { title: "Payment methods for expenses", newLabel: "New payment method" }
} as const satisfies Readonly<Record<DictionaryName, { readonly title: string; readonly newLabel: string }>>

export const isDictionary = (text: string): text is DictionaryName =>
  DictionaryName.literals.some((each) => each === text)

export const entryStatus = ({ is_built_in, renamed_from, is_retired }: Category): Html =>
  html`${is_built_in ? "Built in" : badge("Yours", "good")}${
    renamed_from === null ? "" : html`, <span class="soft">renamed from “${renamed_from}”</span>`
  }${is_retired ? html` ${badge("Retired", "wait")}` : ""}`

export const entryView = (visit: SignedInVisit, entry: Category, failedSubmission?: FailedSubmission): HostView => ({
  title: entry.name,
  body: html`<p>${link(CATEGORIES_PATH, "Back to categories & tags")}</p>
${section(
  DICTIONARY_LABELS[entry.dictionary].title,
  html`<p>${entryStatus(entry)}</p>
${renameForm(visit, entry, failedSubmission)}${entry.is_retired ? restoreForm(visit, entry) : retireForm(visit, entry)}`
)}${activityLogLink(`dictionary:${entry.dictionary}:${entry.id}`)}`
})

const dictionaryField = (dictionary: DictionaryName): Html =>
  html`<input type="hidden" name="dictionary" value="${dictionary}">`

const renameForm = (
  visit: SignedInVisit,
  { dictionary, id, name, renamed_from }: Category,
  failedSubmission?: FailedSubmission
) =>
  actionForm(visit, {
    action: "rename_entry",
    label: "Save",
    id,
    fields: html`${dictionaryField(dictionary)}${input(makeFieldFiller(failedSubmission, "rename_entry", id), {
      name: "name",
      label: "Name",
      value: name,
      isRequired: true,
      isEdit: true,
      maxlength: DICTIONARY_NAME_LENGTH,
      ...(renamed_from === null ? {} : { hint: `Built-in name: “${renamed_from}”.` })
    })}`
  })

const retireForm = (visit: SignedInVisit, { dictionary, id, name }: Category): Html =>
  isUsedByService(dictionary, id)
    ? html`<p class="soft">The service uses this one itself. You can rename it, but not retire it.</p>
`
    : disclosure(
        "Retire…",
        html`<p>It can no longer be chosen. Existing entries keep it, and you can restore it.</p>
${actionForm(visit, { action: "retire_entry", label: "Retire", subject: name, id, kind: "danger", fields: dictionaryField(dictionary) })}`
      )

const restoreForm = (visit: SignedInVisit, { dictionary, id, name }: Category): Html =>
  actionForm(visit, {
    action: "restore_entry",
    label: "Restore",
    subject: name,
    id,
    kind: "plain",
    fields: dictionaryField(dictionary)
  })
