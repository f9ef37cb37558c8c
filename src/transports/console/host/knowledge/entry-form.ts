import { createHash } from "node:crypto"
import {
  ALL_CHANNELS,
  ALL_IDS,
  type KnowledgeBaseWithContents,
  type PropertyScopeType
} from "../../../../domain/knowledge/contract.ts"
import {
  KNOWLEDGE_CONTENTS_MAX,
  KNOWLEDGE_TEXT_LENGTH,
  KNOWLEDGE_TITLE_LENGTH,
  SCOPE_CHOICES_MAX
} from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { KnowledgeScopeChoices } from "../../queries/KnowledgeScopes.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { CHANNEL_OPTIONS } from "../channel-names.ts"
import {
  actionForm,
  checkbox,
  checkboxGroup,
  type FieldFiller,
  input,
  makeFieldFiller,
  makeMultiFieldFiller,
  select,
  textArea
} from "../form-fields.ts"
import { parseNumber } from "../form-values.ts"
import { type FailedSubmission, readSubmittedAction } from "../host-page.ts"
import { scopeRecordsOf } from "./scope-text.ts"

export type KnowledgeEntryDetail = typeof KnowledgeBaseWithContents.Type
type KnowledgeEntryPart = KnowledgeEntryDetail["contents"][number]

export const ADD_ENTRY_ACTION = "add_entry"
export const CHANGE_ENTRY_ACTION = "change_entry"

type SubmittedEntry = ReturnType<typeof readEntry>
type EntryContent = Omit<KnowledgeEntryDetail, "id" | "process_status"> | SubmittedEntry

const serializeEntry = ({
  title,
  is_enable,
  audience,
  scope_property,
  scope_channel,
  contents
}: EntryContent): string =>
  JSON.stringify([
    ...[title, is_enable, audience, scope_property.type, scope_property.ids.map(String).toSorted()],
    ...[scope_channel.type, scope_channel.channels.toSorted()],
    contents.map(({ sub_title, text }) => [sub_title, text])
  ])

const digestEntry = (entry: KnowledgeEntryDetail): string =>
  createHash("sha256").update(serializeEntry(entry)).digest("base64url")

/** Returns whether the entry is as the form showed it, or already has the form's values. */
export const isUnchangedOrApplied = (entry: KnowledgeEntryDetail, form: SubmittedForm): boolean =>
  form.get("seen") === digestEntry(entry) || serializeEntry(entry) === serializeEntry(readEntry(form))

const SCOPE_OPTIONS: ReadonlyArray<{ readonly value: PropertyScopeType; readonly label: string }> = [
  { value: "all", label: "All properties" },
  { value: "by_property", label: "Only the ticked properties" },
  { value: "by_group", label: "Only the ticked groups" },
  { value: "by_room_type", label: "Only the ticked room types" }
]

const AUDIENCE_OPTIONS = [
  { value: "guests", label: "Guests with a confirmed stay" },
  { value: "anyone", label: "Everyone (write no door code or Wi-Fi password here)" }
] as const

const SCOPE_CHECKBOXES: ReadonlyArray<readonly [PropertyScopeType, string, string]> = [
  ["by_property", "property", "Properties"],
  ["by_group", "group", "Groups"],
  ["by_room_type", "room_type", "Room types"]
]

interface EntryFormOptions {
  readonly scopes: KnowledgeScopeChoices
  readonly entry?: KnowledgeEntryDetail | undefined
  readonly failedSubmission?: FailedSubmission | undefined
}

export const entryForm = (visit: SignedInVisit, { scopes, entry, failedSubmission }: EntryFormOptions): Html => {
  const action = entry === undefined ? ADD_ENTRY_ACTION : CHANGE_ENTRY_ACTION
  const fillField = makeFieldFiller(failedSubmission, action)
  const digestField =
    entry === undefined
      ? nothing
      : html`<input type="hidden" name="seen" value="${fillField("seen", digestEntry(entry))}">`
  const fields = html`${digestField}${input(fillField, { name: "title", label: "Title", hint: "only you see it", value: entry?.title ?? "", maxlength: KNOWLEDGE_TITLE_LENGTH })}${partFields(fillField, action, entry?.contents ?? [], failedSubmission)}${select(fillField, { name: "audience", label: "Audience", options: AUDIENCE_OPTIONS, value: entry?.audience ?? "guests" })}${scopeFields(fillField, action, scopes, entry, failedSubmission)}${enabledField(action, entry, failedSubmission)}`
  return actionForm(visit, {
    action,
    label: entry === undefined ? "Add article" : "Save",
    fields,
    ...(entry === undefined ? {} : { id: entry.id })
  })
}

const enabledField = (
  action: string,
  entry: KnowledgeEntryDetail | undefined,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const isRestored = failedSubmission !== undefined && readSubmittedAction(failedSubmission) === action
  const isChecked = isRestored ? failedSubmission.form.get("on") === "yes" : (entry?.is_enable ?? true)
  return checkbox((_name, defaultValue) => defaultValue, {
    name: "on",
    label: "On: guests are answered from this article",
    isChecked
  })
}

