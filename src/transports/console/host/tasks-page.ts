import { DateTime, Effect } from "effect"
import { addDays, dateInZone, daysInRange } from "../../../contract/time.ts"
import { search_tasks } from "../../../domain/work/tasks/contract.ts"
import { SEARCH_DAYS, TASKS_SHOWN } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { DaySheet } from "../queries/DaySheet.ts"
import { WorkPlan, type WorkPlanData } from "../queries/WorkPlan.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeQuery } from "./api-operations.ts"
import { filterForm, input, makeFieldFiller, select } from "./form-fields.ts"
import { type FailedSubmission, makeHostPage, notFoundView } from "./host-page.ts"
import {
  buttonLink,
  formatDayRange,
  link,
  pagination,
  pluralize,
  readDateParam,
  readIdParam,
  readOffsetParam
} from "./page-parts.ts"
import { currentUrlWith } from "./page-url.ts"
import { periodSteps } from "./period-steps.ts"
import { daySheet } from "./tasks/day-sheet.ts"
import { makeTaskActions, readFormSubject, readTaskSubject } from "./tasks/task-actions.ts"
import { editTaskForm, newTaskForm, staffOptions } from "./tasks/task-form.ts"
import { taskName } from "./tasks/task-labels.ts"
import { planSections } from "./tasks/task-plan.ts"
import { TASKS_PATH, tasksUrl } from "./urls.ts"

const DEFAULT_DAYS = 7

export const makeTasksPage = Effect.gen(function* () {
  const [service, plan, daySheetQuery] = [yield* Service, yield* WorkPlan, yield* DaySheet]
  const search = makeQuery(service, search_tasks)
  const TITLE = "Tasks"

  const renderTask = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    id: number,
    failedSubmission?: FailedSubmission
  ) {
    const [task] = (yield* search(visit, { id })).tasks
    if (task === undefined) return notFoundView(TITLE, "This task does not exist. It may have been deleted.")
    return { title: taskName(task), body: editTaskForm(visit, task, yield* plan.choices, failedSubmission) }
  })

  const renderList = Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
    const today = dateInZone(yield* DateTime.nowAsDate, visit.session.person.caller.timeZone)
    const dateRange = readDateRange(visit, today)
    const rangeError = findRangeError(dateRange)
    if (rangeError !== undefined)
      return { title: TITLE, body: html`${rangeError}${taskFilterForm(visit, dateRange, [], true)}` }
    const [offset, staff] = [readOffsetParam(visit), readIdParam(visit, "staff")]
    const taskPlan = yield* plan.of({ ...dateRange, staff, offset })
    return {
      title: TITLE,
      primaryAction: buttonLink(currentUrlWith(visit, { add: 1 }), "New task"),
      body: html`${periodNavigation(visit, dateRange)}
${taskFilterForm(visit, dateRange, taskPlan.people)}${overdueNote(taskPlan, dateRange.from, staff)}${planSections(visit, taskPlan, failedSubmission)}${pagination(visit, { offset, limit: TASKS_SHOWN, total: taskPlan.total })}`
    }
  })

  return makeHostPage({
    path: TASKS_PATH,
    show: Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
      const [sheetDay, taskId] = [readDateParam(visit, "sheet"), readIdParam(visit, "change")]
      if (sheetDay !== undefined) {
        const dayTasks = yield* daySheetQuery.of(sheetDay, readIdParam(visit, "staff"))
        return { title: `${visit.session.operatorName}: tasks`, body: daySheet(visit, sheetDay, dayTasks) }
      }
      if (taskId !== undefined) return yield* renderTask(visit, taskId, failedSubmission)
      if (!visit.query.has("add")) return yield* renderList(visit, failedSubmission)
      const currency = yield* plan.currencyOf(
        failedSubmission === undefined
          ? readTaskSubject(visit.query, "property", "stay")
          : readFormSubject(failedSubmission.form)
      )
      return { title: "New task", body: newTaskForm(visit, yield* plan.choices, currency, failedSubmission) }
    }),
    actions: makeTaskActions(service, plan)
  })
})

interface TaskDateRange {
  readonly from: string
  readonly to: string
}

const readDateRange = (visit: SignedInVisit, today: string): TaskDateRange => {
  const from = readDateParam(visit, "from") ?? today
  return { from, to: readDateParam(visit, "to") ?? addDays(from, DEFAULT_DAYS - 1) }
}

const findRangeError = ({ from, to }: TaskDateRange): Html | undefined => {
  const count = daysInRange(from, to)
  if (count >= 1 && count <= SEARCH_DAYS) return undefined
  const errorText = count < 1 ? "The last day is before the first day." : `Choose at most ${SEARCH_DAYS} days.`
  return html`<p class="message error" role="alert">${errorText}</p>
`
}

const periodNavigation = (visit: SignedInVisit, { from, to }: TaskDateRange): Html => {
  const count = daysInRange(from, to)
  const shiftedStep = (days: number) => {
    const shifted = { from: addDays(from, days), to: addDays(to, days) }
    return {
      url: currentUrlWith(visit, { ...shifted, offset: undefined }),
      label: formatDayRange(shifted.from, shifted.to)
    }
  }
  return periodSteps(shiftedStep(-count), formatDayRange(from, to), shiftedStep(count))
}

const taskFilterForm = (
  visit: SignedInVisit,
  { from, to }: TaskDateRange,
  people: WorkPlanData["people"],
  isOpen = false
): Html => {
  const fillField = makeFieldFiller(undefined, "")
  return filterForm(
    visit.path,
    html`${input(fillField, { name: "from", label: "From", type: "date", value: from })}${input(fillField, { name: "to", label: "To", type: "date", value: to })}${select(fillField, { name: "staff", label: "Assigned to", emptyLabel: "Everyone", value: readIdParam(visit, "staff") ?? "", options: staffOptions(people) })}`,
    isOpen
  )
}

const overdueNote = ({ left_over }: WorkPlanData, from: string, staff: number | undefined): Html => {
  if (left_over === 0) return nothing
  const earlierTasksUrl = tasksUrl({
    ...{ from: addDays(from, -SEARCH_DAYS), to: addDays(from, -1) },
    ...(staff === undefined ? {} : { staff })
  })
  return html`<p class="message note">${link(earlierTasksUrl, pluralize(left_over, "overdue task"))}</p>
`
}
