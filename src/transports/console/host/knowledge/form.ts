import { createHash } from "node:crypto"
import {
  ALL_CHANNELS,
  ALL_IDS,
  type PropertyScopeType,
  type WholeKnowledgeBase
} from "../../../../domain/knowledge/contract.ts"
import { KNOWLEDGE_CONTENTS, KNOWLEDGE_TEXT, KNOWLEDGE_TITLE, NAMES_CHOSEN_FROM } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Scopes } from "../../queries/KnowledgeScopes.ts"
import type { Form, SignedInVisit } from "../../visit.ts"
import { CHANNELS } from "../channel-words.ts"
import { area, asNumber, checkbox, choices, type Fill, filling, fillingAll, formOf, input, select } from "../fields.ts"
import { actOf, type NotTaken } from "../page.ts"
import { namedBy } from "./words.ts"

// An entry of the knowledge base as a form: what it says, part by part with an empty one more, and for whom it is.

export type Entry = typeof WholeKnowledgeBase.Type
type Part = Entry["contents"][number]

export const ADD = "add_entry"
export const CHANGE = "change_entry"

/** An entry as far as a form says it. */
type Written = ReturnType<typeof writtenEntry>
type Said = Omit<Entry, "id" | "process_status"> | Written

/** The same text for the same entry, in whatever order its properties and channels are named. */
const textOf = ({ title, is_enable, audience, scope_property, scope_channel, contents }: Said): string =>
  JSON.stringify([
    ...[title, is_enable, audience, scope_property.type, scope_property.ids.map(String).toSorted()],
    ...[scope_channel.type, scope_channel.channels.toSorted()],
    contents.map(({ sub_title, text }) => [sub_title, text])
  ])

/** What an entry says as it is shown: the form that replaces it must have seen it. */
export const seenOf = (entry: Entry): string => createHash("sha256").update(textOf(entry)).digest("base64url")

/** Whether an entry may become what a form says: it is as the form has seen it, or has become that already. */
export const isAsSeen = (entry: Entry, form: Form): boolean =>
  form.get("seen") === seenOf(entry) || textOf(entry) === textOf(writtenEntry(form))

const WHERE: ReadonlyArray<{ readonly value: PropertyScopeType; readonly words: string }> = [
  { value: "all", words: "all properties" },
  { value: "by_property", words: "the properties ticked below" },
  { value: "by_group", words: "the groups ticked below" },
  { value: "by_room_type", words: "the room types ticked below" }
]

const AUDIENCES = [
  { value: "guests", words: "only guests with an accepted stay there" },
  { value: "anyone", words: "anyone who asks: write no door code or Wi-Fi password here" }
] as const

const TICKED: ReadonlyArray<readonly [PropertyScopeType, string, string]> = [
  ["by_property", "property", "Properties"],
  ["by_group", "group", "Groups"],
  ["by_room_type", "room_type", "Room types"]
]

export interface WrittenEntry {
  readonly scopes: Scopes
  /** The one that is changed; none: one is added. */
  readonly entry?: Entry | undefined
  readonly notTaken?: NotTaken | undefined
}

export const entryForm = (visit: SignedInVisit, { scopes, entry, notTaken }: WrittenEntry): Html => {
  const act = entry === undefined ? ADD : CHANGE
  const fill = filling(notTaken, act)
  const seen =
    entry === undefined ? nothing : html`<input type="hidden" name="seen" value="${fill("seen", seenOf(entry))}">`
  const fields = html`${seen}${input(fill, { name: "title", label: "Title", hint: "for yourself", value: entry?.title ?? "", maxlength: KNOWLEDGE_TITLE })}${parts(fill, act, entry?.contents ?? [], notTaken)}${select(fill, { name: "audience", label: "Who is answered from it", options: AUDIENCES, value: entry?.audience ?? "guests" })}${placeFields(fill, act, scopes, entry, notTaken)}${onField(act, entry, notTaken)}`
  return formOf(visit, {
    act,
    button: entry === undefined ? "Add the entry" : "Change the entry",
    fields,
    ...(entry === undefined ? {} : { id: entry.id })
  })
}

/** A box that was unticked is not filled in: of a form that was not taken only what was ticked is. */
const onField = (act: string, entry: Entry | undefined, notTaken: NotTaken | undefined): Html => {
  const isBack = notTaken !== undefined && actOf(notTaken) === act
  const checked = isBack ? notTaken.form.get("on") === "yes" : (entry?.is_enable ?? true)
  return checkbox((_name, otherwise) => otherwise, { name: "on", label: "Guests are answered from it", checked })
}

