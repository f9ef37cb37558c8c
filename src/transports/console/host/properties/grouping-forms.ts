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
import { activityLogLink, link, pluralize, section } from "../page-parts.ts"
import { propertyCheckboxes, propertyFilter } from "../property-selection.ts"
import { PROPERTIES_PATH } from "../urls.ts"
import { COLOR_OPTIONS } from "./tag-colors.ts"

const NO_PROPERTY_MESSAGE = "No properties yet."

const toTexts = (ids: ReadonlyArray<number>): ReadonlyArray<string> => ids.map(String)

const backLink: Html = html`<p>${link(PROPERTIES_PATH, "Back to properties")}</p>
`

export const groupView = (
  visit: SignedInVisit,
  { it: group, properties }: GroupForm,
  failedSubmission?: FailedSubmission
): HostView => {
  const [action, label] = group === null ? ["make_group", "Add group"] : ["change_group", "Save"]
  const fillField = makeFieldFiller(failedSubmission, action, group?.id)
  const fields = html`${input(fillField, { name: "name", label: "Name", value: group?.name ?? "", isRequired: true, maxlength: GROUP_NAME_LENGTH, isEdit: group !== null })}${propertyCheckboxes(
    {
      legend: "Properties",
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
          "Delete group…",
          html`<p>Its properties are unchanged.</p>
${actionForm(visit, { action: "delete_group", label: "Delete group", subject: group.name, id: group.id, kind: "danger" })}`
        )
  return {
    title: group === null ? "New group" : group.name,
    body: html`${backLink}${section("Group", html`${propertyFilter(visit, properties)}${actionForm(visit, { action, label, fields, ...(group === null ? {} : { id: group.id }) })}${deleteForm}`)}${group === null ? nothing : activityLogLink(`group:${group.id}`)}`
  }
}

export const tagView = (visit: SignedInVisit, tagForm: TagForm, failedSubmission?: FailedSubmission): HostView => {
  const { it: tag, properties } = tagForm
  const [action, label] = tag === null ? ["make_tag", "Add tag"] : ["change_tag", "Save"]
  const deleteForm =
    tag === null
      ? nothing
      : disclosure(
          "Delete tag…",
          html`<p>The tag is removed from all properties and room types.</p>
${actionForm(visit, { action: "delete_tag", label: "Delete tag", subject: tag.name, id: tag.id, kind: "danger" })}`
        )
  return {
    title: tag === null ? "New tag" : tag.name,
    body: html`${backLink}${section("Tag", html`${propertyFilter(visit, properties)}${actionForm(visit, { action, label, fields: tagFields(tagForm, action, failedSubmission), ...(tag === null ? {} : { id: tag.id }) })}${deleteForm}`)}${tag === null ? nothing : activityLogLink(`tag:${tag.id}`)}`
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
      ...(tag === null ? { emptyLabel: "Any" } : {})
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
  const fields = html`${input(makeFieldFiller(failedSubmission, action), { name: "title", label: "Name", hint: "Names must be unique.", isRequired: true, maxlength: PROPERTY_TITLE_LENGTH })}${propertyCheckboxes(
    {
      legend: "Properties",
      properties,
      selected: makeMultiFieldFiller(failedSubmission, action)("property_ids", []),
      emptyText: taken === 0 ? NO_PROPERTY_MESSAGE : "Every property already has a room type."
    }
  )}`
  const takenNote =
    taken === 0
      ? nothing
      : html`<p class="soft">A property has one room type at most. ${pluralize(taken, "property", "properties")} with a room type ${taken === 1 ? "is" : "are"} not shown.</p>
`
  return {
    title: "New room type",
    body: html`${backLink}${section(
      "Room type",
      html`<p class="soft">Choose its properties now. They cannot be changed later.</p>
${takenNote}${propertyFilter(visit, properties)}${actionForm(visit, { action, label: "Add room type", fields })}`
    )}`
  }
}
