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
  income_items: { title: "What you earn with", about: "The categories of income." },
  expense_items: { title: "What you spend on", about: "The categories of expenses." },
  income_methods: { title: "How you are paid", about: "The ways in which income is received." },
  expense_methods: { title: "How you pay", about: "The ways in which expenses are paid." }
} as const satisfies Readonly<Record<DictionaryName, { readonly title: string; readonly about: string }>>

export const isDictionary = (text: string): text is DictionaryName =>
  DictionaryName.literals.some((each) => each === text)

export const entryStatus = ({ is_built_in, renamed_from, is_retired }: Category): Html =>
  html`${is_built_in ? "built in" : badge("yours", "good")}${
    renamed_from === null ? "" : html`, <span class="soft">renamed from “${renamed_from}”</span>`
  }${is_retired ? html` ${badge("retired", "wait")}` : ""}`

export const entryView = (visit: SignedInVisit, entry: Category, failedSubmission?: FailedSubmission): HostView => ({
  title: `“${entry.name}”`,
  body: html`<p>${link(CATEGORIES_PATH, "Back to all words")}</p>
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
    label: "Call it so",
    id,
    fields: html`${dictionaryField(dictionary)}${input(makeFieldFiller(failedSubmission, "rename_entry", id), {
      name: "name",
      label: "Its name, also on what is booked under it",
      value: name,
      isRequired: true,
      isEdit: true,
      maxlength: DICTIONARY_NAME_LENGTH,
      ...(renamed_from === null ? {} : { hint: `The service's own name for it is “${renamed_from}”.` })
    })}`
  })

const retireForm = (visit: SignedInVisit, { dictionary, id, name }: Category): Html =>
  isUsedByService(dictionary, id)
    ? html`<p class="soft">The service itself books with this entry, so it can be renamed and not retired.</p>
`
    : disclosure(
        "Retire it…",
        html`<p>Nobody chooses it any more. What is booked under it stays so, and it can be brought back.</p>
${actionForm(visit, { action: "retire_entry", label: "Retire it", subject: name, id, kind: "danger", fields: dictionaryField(dictionary) })}`
      )

const restoreForm = (visit: SignedInVisit, { dictionary, id, name }: Category): Html =>
  actionForm(visit, {
    action: "restore_entry",
    label: "Bring it back",
    subject: name,
    id,
    kind: "plain",
    fields: dictionaryField(dictionary)
  })
