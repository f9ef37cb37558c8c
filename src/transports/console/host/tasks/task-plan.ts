import { TASK_ROW_STAFF_MAX } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { formKeyFields } from "../../form-keys.ts"
import type { StaffChoices } from "../../queries/form-choices.ts"
import type { PlannedTask, WorkPlanData } from "../../queries/WorkPlan.ts"
import { ACTION_FIELD, type SignedInVisit } from "../../visit.ts"
import { makeFieldFiller, withCurrentOption } from "../form-fields.ts"
import type { FailedSubmission } from "../host-page.ts"
import { badge, formatDay, formatMoney, link, section, table } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { stayUrl } from "../urls.ts"
import { taskName, taskStatusLabel, taskTypeText } from "./task-labels.ts"

export const groupConsecutiveRows = <Row>(
  rows: ReadonlyArray<Row>,
  keyOf: (row: Row) => string | null
): ReadonlyArray<{ readonly key: string | null; readonly rows: ReadonlyArray<Row> }> => {
  const runStarts = rows.flatMap((row, index) => {
    const before = rows[index - 1]
    return before === undefined || keyOf(before) !== keyOf(row) ? [{ key: keyOf(row), index }] : []
  })
  return runStarts.map((start, index) => ({
    key: start.key,
    rows: rows.slice(start.index, runStarts[index + 1]?.index)
  }))
}

const STATUS_BADGE_KINDS = { pending: "wait", in_progress: "wait", completed: "good", cancelled: undefined } as const

interface PlanOptions {
  /** Undefined if there are too many for a row. Then a task is assigned on its own page. */
  readonly staff: StaffChoices | undefined
  readonly failedSubmission: FailedSubmission | undefined
}

const UNASSIGNED_LABEL = "Unassigned"

const staffSelect = (task: PlannedTask, subject: string, { staff, failedSubmission }: PlanOptions): Html => {
  if (staff === undefined) return html`${task.staff_name ?? UNASSIGNED_LABEL} `
  const fillField = makeFieldFiller(failedSubmission, "assign", task.id)
  const selectedId = fillField("staff_id", String(task.staff_id ?? ""))
  const choices = staff.map(({ id, name }) => ({ value: id, label: name }))
  const options = withCurrentOption(choices, task.staff_id, task.staff_name)
  return html`<select name="staff_id" aria-label="Assign ${subject} to"${fillField.errors?.has("staff_id") === true ? INVALID_ATTRIBUTE : nothing}>
${[{ value: "", label: UNASSIGNED_LABEL }, ...options].map(({ value, label }) => html`<option value="${value}"${String(value) === selectedId ? SELECTED_ATTRIBUTE : nothing}>${label}</option>`)}
</select>${actButton("assign", "Save", subject)}`
}

const SELECTED_ATTRIBUTE: Html = { html: " selected" }
const INVALID_ATTRIBUTE: Html = { html: ' aria-invalid="true"' }

const actButton = (action: string, label: string, subject: string): Html =>
  html`<button name="${ACTION_FIELD}" value="${action}" aria-label="${label} ${subject}">${label}</button>`

/** One form of the row: its buttons assign, start or finish the task. */
const rowForm = (visit: SignedInVisit, task: PlannedTask, options: PlanOptions): Html => {
  const { id, status, staff_name } = task
  if (status === "completed" || status === "cancelled") return html`${staff_name ?? UNASSIGNED_LABEL}`
  const subject = taskName(task)
  return html`<form method="post" action="${currentUrlWith(visit)}" class="row-form">
${formKeyFields(visit)}<input type="hidden" name="id" value="${id}"><input type="hidden" name="seen" value="${status}">
${staffSelect(task, subject, options)}${status === "pending" ? actButton("begin", "Start", subject) : nothing}${actButton("finish", "Done", subject)}
</form>`
}

const taskCell = (visit: SignedInVisit, task: PlannedTask): Html => {
  const { id, time, property_title, stay_code, note, fee, currency } = task
  const feeText = Number(fee) === 0 ? nothing : html` ${formatMoney(fee, currency)}`
  const stayLink = stay_code === null ? nothing : html` ${link(stayUrl(stay_code), stay_code)}`
  return html`<span class="task-name">${time === null ? nothing : html`<span class="number">${time}</span> `}${link(currentUrlWith(visit, { change: id }), taskTypeText(task))}${property_title === null ? nothing : html` ${property_title}`}<span class="soft wide-only">${feeText}${stayLink}</span>${note === "" ? nothing : html`<span class="short-note soft">${note}</span>`}</span>`
}

const statusBadge = ({ status }: PlannedTask): Html => {
  const label = badge(taskStatusLabel(status), STATUS_BADGE_KINDS[status])
  return status === "pending" ? html`<span class="wide-only">${label}</span>` : label
}

const tasksTable = (visit: SignedInVisit, tasks: ReadonlyArray<PlannedTask>, options: PlanOptions): Html =>
  table(
    { empty: "" },
    [
      { label: "Task", cell: (task) => taskCell(visit, task) },
      { label: "Status", cell: statusBadge, onPhone: "side" },
      { label: "Assigned to", cell: (task) => rowForm(visit, task, options), onPhone: "actions" }
    ],
    tasks
  )

const daySection = (
  visit: SignedInVisit,
  day: string | null,
  tasks: ReadonlyArray<PlannedTask>,
  options: PlanOptions
): Html =>
  section(
    day === null ? "No date" : formatDay(day),
    html`${tasksTable(visit, tasks, options)}${day === null ? nothing : html`<p class="noprint soft">${link(currentUrlWith(visit, { sheet: day }), "Print sheet")}</p>`}`
  )

export const planSections = (
  visit: SignedInVisit,
  { tasks, people }: WorkPlanData,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const activeStaff = people.filter(({ is_active }) => is_active)
  const staff = activeStaff.length > TASK_ROW_STAFF_MAX ? undefined : activeStaff
  return tasks.length === 0
    ? html`<p class="empty">No tasks on these days. ${link(currentUrlWith(visit, { add: 1 }), "New task")}</p>`
    : html`${groupConsecutiveRows(tasks, ({ day }) => day).map(({ key: day, rows }) => daySection(visit, day, rows, { staff, failedSubmission }))}`
}
