import { EMAIL_LENGTH, MOBILE_TEXT_LENGTH, STAFF_NAME_LENGTH, STAFF_NOTE_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { StaffForm } from "../../queries/StaffDirectory.ts"
import type { SignedInVisit } from "../../visit.ts"
import {
  actionForm,
  disclosure,
  initialSelection,
  input,
  makeFieldFiller,
  makeMultiFieldFiller,
  select,
  textArea
} from "../form-fields.ts"
import type { FailedSubmission, HostView } from "../host-page.ts"
import { activityLogLink, link, section } from "../page-parts.ts"
import { propertyCheckboxes, propertyFilter } from "../property-selection.ts"
import { PEOPLE_PATH, tasksUrl } from "../urls.ts"

/** In the API an empty property list means all properties. This field prevents sending one by mistake. */
export const PROPERTY_SCOPE_FIELD = "works_in"

export const staffView = (
  visit: SignedInVisit,
  staffForm: StaffForm,
  failedSubmission?: FailedSubmission
): HostView => {
  const { it: staff, properties } = staffForm
  const [action, label] = staff === null ? ["add_staff", "Add staff"] : ["change_staff", "Save"]
  const fields = html`${contactFields(staffForm, action, failedSubmission)}${propertyScopeFields(staffForm, action, failedSubmission)}`
  const form = actionForm(visit, { action, label, fields, ...(staff === null ? {} : { id: staff.id }) })
  return {
    title: staff === null ? "New staff member" : staff.name,
    body: html`<p>${link(PEOPLE_PATH, "Back to team")}${staff === null ? nothing : html` · ${link(tasksUrl({ staff: staff.id }), "Tasks")}`}</p>
${section("Details", html`${propertyFilter(visit, properties)}${form}${staff === null ? nothing : deleteForm(visit, staff)}`)}${staff === null ? nothing : activityLogLink(`staff:${staff.id}`)}`
  }
}

const contactFields = ({ it: staff }: StaffForm, action: string, failedSubmission?: FailedSubmission): Html => {
  const fillField = makeFieldFiller(failedSubmission, action, staff?.id)
  const isEdit = staff !== null
  const statusField = select(fillField, {
    name: "is_active",
    label: "Status",
    hint: "Inactive staff get no new tasks.",
    value: String(staff?.is_active ?? true),
    options: [
      { value: "true", label: "Active" },
      { value: "false", label: "Inactive" }
    ],
    isEdit
  })
  return html`${input(fillField, { name: "name", label: "Name", value: staff?.name ?? "", isRequired: true, maxlength: STAFF_NAME_LENGTH, isEdit })}${input(
    fillField,
    {
      name: "mobile",
      label: "Mobile",
      hint: "With country code, such as +49 15112345678.",
      type: "tel",
      value: staff?.mobile ?? "",
      isRequired: true,
      maxlength: MOBILE_TEXT_LENGTH,
      isEdit
    }
  )}${input(fillField, { name: "email", label: "E-mail address", type: "email", value: staff?.email ?? "", maxlength: EMAIL_LENGTH, isEdit })}${textArea(
    fillField,
    { name: "note", label: "Note", value: staff?.note ?? "", maxlength: STAFF_NOTE_LENGTH, isEdit }
  )}${isEdit ? statusField : nothing}`
}

const propertyScopeFields = (
  { it: staff, properties }: StaffForm,
  action: string,
  failedSubmission?: FailedSubmission
): Html =>
  html`${select(makeFieldFiller(failedSubmission, action, staff?.id), {
    name: PROPERTY_SCOPE_FIELD,
    label: "Properties",
    value: (staff?.property_ids.length ?? 0) === 0 ? "all" : "some",
    options: [
      { value: "all", label: "All properties, also future ones" },
      { value: "some", label: "Only the ticked properties" }
    ],
    isEdit: staff !== null
  })}${propertyCheckboxes({
    legend: "Only these properties",
    properties,
    selected: makeMultiFieldFiller(
      failedSubmission,
      action,
      staff?.id
    )("property_ids", (staff?.property_ids ?? []).map(String)),
    emptyText: "No properties yet.",
    ...(staff === null
      ? {}
      : {
          initial: initialSelection(
            makeFieldFiller(failedSubmission, action, staff.id),
            "property_ids",
            staff.property_ids
          )
        })
  })}`

const deleteForm = (visit: SignedInVisit, { id, name }: NonNullable<StaffForm["it"]>): Html =>
  disclosure(
    "Delete…",
    html`<p>Their tasks become unassigned. To keep the record, set the status to “Inactive” instead.</p>
${actionForm(visit, { action: "delete_staff", label: "Delete", subject: name, id, kind: "danger" })}`
  )
