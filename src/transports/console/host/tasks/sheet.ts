import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Passing, Sheet, SheetTask } from "../../queries/DaySheet.ts"
import type { SignedInVisit } from "../../visit.ts"
import { hereWith } from "../page.ts"
import { badge, dayText, link, section, table } from "../parts.ts"
import { runsOf } from "./plan.ts"
import { statusWords, whatOf } from "./words.ts"

// The work of a day on paper: a part for each person, which can be torn off.

const guests = ({ guest_name, number_of_guests }: Passing): string =>
  `${guest_name ?? "guests"} (${number_of_guests === 1 ? "1 guest" : `${number_of_guests} guests`})`

const comings = (passing: ReadonlyArray<Passing>, { property_id }: SheetTask): Html => {
  const here = passing.filter((each) => each.property_id === property_id)
  return here.length === 0
    ? html`nobody`
    : html`${here.map((each) => html`${each.arrives ? "Arrives from" : "Leaves by"} ${each.time}: ${guests(each)}<br>`)}`
}

const place = ({ property_title, address }: SheetTask): Html =>
  html`<strong>${property_title ?? ""}</strong>${address === null || address === "" ? nothing : html`<br>${address}`}`

const todo = ({ note, status, ...task }: SheetTask): Html =>
  html`${whatOf(task)}${status === "completed" ? html` ${badge(statusWords(status), "good")}` : nothing}${note === "" ? nothing : html`<br>${note}`}`

const ofPerson = (passing: ReadonlyArray<Passing>, tasks: ReadonlyArray<SheetTask>): Html =>
  table(
    { empty: "" },
    [
      { label: "Time", cell: ({ time }) => time ?? "any" },
      { label: "Where", cell: place },
      { label: "What", cell: todo },
      { label: "Who comes and goes", cell: (task) => comings(passing, task) }
    ],
    tasks
  )

export const sheetOf = (
  visit: SignedInVisit,
  day: string,
  { tasks, total, passing }: Sheet
): Html => html`<p class="noprint">${link(hereWith(visit, { sheet: undefined }), "Back to the tasks")}. Print this page with your browser.</p>
<p>${dayText(day)}</p>
${total > tasks.length ? html`<p class="message note">The first ${tasks.length} of ${total} tasks are here: choose a person to see all of theirs.</p>` : nothing}
${
  tasks.length === 0
    ? html`<p>There is nothing to do on this day.</p>`
    : runsOf(tasks, ({ staff_id }) => String(staff_id)).map(({ rows }) =>
        section(rows[0]?.staff_name ?? "Nobody yet", ofPerson(passing, rows))
      )
}`
