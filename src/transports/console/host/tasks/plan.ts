import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Plan, Planned } from "../../queries/WorkPlan.ts"
import { ACT_FIELD, type SignedInVisit } from "../../visit.ts"
import { stayAddress } from "../addresses.ts"
import { formOf } from "../fields.ts"
import { hereWith } from "../page.ts"
import { badge, dayText, link, moneyText, section, table } from "../parts.ts"
import { statusWords, whatOf } from "./words.ts"

// The tasks by day, and on each day by person.

/** Runs of rows that have something in common, in their order. */
export const runsOf = <Row>(
  rows: ReadonlyArray<Row>,
  of: (row: Row) => string | null
): ReadonlyArray<{ readonly of: string | null; readonly rows: ReadonlyArray<Row> }> => {
  const starts = rows.flatMap((row, at) => {
    const before = rows[at - 1]
    return before === undefined || of(before) !== of(row) ? [{ of: of(row), at }] : []
  })
  return starts.map((start, index) => ({ of: start.of, rows: rows.slice(start.at, starts[index + 1]?.at) }))
}

const KINDS = { pending: "wait", in_progress: "wait", completed: "good", cancelled: undefined } as const

/** One touch each: what is next for the task. */
const buttons = (visit: SignedInVisit, { id, type, status, property_title }: Planned): Html => {
  if (status === "completed" || status === "cancelled") return nothing
  const of = `${type} ${property_title ?? ""}`
  const begin =
    status === "pending"
      ? html`<button name="${ACT_FIELD}" value="begin" aria-label="Begin ${of}">Begin</button> `
      : nothing
  return formOf(visit, {
    act: "finish",
    button: "Done",
    of,
    fields: html`<input type="hidden" name="seen" value="${status}">${begin}`,
    id,
    kind: "plain",
    row: true
  })
}

const what = ({ note, fee, currency, ...task }: Planned): Html =>
  html`${whatOf(task)}${note === "" ? nothing : html`<br><span class="soft name">${note}</span>`}${Number(fee) === 0 ? nothing : html` <span class="soft">${moneyText(fee, currency)}</span>`}`

const tasksTable = (visit: SignedInVisit, tasks: ReadonlyArray<Planned>): Html =>
  table(
    { empty: "" },
    [
      { label: "Time", cell: ({ time }) => time ?? "any" },
      { label: "What", cell: what },
      { label: "Where", cell: ({ property_title }) => property_title ?? "" },
      { label: "Stay", cell: ({ stay_code }) => (stay_code === null ? "" : link(stayAddress(stay_code), stay_code)) },
      { label: "Stands", cell: ({ status }) => badge(statusWords(status), KINDS[status]) },
      {
        label: "Task",
        cell: (task) =>
          html`<div class="acts">${link(hereWith(visit, { change: task.id }), "Change")}${buttons(visit, task)}</div>`
      }
    ],
    tasks
  )

const dayOf = (visit: SignedInVisit, day: string | null, tasks: ReadonlyArray<Planned>): Html =>
  section(
    day === null ? "On no day in particular" : dayText(day),
    html`${day === null ? nothing : html`<p class="noprint">${link(hereWith(visit, { sheet: day }), "Sheet to print")}</p>`}
${runsOf(tasks, ({ staff_id }) => String(staff_id)).map(
  ({ rows }) => html`<h3>${rows[0]?.staff_name ?? "Nobody yet"}</h3>
${tasksTable(visit, rows)}`
)}`
  )

export const planOf = (visit: SignedInVisit, { tasks }: Plan): Html =>
  tasks.length === 0
    ? html`<p>There is nothing to do on these days.</p>`
    : html`${runsOf(tasks, ({ day }) => day).map(({ of: day, rows }) => dayOf(visit, day, rows))}`
