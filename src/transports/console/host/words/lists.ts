import type { ReservationTag } from "../../../../domain/bookings/reservation-tags/contract.ts"
import type { CustomChannel } from "../../../../domain/channels/custom-channels/contract.ts"
import { Dictionary } from "../../../../domain/money/dictionaries.ts"
import type { Dictionaries } from "../../../../domain/money/OwnDictionaries.ts"
import { DICTIONARY_NAME, RESERVATION_TAGS_SHOWN, TAG_NAME } from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { WORDS_PATH } from "../addresses.ts"
import { changeAddress } from "../choosing.ts"
import { behind, filling, formOf, input } from "../fields.ts"
import { actOf, type NotTaken } from "../page.ts"
import { badge, offsetIn, pages, section, table } from "../parts.ts"
import { colourOf } from "../properties/colours.ts"
import { DICTIONARIES, standsOf } from "./entry.ts"

// The lists of the page, each with a form for one more.

export const dictionariesPart = (visit: SignedInVisit, own: Dictionaries, notTaken?: NotTaken): Html =>
  html`${Dictionary.literals.map((dictionary) => dictionaryPart(visit, dictionary, own[dictionary], notTaken))}`

const dictionaryPart = (
  visit: SignedInVisit,
  dictionary: Dictionary,
  entries: Dictionaries[Dictionary],
  notTaken?: NotTaken
): Html => {
  // The page has such a form for each dictionary.
  const isIt = notTaken !== undefined && actOf(notTaken) === ADD && notTaken.form.get("dictionary") === dictionary
  return section(
    DICTIONARIES[dictionary].title,
    html`<p class="soft">${DICTIONARIES[dictionary].about}</p>
${table(
  { empty: "There is none." },
  [
    { label: "Name", cell: ({ name }) => html`<span class="name">${name}</span>` },
    { label: "Stands", cell: standsOf },
    {
      label: "Change",
      cell: ({ id, name }) =>
        html`<a href="${changeAddress(WORDS_PATH, dictionary, id)}" aria-label="Change ${name}">Change</a>`
    }
  ],
  entries
)}${formOf(visit, {
  act: ADD,
  button: "Add it",
  of: DICTIONARIES[dictionary].title,
  row: true,
  fields: html`<input type="hidden" name="dictionary" value="${dictionary}">${input(
    filling(isIt ? notTaken : undefined, ADD),
    { name: "name", label: "One more", required: true, maxlength: DICTIONARY_NAME }
  )}`
})}`,
    dictionary
  )
}

const ADD = "add_entry"

export interface ShownTags {
  readonly reservation_tags: ReadonlyArray<ReservationTag>
  readonly total: number
}

export const tagsPart = (visit: SignedInVisit, { reservation_tags, total }: ShownTags, notTaken?: NotTaken): Html =>
  section(
    "Tags of reservations",
    html`<p class="soft">Words to put on a stay. Those that everybody has cannot be deleted.</p>
${table(
  { empty: "There is no tag." },
  [
    {
      label: "Name",
      cell: ({ color, tag_name }: ReservationTag) => html`${colourOf(color)} <span class="name">${tag_name}</span>`
    },
    { label: "Stands", cell: ({ is_default }) => (is_default ? "everybody's" : badge("yours", "good")) },
    { label: "Delete", cell: (tag) => deletionOf(visit, tag) }
  ],
  reservation_tags
)}${pages(visit, { offset: offsetIn(visit, "tags"), limit: RESERVATION_TAGS_SHOWN, total, name: "tags" })}${formOf(
  visit,
  {
    act: "add_tag",
    button: "Add the tag",
    row: true,
    fields: input(filling(notTaken, "add_tag"), {
      name: "tag_name",
      label: "One more",
      required: true,
      maxlength: TAG_NAME
    })
  }
)}`,
    "tags"
  )

const deletionOf = (visit: SignedInVisit, { id, tag_name, is_default }: ReservationTag): Html | string =>
  is_default
    ? ""
    : behind(
        "Delete…",
        html`<p>It is taken off all reservations.</p>
${formOf(visit, { act: "delete_tag", button: "Delete", of: tag_name, id, kind: "danger" })}`
      )

/** Where a reservation made by hand may come from: the service's own, which nobody changes. */
export const channelsPart = (channels: ReadonlyArray<CustomChannel>): Html =>
  section(
    "Where reservations made by hand come from",
    html`<p>${channels.map(({ name }) => name).join(", ")}.</p>
<p class="soft">These are the service's own and cannot be changed.</p>
`,
    "channels"
  )
