import { type Html, html, nothing } from "../../../docs/html.ts"
import type { DaySheetData, DaySheetTask, GuestMovement } from "../../queries/DaySheet.ts"
import type { SignedInVisit } from "../../visit.ts"
import { badge, formatDay, link, section, table } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { taskStatusLabel, taskTypeText } from "./task-labels.ts"
import { groupConsecutiveRows } from "./task-plan.ts"

const guestText = ({ guest_name, number_of_guests }: GuestMovement): string =>
  `${guest_name ?? "guests"} (${number_of_guests === 1 ? "1 guest" : `${number_of_guests} guests`})`

const guestMovementsCell = (movements: ReadonlyArray<GuestMovement>, { property_id }: DaySheetTask): Html => {
  const propertyMovements = movements.filter((each) => each.property_id === property_id)
  return propertyMovements.length === 0
    ? html`nobody`
    : html`${propertyMovements.map((each) => html`${each.arrives ? "Arrives from" : "Leaves by"} ${each.time}: ${guestText(each)}<br>`)}`
}

const locationCell = ({ property_title, address }: DaySheetTask): Html =>
  html`<strong>${property_title ?? ""}</strong>${address === null || address === "" ? nothing : html`<br>${address}`}`

const taskCell = ({ note, status, ...task }: DaySheetTask): Html =>
  html`${taskTypeText(task)}${status === "completed" ? html` ${badge(taskStatusLabel(status), "good")}` : nothing}${note === "" ? nothing : html`<br>${note}`}`

const staffTable = (movements: ReadonlyArray<GuestMovement>, tasks: ReadonlyArray<DaySheetTask>): Html =>
  table(
    { empty: "" },
    [
      { label: "Time", cell: ({ time }) => time ?? "any" },
      { label: "Where", cell: locationCell },
      { label: "What", cell: taskCell },
      { label: "Who comes and goes", cell: (task) => guestMovementsCell(movements, task) }
    ],
    tasks
  )

export const daySheet = (
  visit: SignedInVisit,
  day: string,
  { tasks, total, passing: movements }: DaySheetData
): Html => html`<p class="noprint">${link(currentUrlWith(visit, { sheet: undefined }), "Back to the tasks")}. Print this page with your browser.</p>
<p>${formatDay(day)}</p>
${total > tasks.length ? html`<p class="message note">The first ${tasks.length} of ${total} tasks are here: choose a person to see all of theirs.</p>` : nothing}
${
  tasks.length === 0
    ? html`<p>There is nothing to do on this day.</p>`
    : groupConsecutiveRows(tasks, ({ staff_id }) => String(staff_id)).map(({ rows }) =>
        section(rows[0]?.staff_name ?? "Nobody yet", staffTable(movements, rows))
      )
}`
