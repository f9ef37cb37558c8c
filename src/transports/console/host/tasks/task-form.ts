import type { Task } from "../../../../domain/work/tasks/contract.ts"
import { computeNoteMaxLength } from "../../../../domain/work/tasks/note.ts"
import { RECORD_CODE_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { StaffChoices } from "../../queries/form-choices.ts"
import type { TaskChoices } from "../../queries/WorkPlan.ts"
import type { SignedInVisit } from "../../visit.ts"
import {
  actionForm,
  disclosure,
  type FieldFiller,
  input,
  makeFieldFiller,
  type SelectOption,
  select,
  textArea,
  withCurrentOption
} from "../form-fields.ts"
import { nullIfEmpty, parseLines, parseNumber, parseText } from "../form-values.ts"
import type { FailedSubmission } from "../host-page.ts"
import { activityLogLink, link, pluralize, readDateParam, readIdParam } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { stayUrl } from "../urls.ts"
import { TASK_LEVEL_OPTIONS, TASK_STATUS_OPTIONS, TASK_TYPE_OPTIONS } from "./task-labels.ts"

/** Adds seconds, because browsers send times without them. */
const parseTime = (text: string): string => (/^\d{2}:\d{2}$/.test(text.trim()) ? `${text.trim()}:00` : text.trim())

export const TASK_CREATE_PARSERS = {
  type: parseText,
  property_id: parseNumber,
  stay_code: parseText,
  staff_id: parseNumber,
  expected_date: parseText,
  expected_time: parseTime,
  level: parseText,
  fee: parseNumber,
  note: parseLines
}
export const TASK_EDIT_PARSERS = {
  type: parseText,
  status: parseText,
  property_id: nullIfEmpty(parseNumber),
  staff_id: nullIfEmpty(parseNumber),
  expected_date: nullIfEmpty(parseText),
  expected_time: nullIfEmpty(parseTime),
  level: nullIfEmpty(parseText),
  fee: (text: string) => (text.trim() === "" ? 0 : parseNumber(text)),
  note: parseLines
}

/** The API rejects tasks at other properties than those of the person. */
export const staffOptions = (people: StaffChoices): ReadonlyArray<SelectOption> =>
  people.map(({ id, name, properties, is_active }) => {
    const limitNote = is_active
      ? properties === 0
        ? ""
        : ` (${pluralize(properties, "property", "properties")})`
      : " (inactive)"
    return { value: id, label: `${name}${limitNote}` }
  })

export const assignableStaff = (people: StaffChoices, assignedId?: number | null): ReadonlyArray<SelectOption> =>
  staffOptions(people.filter(({ id, is_active }) => is_active || id === assignedId))

interface TaskValues extends Partial<Omit<Task, "property_id">> {
  readonly property_id?: number | null | undefined
}

const taskFields = (
  fillField: FieldFiller,
  { properties, people }: TaskChoices,
  feeText: { readonly label: string; readonly hint?: string },
  task: TaskValues,
  isEdit: boolean
) => {
  const { type, property_id, staff_id, expected_date, expected_time, level, fee, note } = task
  return html`${select(fillField, { name: "type", label: "Type", value: type ?? "cleaning", options: TASK_TYPE_OPTIONS, isEdit })}${select(
    fillField,
    {
      name: "property_id",
      label: "Property",
      emptyLabel: "None",
      value: property_id ?? "",
      options: withCurrentOption(
        properties.map(({ id, title }) => ({ value: id, label: title })),
        property_id,
        task.property_title
      ),
      isEdit
    }
  )}${select(fillField, { name: "staff_id", label: "Assigned to", emptyLabel: "Unassigned", value: staff_id ?? "", options: withCurrentOption(assignableStaff(people, staff_id), staff_id, task.staff_name), isEdit })}${input(fillField, { name: "expected_date", label: "Date", type: "date", value: expected_date ?? "", isEdit })}${input(fillField, { name: "expected_time", label: "Time", type: "time", value: expected_time?.slice(0, 5) ?? "", isEdit })}${select(fillField, { name: "level", label: "Cleaning level", emptyLabel: "Default (standard)", value: level ?? "", options: TASK_LEVEL_OPTIONS, isEdit })}${input(fillField, { name: "fee", ...feeText, type: "number", min: 0, step: "any", value: fee === undefined || fee === 0 ? "" : String(fee), isEdit })}${textArea(fillField, { name: "note", label: "Note", value: note ?? "", maxlength: computeNoteMaxLength(note ?? ""), isEdit })}`
}

const backLink = (
  visit: SignedInVisit,
  queryField: string
): Html => html`<p>${link(currentUrlWith(visit, { [queryField]: undefined }), "Back to Tasks")}</p>
`

export const newTaskForm = (
  visit: SignedInVisit,
  choices: TaskChoices,
  currency: string,
  failedSubmission?: FailedSubmission
): Html => {
  const fillField = makeFieldFiller(failedSubmission, "create")
  const prefilled = { expected_date: readDateParam(visit, "day") ?? null, property_id: readIdParam(visit, "property") }
  return html`<section>
${actionForm(visit, {
  action: "create",
  label: "Save",
  fields: html`<div class="fields">
${taskFields(fillField, choices, { label: "Fee", hint: `in ${currency}, or the currency of the chosen property` }, prefilled, false)}${input(fillField, { name: "stay_code", label: "Reservation code", hint: "sets the property", value: visit.query.get("stay") ?? "", maxlength: RECORD_CODE_LENGTH })}</div>`
})}${backLink(visit, "add")}</section>
`
}

export const editTaskForm = (
  visit: SignedInVisit,
  task: Task,
  choices: TaskChoices,
  failedSubmission?: FailedSubmission
): Html => {
  const fillField = makeFieldFiller(failedSubmission, "change", task.id)
  const status = select(fillField, {
    name: "status",
    label: "Status",
    value: task.status,
    options: TASK_STATUS_OPTIONS,
    isEdit: true
  })
  return html`<section>
${task.stay_code === null ? nothing : html`<p>For reservation ${link(stayUrl(task.stay_code), task.stay_code)}.</p>`}${actionForm(
  visit,
  {
    action: "change",
    label: "Save",
    id: task.id,
    fields: html`<div class="fields">
${status}${taskFields(fillField, choices, { label: `Fee in ${task.currency}` }, task, true)}</div>`
  }
)}${disclosure(
  "Delete…",
  html`<p>You cannot undo this.</p>
${actionForm(visit, { action: "delete", label: "Delete", kind: "danger", id: task.id })}`
)}${activityLogLink(`task:${task.id}`)}${backLink(visit, "change")}</section>
`
}
