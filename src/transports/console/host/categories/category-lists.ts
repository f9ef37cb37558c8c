import type { ReservationTag } from "../../../../domain/bookings/reservation-tags/contract.ts"
import type { CustomChannel } from "../../../../domain/channels/custom-channels/contract.ts"
import type { Category } from "../../../../domain/money/category-contract.ts"
import { DictionaryName } from "../../../../domain/money/dictionaries.ts"
import { DICTIONARY_NAME_LENGTH, RESERVATION_TAGS_SHOWN, TAG_NAME_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, disclosure, input, makeFieldFiller } from "../form-fields.ts"
import { type FailedSubmission, readSubmittedAction } from "../host-page.ts"
import { badge, pagination, readOffsetParam, section, table } from "../page-parts.ts"
import { colorDot } from "../properties/tag-colors.ts"
import { editUrl } from "../property-selection.ts"
import { CATEGORIES_PATH } from "../urls.ts"
import { DICTIONARY_LABELS, entryStatus } from "./entry-view.ts"

export const dictionarySections = (
  visit: SignedInVisit,
  categories: ReadonlyArray<Category>,
  failedSubmission?: FailedSubmission
): Html =>
  html`${DictionaryName.literals.map((dictionary) =>
    dictionarySection(
      visit,
      dictionary,
      categories.filter((each) => each.dictionary === dictionary),
      failedSubmission
    )
  )}`

const dictionarySection = (
  visit: SignedInVisit,
  dictionary: DictionaryName,
  entries: ReadonlyArray<Category>,
  failedSubmission?: FailedSubmission
): Html => {
  const isSameForm =
    failedSubmission !== undefined &&
    readSubmittedAction(failedSubmission) === ADD_ENTRY_ACTION &&
    failedSubmission.form.get("dictionary") === dictionary
  return section(
    DICTIONARY_LABELS[dictionary].title,
    html`${table(
      { empty: "None yet." },
      [
        {
          label: "Name",
          cell: ({ id, name }) => html`<a class="name" href="${editUrl(CATEGORIES_PATH, dictionary, id)}">${name}</a>`
        },
        { label: "Status", cell: entryStatus, onPhone: "side" }
      ],
      entries
    )}${actionForm(visit, {
      action: ADD_ENTRY_ACTION,
      label: "Add",
      subject: DICTIONARY_LABELS[dictionary].title,
      isInline: true,
      fields: html`<input type="hidden" name="dictionary" value="${dictionary}">${input(
        makeFieldFiller(isSameForm ? failedSubmission : undefined, ADD_ENTRY_ACTION),
        {
          name: "name",
          label: DICTIONARY_LABELS[dictionary].newLabel,
          isRequired: true,
          maxlength: DICTIONARY_NAME_LENGTH
        }
      )}`
    })}`,
    dictionary
  )
}

const ADD_ENTRY_ACTION = "add_entry"

interface ReservationTagPage {
  readonly reservation_tags: ReadonlyArray<ReservationTag>
  readonly total: number
}

export const reservationTagsSection = (
  visit: SignedInVisit,
  { reservation_tags, total }: ReservationTagPage,
  failedSubmission?: FailedSubmission
): Html =>
  section(
    "Reservation tags",
    html`<p class="soft">Labels for stays. Built-in tags cannot be deleted.</p>
${table(
  { empty: "No tags yet." },
  [
    {
      label: "Name",
      cell: ({ color, tag_name }: ReservationTag) => html`${colorDot(color)} <span class="name">${tag_name}</span>`
    },
    {
      label: "Status",
      cell: ({ is_default }) => (is_default ? "Built in" : badge("Yours", "good")),
      onPhone: "side"
    },
    { label: "Delete", cell: (tag) => deleteForm(visit, tag), onPhone: "actions" }
  ],
  reservation_tags
)}${pagination(visit, { offset: readOffsetParam(visit, "tags"), limit: RESERVATION_TAGS_SHOWN, total, name: "tags" })}${actionForm(
  visit,
  {
    action: "add_tag",
    label: "Add tag",
    isInline: true,
    fields: input(makeFieldFiller(failedSubmission, "add_tag"), {
      name: "tag_name",
      label: "New tag",
      isRequired: true,
      maxlength: TAG_NAME_LENGTH
    })
  }
)}`,
    "tags"
  )

const deleteForm = (visit: SignedInVisit, { id, tag_name, is_default }: ReservationTag): Html | string =>
  is_default
    ? ""
    : disclosure(
        "Delete…",
        html`<p>The tag is removed from all reservations.</p>
${actionForm(visit, { action: "delete_tag", label: "Delete", subject: tag_name, id, kind: "danger" })}`
      )

export const channelsSection = (channels: ReadonlyArray<CustomChannel>): Html =>
  section(
    "Sources of manual reservations",
    html`<p>${channels.map(({ name }) => name).join(", ")}.</p>
<p class="soft">These are built in.</p>
`,
    "channels"
  )