const partFields = (
  fillField: FieldFiller,
  action: string,
  contents: ReadonlyArray<KnowledgeEntryPart>,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const restoredParts =
    failedSubmission !== undefined && readSubmittedAction(failedSubmission) === action
      ? readParts(failedSubmission.form)
      : undefined
  const count = Math.min((restoredParts ?? contents).length + 1, KNOWLEDGE_CONTENTS_MAX)
  // Empty parts of a failed form are dropped, which renumbers the others. So values are not restored by field name.
  const [entryParts, fillPart]: readonly [ReadonlyArray<KnowledgeEntryPart>, FieldFiller] =
    restoredParts === undefined ? [contents, fillField] : [restoredParts, (_name, defaultValue) => defaultValue]
  return html`${Array.from({ length: count }, (_, index) => partField(fillPart, index, action === ADD_ENTRY_ACTION && index === 0, entryParts[index]))}<p class="soft">Clear a section to delete it. Save to add another. An article has ${KNOWLEDGE_CONTENTS_MAX} sections at most.</p>
`
}

const partField = (
  fillField: FieldFiller,
  index: number,
  isRequired: boolean,
  { sub_title, text }: KnowledgeEntryPart = { sub_title: "", text: "" }
): Html =>
  html`<fieldset><legend>Section ${index + 1}</legend>
${input(fillField, { name: `sub_title.${index}`, label: "Topic", hint: "such as Parking", value: sub_title, maxlength: KNOWLEDGE_TITLE_LENGTH })}${textArea(fillField, { name: `text.${index}`, label: "Text for guests", value: text, rows: 4, isRequired, maxlength: KNOWLEDGE_TEXT_LENGTH })}</fieldset>
`

const scopeFields = (
  fillField: FieldFiller,
  action: string,
  scopes: KnowledgeScopeChoices,
  entry: KnowledgeEntryDetail | undefined,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const selectedValues = makeMultiFieldFiller(failedSubmission, action)
  const type = entry?.scope_property.type ?? "all"
  const checkboxGroups = SCOPE_CHECKBOXES.map(([scopeType, name, legend]) => {
    const scopeRecords = scopeRecordsOf(scopeType, scopes)
    const ids = scopeType === type ? (entry?.scope_property.ids ?? []) : []
    if (scopeRecords.length === 0) return nothing
    const listedRecords = scopeRecords.slice(0, SCOPE_CHOICES_MAX)
    const options = listedRecords.map((each) => ({ value: each.id, label: each.name }))
    return html`${checkboxGroup({ name, legend, options, selected: selectedValues(name, ids.map(String)) })}${unlistedFields(name, ids, listedRecords.length < scopeRecords.length ? listedRecords : undefined)}`
  })
  const channels = entry?.scope_channel.type === "by_channel" ? entry.scope_channel.channels : []
  return html`${select(fillField, { name: "where", label: "Properties", options: SCOPE_OPTIONS, value: type })}${checkboxGroups}${checkboxGroup({ name: "channel", legend: "Channels (all if none ticked)", options: CHANNEL_OPTIONS, selected: selectedValues("channel", channels) })}`
}

/** Keeps the selection of records that the form does not list. */
const unlistedFields = (
  name: string,
  ids: ReadonlyArray<number>,
  listedRecords: ReadonlyArray<{ readonly id: number }> | undefined
): Html => {
  if (listedRecords === undefined) return nothing
  const listedIds = new Set(listedRecords.map(({ id }) => id))
  const unlistedIds = ids.filter((id) => !listedIds.has(id))
  return html`<p class="soft">Only the first ${SCOPE_CHOICES_MAX} are shown.</p>
${unlistedIds.map((id) => html`<input type="hidden" name="${name}" value="${id}">`)}`
}

const readParts = (form: SubmittedForm): ReadonlyArray<KnowledgeEntryPart> =>
  Array.from({ length: KNOWLEDGE_CONTENTS_MAX }, (_, index) => ({
    sub_title: (form.get(`sub_title.${index}`) ?? "").trim(),
    text: (form.get(`text.${index}`) ?? "").replace(/\r\n?/g, "\n").trim()
  })).filter(({ sub_title, text }) => sub_title !== "" || text !== "")

export const readEntry = (form: SubmittedForm) => {
  const type = form.get("where") ?? "all"
  const [, name] = SCOPE_CHECKBOXES.find(([scopeType]) => scopeType === type) ?? []
  const channels = form.getAll("channel")
  return {
    title: (form.get("title") ?? "").trim(),
    is_enable: form.get("on") === "yes",
    audience: form.get("audience") ?? "guests",
    scope_property: { type, ids: name === undefined ? [ALL_IDS] : form.getAll(name).map(parseNumber) },
    scope_channel: channels.length === 0 ? { type: "all", channels: [ALL_CHANNELS] } : { type: "by_channel", channels },
    contents: readParts(form)
  }
}
