import { GROUP_NAME_LENGTH, PROPERTY_TITLE_LENGTH, TAG_NAME_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { GroupForm, RoomTypeForm, TagForm } from "../../queries/Sorting.ts"
import type { SignedInVisit } from "../../visit.ts"
import {
  actionForm,
  checkboxGroup,
  disclosure,
  initialSelection,
  input,
  makeFieldFiller,
  makeMultiFieldFiller,
  select
} from "../form-fields.ts"
import type { FailedSubmission, HostView } from "../host-page.ts"
import { activityLogLink, link, section } from "../page-parts.ts"
import { propertyCheckboxes, propertyFilter } from "../property-selection.ts"
import { PROPERTIES_PATH } from "../urls.ts"
import { COLOR_OPTIONS } from "./tag-colors.ts"

const NO_PROPERTY_MESSAGE = "There is no property yet."

const toTexts = (ids: ReadonlyArray<number>): ReadonlyArray<string> => ids.map(String)

const backLink: Html = html`<p>${link(PROPERTIES_PATH, "Back to the properties")}</p>
`

export const groupView = (
  visit: SignedInVisit,
  { it: group, properties }: GroupForm,
  failedSubmission?: FailedSubmission
): HostView => {
  const [action, label] = group === null ? ["make_group", "Make the group"] : ["change_group", "Change the group"]
  const fillField = makeFieldFiller(failedSubmission, action, group?.id)
  const fields = html`${input(fillField, { name: "name", label: "Name", value: group?.name ?? "", isRequired: true, maxlength: GROUP_NAME_LENGTH, isEdit: group !== null })}${propertyCheckboxes(
    {
      legend: "Properties in it",
      properties,
      selected: makeMultiFieldFiller(
        failedSubmission,
        action,
        group?.id
      )("property_ids", toTexts(group?.property_ids ?? [])),
      emptyText: NO_PROPERTY_MESSAGE,
      ...(group === null ? {} : { initial: initialSelection(fillField, "property_ids", group.property_ids) })
    }
  )}`
  const deleteForm =
    group === null
      ? nothing
      : disclosure(
          "Delete the group…",
          html`<p>It is gone for good; its properties stay as they are.</p>
${actionForm(visit, { action: "delete_group", label: "Delete the group", subject: group.name, id: group.id, kind: "danger" })}`
        )
  return {
    title: group === null ? "A new group" : `Group ${group.name}`,
    body: html`${backLink}${section("What is in it", html`${propertyFilter(visit, properties)}${actionForm(visit, { action, label, fields, ...(group === null ? {} : { id: group.id }) })}${deleteForm}`)}${group === null ? nothing : activityLogLink(`group:${group.id}`)}`
  }
}

export const tagView = (visit: SignedInVisit, tagForm: TagForm, failedSubmission?: FailedSubmission): HostView => {
  const { it: tag, properties } = tagForm
  const [action, label] = tag === null ? ["make_tag", "Make the tag"] : ["change_tag", "Change the tag"]
  const deleteForm =
    tag === null
      ? nothing
      : disclosure(
          "Delete the tag…",
          html`<p>It is taken off everything. A tag made later under its name is the same tag again, but on nothing.</p>
${actionForm(visit, { action: "delete_tag", label: "Delete the tag", subject: tag.name, id: tag.id, kind: "danger" })}`
        )
  return {
    title: tag === null ? "A new tag" : `Tag ${tag.name}`,
    body: html`${backLink}${section("What it is on", html`${propertyFilter(visit, properties)}${actionForm(visit, { action, label, fields: tagFields(tagForm, action, failedSubmission), ...(tag === null ? {} : { id: tag.id }) })}${deleteForm}`)}${tag === null ? nothing : activityLogLink(`tag:${tag.id}`)}`
  }
}

const tagFields = (
  { it: tag, properties, room_types }: TagForm,
  action: string,
  failedSubmission?: FailedSubmission
): Html => {
  const fillField = makeFieldFiller(failedSubmission, action, tag?.id)
  const fillMultiField = makeMultiFieldFiller(failedSubmission, action, tag?.id)
  const isEdit = tag !== null
  const roomTypes =
    room_types.length === 0
      ? nothing
      : checkboxGroup({
          name: "room_type_ids",
          legend: "Room types",
          options: room_types.map(({ id, title }) => ({ value: id, label: title })),
          selected: fillMultiField("room_type_ids", toTexts(tag?.room_type_ids ?? [])),
          ...(tag === null ? {} : { initial: initialSelection(fillField, "room_type_ids", tag.room_type_ids) })
        })
  return html`${input(fillField, { name: "name", label: "Name", value: tag?.name ?? "", isRequired: true, maxlength: TAG_NAME_LENGTH, isEdit })}${select(
    fillField,
    {
      name: "color",
      label: "Colour",
      value: tag?.color ?? "",
      options: COLOR_OPTIONS,
      isEdit,
      ...(tag === null ? { emptyLabel: "whichever" } : {})
    }
  )}${propertyCheckboxes({
    legend: "Properties",
    properties,
    selected: fillMultiField("property_ids", toTexts(tag?.property_ids ?? [])),
    emptyText: NO_PROPERTY_MESSAGE,
    ...(tag === null ? {} : { initial: initialSelection(fillField, "property_ids", tag.property_ids) })
  })}${roomTypes}`
}

export const roomTypeView = (
  visit: SignedInVisit,
  { properties, taken }: RoomTypeForm,
  failedSubmission?: FailedSubmission
): HostView => {
  const action = "make_room_type"
  const fields = html`${input(makeFieldFiller(failedSubmission, action), { name: "title", label: "Title", isRequired: true, maxlength: PROPERTY_TITLE_LENGTH })}${propertyCheckboxes(
    {
      legend: "Its rooms",
      properties,
      selected: makeMultiFieldFiller(failedSubmission, action)("property_ids", []),
      emptyText: taken === 0 ? NO_PROPERTY_MESSAGE : "Every property is in a room type already."
    }
  )}`
  const takenNote =
    taken === 0
      ? nothing
      : html`<p class="soft">A property is in one room type at most: ${taken} that are in one already are not shown.</p>
`
  return {
    title: "A new room type",
    body: html`${backLink}${section(
      "Its rooms",
      html`<p>Choose its rooms now: they cannot be changed later. The title can be changed over the API: <code>PATCH /room_types/{id}</code>.</p>
${takenNote}${propertyFilter(visit, properties)}${actionForm(visit, { action, label: "Make the room type", fields })}`
    )}`
  }
}
