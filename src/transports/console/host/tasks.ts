import { DateTime, Effect } from "effect"
import { addDays, dateInZone, daysInRange } from "../../../contract/time.ts"
import { search_tasks } from "../../../domain/work/tasks/contract.ts"
import { SEARCH_DAYS, TASKS_SHOWN } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { DaySheet } from "../queries/DaySheet.ts"
import { type Plan, WorkPlan } from "../queries/WorkPlan.ts"
import type { Form, SignedInVisit } from "../visit.ts"
import { TASKS_PATH, tasksAddress } from "./addresses.ts"
import { doing, reading, unlessOvertaken } from "./asking.ts"
import { asNumber, filling, givenIn, input, lookingForm, select, touchedIn } from "./fields.ts"
import { type HostAct, hereWith, hostPage, type NotTaken, notThere } from "./page.ts"
import { dayIn, dayText, idIn, link, offsetIn, pages } from "./parts.ts"
import { CHANGEABLE, NEW, newTask, oneTask, peopleOptions } from "./tasks/form.ts"
import { planOf } from "./tasks/plan.ts"
import { sheetOf } from "./tasks/sheet.ts"

/** Days of tasks that are shown where nothing says how many. */
const DAYS = 7

/** What there is to do, by day and person; one task in a form; and a day on paper. */
export const makeTasksPage = Effect.gen(function* () {
  const [service, plan, sheet] = [yield* Service, yield* WorkPlan, yield* DaySheet]
  const search = reading(service, search_tasks)
  const TITLE = "Tasks"

  const changed = Effect.fnUntraced(function* (visit: SignedInVisit, id: number, notTaken?: NotTaken) {
    const [task] = (yield* search(visit, { id })).tasks
    if (task === undefined) return notThere(TITLE, "There is no such task: it may have been deleted.")
    return { title: TITLE, body: oneTask(visit, task, yield* plan.choices(operatorOf(visit)), notTaken) }
  })

  const listed = Effect.fnUntraced(function* (visit: SignedInVisit) {
    const today = dateInZone(yield* DateTime.nowAsDate, visit.session.person.caller.timeZone)
    const days = daysIn(visit, today)
    const wrong = wrongWith(days)
    if (wrong !== undefined) return { title: TITLE, body: html`${wrong}${looking(visit, days, [])}` }
    const [offset, staff] = [offsetIn(visit), idIn(visit, "staff")]
    const found = yield* plan.of(operatorOf(visit), { ...days, staff, offset })
    return {
      title: TITLE,
      body: html`${looking(visit, days, found.people)}
<p class="acts noprint">${link(hereWith(visit, { add: 1 }), "Add a task")} ${link(hereWith(visit, { sheet: days.from }), `Sheet to print, ${dayText(days.from)}`)}</p>
${leftOver(found, days.from, staff)}${planOf(visit, found)}${pages(visit, { offset, limit: TASKS_SHOWN, total: found.total })}`
    }
  })

  return hostPage({
    path: TASKS_PATH,
    show: Effect.fnUntraced(function* (visit: SignedInVisit, notTaken?: NotTaken) {
      const [day, change] = [dayIn(visit, "sheet"), idIn(visit, "change")]
      if (day !== undefined) {
        const ofDay = yield* sheet.of(operatorOf(visit), day, idIn(visit, "staff"))
        return { title: `${visit.session.operatorName}: what to do`, body: sheetOf(visit, day, ofDay) }
      }
      if (change !== undefined) return yield* changed(visit, change, notTaken)
      if (!visit.query.has("add")) return yield* listed(visit)
      return { title: TITLE, body: newTask(visit, yield* plan.choices(operatorOf(visit)), notTaken) }
    }),
    acts: actsOf(service)
  })
})

const operatorOf = ({ session }: SignedInVisit): number => session.person.caller.operatorId

const ID = { id: asNumber }

const actsOf = (service: Service["Service"]): Readonly<Record<string, HostAct>> => {
  const [act, search] = [doing(service), reading(service, search_tasks)]
  const onward = (visit: SignedInVisit, form: string) =>
    ({ _tag: "GoOn", to: hereWith(visit, { [form]: undefined }) }) as const
  const becoming = (status: string) => (visit: SignedInVisit, form: Form) =>
    Effect.flatMap(search(visit, givenIn(form, ID)), ({ tasks: [task] }) =>
      unlessOvertaken(
        { now: task?.status, seen: form.get("seen"), wanted: status },
        act(visit, form, "update_task", { ...givenIn(form, ID), status })
      )
    )
  return {
    create: {
      done: "The task is added.",
      run: (visit, form) => Effect.as(act(visit, form, "create_task", givenIn(form, NEW)), onward(visit, "add"))
    },
    change: {
      done: "The task is changed.",
      run: (visit, form) =>
        Effect.as(
          act(visit, form, "update_task", { ...givenIn(form, ID), ...touchedIn(form, CHANGEABLE) }),
          onward(visit, "change")
        )
    },
    begin: { done: "The task is under way.", run: becoming("in_progress") },
    finish: { done: "The task is done.", run: becoming("completed") },
    delete: {
      done: "The task is deleted.",
      run: (visit, form) => Effect.as(act(visit, form, "delete_task", givenIn(form, ID)), onward(visit, "change"))
    }
  }
}

interface Days {
  readonly from: string
  readonly to: string
}

/** Today and the days after it, unless the address says others. */
const daysIn = (visit: SignedInVisit, today: string): Days => {
  const from = dayIn(visit, "from") ?? today
  return { from, to: dayIn(visit, "to") ?? addDays(from, DAYS - 1) }
}

const wrongWith = ({ from, to }: Days): Html | undefined => {
  const count = daysInRange(from, to)
  if (count >= 1 && count <= SEARCH_DAYS) return undefined
  const words =
    count < 1 ? "The last day is before the first." : `At most ${SEARCH_DAYS} days are shown: choose a shorter time.`
  return html`<p class="message error" role="alert">${words}</p>
`
}

const looking = (visit: SignedInVisit, { from, to }: Days, people: Plan["people"]): Html => {
  const fill = filling(undefined, "")
  return lookingForm(
    visit.path,
    html`${input(fill, { name: "from", label: "From", type: "date", value: from })}${input(fill, { name: "to", label: "To", type: "date", value: to })}${select(fill, { name: "staff", label: "Person", none: "Everybody", value: idIn(visit, "staff") ?? "", options: peopleOptions(people) })}`,
    "Show"
  )
}

const leftOver = ({ left_over }: Plan, from: string, staff: number | undefined): Html => {
  if (left_over === 0) return nothing
  const earlier = tasksAddress({
    ...{ from: addDays(from, -SEARCH_DAYS), to: addDays(from, -1) },
    ...(staff === undefined ? {} : { staff })
  })
  return html`<p class="message note">${link(earlier, `${left_over} of earlier days`)} ${left_over === 1 ? "is" : "are"} not done yet.</p>
`
}
