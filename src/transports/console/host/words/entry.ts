import { Dictionary, isBookedWith } from "../../../../domain/money/dictionaries.ts"
import type { Entry } from "../../../../domain/money/own-dictionary.ts"
import { DICTIONARY_NAME } from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { WORDS_PATH } from "../addresses.ts"
import { behind, filling, formOf, input } from "../fields.ts"
import type { HostView, NotTaken } from "../page.ts"
import { badge, historyLink, link, section } from "../parts.ts"

// One entry of a dictionary, with what can be done to it.

/** What a host calls each dictionary. */
export const DICTIONARIES = {
  income_items: { title: "What you earn with", about: "The categories of income." },
  expense_items: { title: "What you spend on", about: "The categories of expenses." },
  income_methods: { title: "How you are paid", about: "The ways in which income is received." },
  expense_methods: { title: "How you pay", about: "The ways in which expenses are paid." }
} as const satisfies Readonly<Record<Dictionary, { readonly title: string; readonly about: string }>>

export const isDictionary = (text: string): text is Dictionary => Dictionary.literals.some((each) => each === text)

/** Whose an entry is, and whether it can be chosen. */
export const standsOf = ({ built_in, renamed_from, retired }: Entry): Html =>
  html`${built_in ? "built in" : badge("yours", "good")}${
    renamed_from === null ? "" : html`, <span class="soft">renamed from “${renamed_from}”</span>`
  }${retired ? html` ${badge("retired", "wait")}` : ""}`

export const entryView = (
  visit: SignedInVisit,
  dictionary: Dictionary,
  entry: Entry,
  notTaken?: NotTaken
): HostView => ({
  title: `“${entry.name}”`,
  body: html`<p>${link(WORDS_PATH, "Back to all words")}</p>
${section(
  DICTIONARIES[dictionary].title,
  html`<p>${standsOf(entry)}</p>
${renaming(visit, dictionary, entry, notTaken)}${entry.retired ? restoring(visit, dictionary, entry) : retiring(visit, dictionary, entry)}`
)}${historyLink(`dictionary:${dictionary}:${entry.id}`)}`
})

const which = (dictionary: Dictionary): Html => html`<input type="hidden" name="dictionary" value="${dictionary}">`

const renaming = (
  visit: SignedInVisit,
  dictionary: Dictionary,
  { id, name, renamed_from }: Entry,
  notTaken?: NotTaken
) =>
  formOf(visit, {
    act: "rename_entry",
    button: "Call it so",
    id,
    fields: html`${which(dictionary)}${input(filling(notTaken, "rename_entry", id), {
      name: "name",
      label: "Its name, also on what is booked under it",
      value: name,
      required: true,
      edited: true,
      maxlength: DICTIONARY_NAME,
      ...(renamed_from === null ? {} : { hint: `The service's own name for it is “${renamed_from}”.` })
    })}`
  })

/** What the service itself books with stays: that is said in the place of the form. */
const retiring = (visit: SignedInVisit, dictionary: Dictionary, { id, name }: Entry): Html =>
  isBookedWith(dictionary, id)
    ? html`<p class="soft">The service itself books with this entry, so it can be renamed and not retired.</p>
`
    : behind(
        "Retire it…",
        html`<p>Nobody chooses it any more. What is booked under it stays so, and it can be brought back.</p>
${formOf(visit, { act: "retire_entry", button: "Retire it", of: name, id, kind: "danger", fields: which(dictionary) })}`
      )

const restoring = (visit: SignedInVisit, dictionary: Dictionary, { id, name }: Entry): Html =>
  formOf(visit, {
    act: "restore_entry",
    button: "Bring it back",
    of: name,
    id,
    kind: "plain",
    fields: which(dictionary)
  })