/** As many as there are, or as were filled in, and an empty one. */
const parts = (fill: Fill, act: string, contents: ReadonlyArray<Part>, notTaken: NotTaken | undefined): Html => {
  const back = notTaken !== undefined && actOf(notTaken) === act ? partsIn(notTaken.form) : undefined
  const count = Math.min((back ?? contents).length + 1, KNOWLEDGE_CONTENTS)
  // A form comes back with its parts in their order, whichever were left empty.
  const [all, filled]: readonly [ReadonlyArray<Part>, Fill] =
    back === undefined ? [contents, fill] : [back, (_name, otherwise) => otherwise]
  return html`${Array.from({ length: count }, (_, at) => part(filled, at, act === ADD && at === 0, all[at]))}<p class="soft">A part that is emptied is taken away. Another one can be added once this is saved; an entry has at most ${KNOWLEDGE_CONTENTS}.</p>
`
}

const part = (
  fill: Fill,
  at: number,
  required: boolean,
  { sub_title, text }: Part = { sub_title: "", text: "" }
): Html =>
  html`<fieldset><legend>Part ${at + 1}</legend>
${input(fill, { name: `sub_title.${at}`, label: "About", hint: "such as: Parking", value: sub_title, maxlength: KNOWLEDGE_TITLE })}${area(fill, { name: `text.${at}`, label: "What guests are told", value: text, rows: 4, required, maxlength: KNOWLEDGE_TEXT })}</fieldset>
`

const placeFields = (
  fill: Fill,
  act: string,
  scopes: Scopes,
  entry: Entry | undefined,
  notTaken: NotTaken | undefined
): Html => {
  const chosen = fillingAll(notTaken, act)
  const type = entry?.scope_property.type ?? "all"
  const ticked = TICKED.map(([of, name, legend]) => {
    const all = namedBy(of, scopes)
    const ids = of === type ? (entry?.scope_property.ids ?? []) : []
    if (all.length === 0) return nothing
    const shown = all.slice(0, NAMES_CHOSEN_FROM)
    const options = shown.map((each) => ({ value: each.id, words: each.name }))
    return html`${choices({ name, legend, options, chosen: chosen(name, ids.map(String)) })}${beyond(name, ids, shown.length < all.length ? shown : undefined)}`
  })
  const channels = entry?.scope_channel.type === "by_channel" ? entry.scope_channel.channels : []
  return html`${select(fill, { name: "where", label: "For", options: WHERE, value: type })}${ticked}${choices({ name: "channel", legend: "Only booked at these (none: at all)", options: CHANNELS, chosen: chosen("channel", channels) })}`
}

/** Where not all can be shown, those of the entry that are not stay in it. */
const beyond = (
  name: string,
  ids: ReadonlyArray<number>,
  shown: ReadonlyArray<{ readonly id: number }> | undefined
): Html => {
  if (shown === undefined) return nothing
  const known = new Set(shown.map(({ id }) => id))
  const others = ids.filter((id) => !known.has(id))
  return html`<p class="soft">These are the first ${NAMES_CHOSEN_FROM} by name.</p>
${others.map((id) => html`<input type="hidden" name="${name}" value="${id}">`)}`
}

/** The parts of a form but for those that are empty. */
const partsIn = (form: Form): ReadonlyArray<Part> =>
  Array.from({ length: KNOWLEDGE_CONTENTS }, (_, at) => ({
    sub_title: (form.get(`sub_title.${at}`) ?? "").trim(),
    text: (form.get(`text.${at}`) ?? "").replace(/\r\n?/g, "\n").trim()
  })).filter(({ sub_title, text }) => sub_title !== "" || text !== "")

/** What the form says, as the API takes an entry. */
export const writtenEntry = (form: Form) => {
  const type = form.get("where") ?? "all"
  const [, name] = TICKED.find(([of]) => of === type) ?? []
  const channels = form.getAll("channel")
  return {
    title: (form.get("title") ?? "").trim(),
    is_enable: form.get("on") === "yes",
    audience: form.get("audience") ?? "guests",
    scope_property: { type, ids: name === undefined ? [ALL_IDS] : form.getAll(name).map(asNumber) },
    scope_channel: channels.length === 0 ? { type: "all", channels: [ALL_CHANNELS] } : { type: "by_channel", channels },
    contents: partsIn(form)
  }
}
