import { type Html, html, nothing } from "../../../docs/html.ts"
import type { PlannedTask, WorkPlanData } from "../../queries/WorkPlan.ts"
import { ACTION_FIELD, type SignedInVisit } from "../../visit.ts"
import { actionForm } from "../form-fields.ts"
import { badge, formatDay, formatMoney, link, section, table } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { stayUrl } from "../urls.ts"
import { taskStatusLabel, taskTypeText } from "./task-labels.ts"

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

const taskButtons = (visit: SignedInVisit, { id, type, status, property_title }: PlannedTask): Html => {
  if (status === "completed" || status === "cancelled") return nothing
  const subject = `${type} ${property_title ?? ""}`
  const beginButton =
    status === "pending"
      ? html`<button name="${ACTION_FIELD}" value="begin" aria-label="Begin ${subject}">Begin</button> `
      : nothing
  return actionForm(visit, {
    action: "finish",
    label: "Done",
    subject,
    fields: html`<input type="hidden" name="seen" value="${status}">${beginButton}`,
    id,
    kind: "plain",
    isInline: true
  })
}

const taskText = ({ note, fee, currency, ...task }: PlannedTask): Html =>
  html`${taskTypeText(task)}${note === "" ? nothing : html`<br><span class="soft name">${note}</span>`}${Number(fee) === 0 ? nothing : html` <span class="soft">${formatMoney(fee, currency)}</span>`}`

const tasksTable = (visit: SignedInVisit, tasks: ReadonlyArray<PlannedTask>): Html =>
  table(
    { empty: "" },
    [
      { label: "Time", cell: ({ time }) => time ?? "any" },
      { label: "What", cell: taskText },
      { label: "Where", cell: ({ property_title }) => property_title ?? "" },
      { label: "Stay", cell: ({ stay_code }) => (stay_code === null ? "" : link(stayUrl(stay_code), stay_code)) },
      { label: "Stands", cell: ({ status }) => badge(taskStatusLabel(status), STATUS_BADGE_KINDS[status]) },
      {
        label: "Task",
        cell: (task) =>
          html`<div class="acts">${link(currentUrlWith(visit, { change: task.id }), "Change")}${taskButtons(visit, task)}</div>`
      }
    ],
    tasks
  )

const daySection = (visit: SignedInVisit, day: string | null, tasks: ReadonlyArray<PlannedTask>): Html =>
  section(
    day === null ? "On no day in particular" : formatDay(day),
    html`${day === null ? nothing : html`<p class="noprint">${link(currentUrlWith(visit, { sheet: day }), "Sheet to print")}</p>`}
${groupConsecutiveRows(tasks, ({ staff_id }) => String(staff_id)).map(
  ({ rows }) => html`<h3>${rows[0]?.staff_name ?? "Nobody yet"}</h3>
${tasksTable(visit, rows)}`
)}`
  )

export const planSections = (visit: SignedInVisit, { tasks }: WorkPlanData): Html =>
  tasks.length === 0
    ? html`<p>There is nothing to do on these days.</p>`
    : html`${groupConsecutiveRows(tasks, ({ day }) => day).map(({ key: day, rows }) => daySection(visit, day, rows))}`
