import type { Task } from "../../../../domain/work/tasks/contract.ts"
import { CODE, TASK_NOTE } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { PersonChoices } from "../../queries/choices.ts"
import type { TaskChoices } from "../../queries/WorkPlan.ts"
import type { SignedInVisit } from "../../visit.ts"
import {
  area,
  asLines,
  asNumber,
  asText,
  behind,
  type Fill,
  filling,
  formOf,
  input,
  type Option,
  orNull,
  select,
  withOwn
} from "../fields.ts"
import { hereWith, type NotTaken } from "../page.ts"
import { dayIn, historyLink, idIn, link, section } from "../parts.ts"
import { LEVELS, STATUSES, TYPES } from "./words.ts"

// The forms for a task: a new one, and one that is there.

/** A browser leaves the seconds out. */
const asTime = (text: string): string => (/^\d{2}:\d{2}$/.test(text.trim()) ? `${text.trim()}:00` : text.trim())

/** How what is filled in becomes what the operations take. */
export const NEW = {
  type: asText,
  property_id: asNumber,
  stay_code: asText,
  staff_id: asNumber,
  expected_date: asText,
  expected_time: asTime,
  level: asText,
  fee: asNumber,
  note: asLines
}
export const CHANGEABLE = {
  type: asText,
  status: asText,
  property_id: orNull(asNumber),
  staff_id: orNull(asNumber),
  expected_date: orNull(asText),
  expected_time: orNull(asTime),
  level: orNull(asText),
  fee: (text: string) => (text.trim() === "" ? 0 : asNumber(text)),
  note: asLines
}

/** Who gets tasks; of whoever works in some properties alone that is said, as no other task can go there. */
export const peopleOptions = (people: PersonChoices): ReadonlyArray<Option> =>
  people.map(({ id, name, properties, is_active }) => {
    const limits = is_active
      ? properties === 0
        ? ""
        : ` (works in ${properties} of the properties)`
      : " (switched off)"
    return { value: id, words: `${name}${limits}` }
  })

/** Nobody is given a task who is switched off; who has it already keeps it. */
const choosable = (people: PersonChoices, of?: number | null): ReadonlyArray<Option> =>
  peopleOptions(people.filter(({ id, is_active }) => is_active || id === of))

interface Filled extends Partial<Omit<Task, "property_id">> {
  readonly property_id?: number | null | undefined
}

/** The fields that both forms have. */
const fieldsOf = (fill: Fill, { properties, people }: TaskChoices, currency: string, task: Filled, edited: boolean) => {
  const { type, property_id, staff_id, expected_date, expected_time, level, fee, note } = task
  return html`${select(fill, { name: "type", label: "What", value: type ?? "cleaning", options: TYPES, edited })}${select(
    fill,
    {
      name: "property_id",
      label: "Property",
      none: "None",
      value: property_id ?? "",
      options: withOwn(
        properties.map(({ id, title }) => ({ value: id, words: title })),
        property_id,
        task.property_title
      ),
      edited
    }
  )}${select(fill, { name: "staff_id", label: "Person", none: "Nobody yet", value: staff_id ?? "", options: withOwn(choosable(people, staff_id), staff_id, task.staff_name), edited })}${input(fill, { name: "expected_date", label: "Day", type: "date", value: expected_date ?? "", edited })}${input(fill, { name: "expected_time", label: "Time", type: "time", value: expected_time?.slice(0, 5) ?? "", edited })}${select(fill, { name: "level", label: "How thorough", hint: "of a cleaning", none: "As usual", value: level ?? "", options: LEVELS, edited })}${input(fill, { name: "fee", label: `Fee in ${currency}`, type: "number", min: 0, step: "any", value: fee === undefined || fee === 0 ? "" : String(fee), edited })}${area(fill, { name: "note", label: "Note", value: note ?? "", maxlength: TASK_NOTE, edited })}`
}

const backTo = (
  visit: SignedInVisit,
  field: string
): Html => html`<p>${link(hereWith(visit, { [field]: undefined }), "Back to the tasks")}</p>
`

export const newTask = (visit: SignedInVisit, choices: TaskChoices, notTaken?: NotTaken): Html => {
  const fill = filling(notTaken, "create")
  const known = { expected_date: dayIn(visit, "day") ?? null, property_id: idIn(visit, "property") }
  return section(
    "A new task",
    html`${formOf(visit, {
      act: "create",
      button: "Add the task",
      fields: html`${fieldsOf(fill, choices, visit.session.person.caller.currency, known, false)}${input(fill, { name: "stay_code", label: "Reservation", hint: "its code, if it is for one: the property is then that one's", value: visit.query.get("stay") ?? "", maxlength: CODE })}`
    })}${backTo(visit, "add")}`
  )
}

export const oneTask = (visit: SignedInVisit, task: Task, choices: TaskChoices, notTaken?: NotTaken): Html => {
  const fill = filling(notTaken, "change", task.id)
  const status = select(fill, { name: "status", label: "Stands", value: task.status, options: STATUSES, edited: true })
  return section(
    "The task",
    html`${task.stay_code === null ? nothing : html`<p>For the reservation ${task.stay_code}. It stays with that: delete the task and add another for a different one.</p>`}${formOf(
      visit,
      {
        act: "change",
        button: "Change it",
        id: task.id,
        fields: html`${status}${fieldsOf(fill, choices, task.currency, task, true)}`
      }
    )}${behind(
      "Delete the task",
      formOf(visit, { act: "delete", button: "Delete it for good", kind: "danger", id: task.id })
    )}${historyLink(`task:${task.id}`)}${backTo(visit, "change")}`
  )
}
