import { type Html, html, nothing } from "../../../docs/html.ts"
import type { DaySheetData, DaySheetTask, GuestMovement } from "../../queries/DaySheet.ts"
import type { SignedInVisit } from "../../visit.ts"
import { badge, formatDay, link, pluralize, section, table } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { taskStatusLabel, taskTypeText } from "./task-labels.ts"
import { groupConsecutiveRows } from "./task-plan.ts"

const guestText = ({ guest_name, number_of_guests }: GuestMovement): string =>
  `${guest_name ?? "Guest"} (${pluralize(number_of_guests, "guest")})`

const guestMovementsCell = (movements: ReadonlyArray<GuestMovement>, { property_id }: DaySheetTask): Html => {
  const propertyMovements = movements.filter((each) => each.property_id === property_id)
  return propertyMovements.length === 0
    ? html`none`
    : html`${propertyMovements.map((each) => html`${each.arrives ? "Check-in from" : "Check-out by"} ${each.time}: ${guestText(each)}<br>`)}`
}

const locationCell = ({ property_title, address }: DaySheetTask): Html =>
  html`<strong>${property_title ?? ""}</strong>${address === null || address === "" ? nothing : html`<br>${address}`}`

const taskCell = ({ note, status, ...task }: DaySheetTask): Html =>
  html`${taskTypeText(task)}${status === "completed" ? html` ${badge(taskStatusLabel(status), "good")}` : nothing}${note === "" ? nothing : html`<br>${note}`}`

const staffTable = (movements: ReadonlyArray<GuestMovement>, tasks: ReadonlyArray<DaySheetTask>): Html =>
  table(
    { empty: "" },
    [
      { label: "Time", cell: ({ time }) => time ?? "Any" },
      { label: "Property", cell: locationCell },
      { label: "Task", cell: taskCell },
      { label: "Guests", cell: (task) => guestMovementsCell(movements, task) }
    ],
    tasks
  )

export const daySheet = (
  visit: SignedInVisit,
  day: string,
  { tasks, total, passing: movements }: DaySheetData
): Html => html`<p class="noprint">${link(currentUrlWith(visit, { sheet: undefined }), "Back to Tasks")}. Print this page with your browser.</p>
<p>${formatDay(day)}</p>
${total > tasks.length ? html`<p class="message note">The first ${tasks.length} of ${total} tasks. Choose a person to see all of their tasks.</p>` : nothing}
${
  tasks.length === 0
    ? html`<p>No tasks on this day.</p>`
    : groupConsecutiveRows(tasks, ({ staff_id }) => String(staff_id)).map(({ rows }) =>
        section(rows[0]?.staff_name ?? "Unassigned", staffTable(movements, rows))
      )
}`
