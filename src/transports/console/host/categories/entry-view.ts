import { DictionaryName, isUsedByService } from "../../../../domain/money/dictionaries.ts"
import type { OperatorDictionaryEntry } from "../../../../domain/money/operator-dictionary.ts"
import { DICTIONARY_NAME_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, disclosure, input, makeFieldFiller } from "../form-fields.ts"
import type { FailedSubmission, HostView } from "../host-page.ts"
import { activityLogLink, badge, link, section } from "../page-parts.ts"
import { CATEGORIES_PATH } from "../urls.ts"

// One entry of a dictionary, with what can be done to it.

/** What a host calls each dictionary. */
export const DICTIONARY_LABELS = {
  income_items: { title: "What you earn with", about: "The categories of income." },
  expense_items: { title: "What you spend on", about: "The categories of expenses." },
  income_methods: { title: "How you are paid", about: "The ways in which income is received." },
  expense_methods: { title: "How you pay", about: "The ways in which expenses are paid." }
} as const satisfies Readonly<Record<DictionaryName, { readonly title: string; readonly about: string }>>

export const isDictionary = (text: string): text is DictionaryName =>
  DictionaryName.literals.some((each) => each === text)

/** Whose an entry is, and whether it can be chosen. */
export const entryStatus = ({ built_in, renamed_from, retired }: OperatorDictionaryEntry): Html =>
  html`${built_in ? "built in" : badge("yours", "good")}${
    renamed_from === null ? "" : html`, <span class="soft">renamed from “${renamed_from}”</span>`
  }${retired ? html` ${badge("retired", "wait")}` : ""}`

export const entryView = (
  visit: SignedInVisit,
  dictionary: DictionaryName,
  entry: OperatorDictionaryEntry,
  failedSubmission?: FailedSubmission
): HostView => ({
  title: `“${entry.name}”`,
  body: html`<p>${link(CATEGORIES_PATH, "Back to all words")}</p>
${section(
  DICTIONARY_LABELS[dictionary].title,
  html`<p>${entryStatus(entry)}</p>
${renameForm(visit, dictionary, entry, failedSubmission)}${entry.retired ? restoreForm(visit, dictionary, entry) : retireForm(visit, dictionary, entry)}`
)}${activityLogLink(`dictionary:${dictionary}:${entry.id}`)}`
})

const dictionaryField = (dictionary: DictionaryName): Html =>
  html`<input type="hidden" name="dictionary" value="${dictionary}">`

const renameForm = (
  visit: SignedInVisit,
  dictionary: DictionaryName,
  { id, name, renamed_from }: OperatorDictionaryEntry,
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

/** What the service itself books with stays: that is said in the place of the form. */
const retireForm = (visit: SignedInVisit, dictionary: DictionaryName, { id, name }: OperatorDictionaryEntry): Html =>
  isUsedByService(dictionary, id)
    ? html`<p class="soft">The service itself books with this entry, so it can be renamed and not retired.</p>
`
    : disclosure(
        "Retire it…",
        html`<p>Nobody chooses it any more. What is booked under it stays so, and it can be brought back.</p>
${actionForm(visit, { action: "retire_entry", label: "Retire it", subject: name, id, kind: "danger", fields: dictionaryField(dictionary) })}`
      )

const restoreForm = (visit: SignedInVisit, dictionary: DictionaryName, { id, name }: OperatorDictionaryEntry): Html =>
  actionForm(visit, {
    action: "restore_entry",
    label: "Bring it back",
    subject: name,
    id,
    kind: "plain",
    fields: dictionaryField(dictionary)
  })
