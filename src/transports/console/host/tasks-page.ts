import { DateTime, Effect } from "effect"
import { addDays, dateInZone, daysInRange } from "../../../contract/time.ts"
import { search_tasks } from "../../../domain/work/tasks/contract.ts"
import { SEARCH_DAYS, TASKS_SHOWN } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { DaySheet } from "../queries/DaySheet.ts"
import type { FormSubject } from "../queries/form-choices.ts"
import { WorkPlan, type WorkPlanData } from "../queries/WorkPlan.ts"
import { parseRecordId, type SignedInVisit, type SubmittedForm } from "../visit.ts"
import { failIfStale, makeQuery, makeVoidMutation } from "./api-operations.ts"
import {
  input,
  makeFieldFiller,
  parseNumber,
  queryForm,
  readChangedFields,
  readFilledFields,
  select
} from "./form-fields.ts"
import { type FailedSubmission, type HostAction, makeHostPage, notFoundView, redirectWithout } from "./host-page.ts"
import { formatDay, link, pagination, readDateParam, readIdParam, readOffsetParam } from "./page-parts.ts"
import { currentUrlWith } from "./page-url.ts"
import { daySheet } from "./tasks/day-sheet.ts"
import { editTaskForm, newTaskForm, staffOptions, TASK_CREATE_PARSERS, TASK_EDIT_PARSERS } from "./tasks/task-form.ts"
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
    if (task === undefined) return notFoundView(TITLE, "There is no such task: it may have been deleted.")
    return { title: TITLE, body: editTaskForm(visit, task, yield* plan.choices, failedSubmission) }
  })

  const renderList = Effect.fnUntraced(function* (visit: SignedInVisit) {
    const today = dateInZone(yield* DateTime.nowAsDate, visit.session.person.caller.timeZone)
    const dateRange = readDateRange(visit, today)
    const rangeError = findRangeError(dateRange)
    if (rangeError !== undefined) return { title: TITLE, body: html`${rangeError}${filterForm(visit, dateRange, [])}` }
    const [offset, staff] = [readOffsetParam(visit), readIdParam(visit, "staff")]
    const taskPlan = yield* plan.of({ ...dateRange, staff, offset })
    return {
      title: TITLE,
      body: html`${filterForm(visit, dateRange, taskPlan.people)}
<p class="acts noprint">${link(currentUrlWith(visit, { add: 1 }), "Add a task")} ${link(currentUrlWith(visit, { sheet: dateRange.from }), `Sheet to print, ${formatDay(dateRange.from)}`)}</p>
${overdueNote(taskPlan, dateRange.from, staff)}${planSections(visit, taskPlan)}${pagination(visit, { offset, limit: TASKS_SHOWN, total: taskPlan.total })}`
    }
  })

  return makeHostPage({
    path: TASKS_PATH,
    show: Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
      const [sheetDay, taskId] = [readDateParam(visit, "sheet"), readIdParam(visit, "change")]
      if (sheetDay !== undefined) {
        const dayTasks = yield* daySheetQuery.of(sheetDay, readIdParam(visit, "staff"))
        return { title: `${visit.session.operatorName}: what to do`, body: daySheet(visit, sheetDay, dayTasks) }
      }
      if (taskId !== undefined) return yield* renderTask(visit, taskId, failedSubmission)
      if (!visit.query.has("add")) return yield* renderList(visit)
      const currency = yield* plan.currencyOf(
        failedSubmission === undefined
          ? readTaskSubject(visit.query, "property", "stay")
          : readFormSubject(failedSubmission.form)
      )
      return { title: TITLE, body: newTaskForm(visit, yield* plan.choices, currency, failedSubmission) }
    }),
    actions: makeActions(service, plan)
  })
})

const ID_PARSER = { id: parseNumber }

const readTaskSubject = (fields: SubmittedForm, property: string, stayCode: string): FormSubject => ({
  property: parseRecordId(fields.get(property)),
  stayCode: fields.get(stayCode)?.trim() || undefined
})

const readFormSubject = (form: SubmittedForm): FormSubject => readTaskSubject(form, "property_id", "stay_code")

const makeActions = (service: Service["Service"], plan: WorkPlan["Service"]): Readonly<Record<string, HostAction>> => {
  const [mutate, search] = [makeVoidMutation(service), makeQuery(service, search_tasks)]
  const makeStatusChange = (status: string) => (visit: SignedInVisit, form: SubmittedForm) =>
    Effect.flatMap(search(visit, readFilledFields(form, ID_PARSER)), ({ tasks: [task] }) =>
      failIfStale(
        { current: task?.status, seen: form.get("seen"), target: status },
        mutate(visit, form, "update_task", { ...readFilledFields(form, ID_PARSER), status })
      )
    )
  return {
    create: {
      doneMessage: "The task is added.",
      run: (visit, form) =>
        plan.currencyOf(readFormSubject(form)).pipe(
          Effect.flatMap((currency) =>
            mutate(visit, form, "create_task", { ...readFilledFields(form, TASK_CREATE_PARSERS), currency })
          ),
          Effect.as(redirectWithout(visit, "add"))
        )
    },
    change: {
      doneMessage: "The task is changed.",
      run: (visit, form) =>
        Effect.as(
          mutate(visit, form, "update_task", {
            ...readFilledFields(form, ID_PARSER),
            ...readChangedFields(form, TASK_EDIT_PARSERS)
          }),
          redirectWithout(visit, "change")
        )
    },
    begin: { doneMessage: "The task is under way.", run: makeStatusChange("in_progress") },
    finish: { doneMessage: "The task is done.", run: makeStatusChange("completed") },
    delete: {
      doneMessage: "The task is deleted.",
      run: (visit, form) =>
        Effect.as(
          mutate(visit, form, "delete_task", readFilledFields(form, ID_PARSER)),
          redirectWithout(visit, "change")
        )
    }
  }
}

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
  const errorText =
    count < 1 ? "The last day is before the first." : `At most ${SEARCH_DAYS} days are shown: choose a shorter time.`
  return html`<p class="message error" role="alert">${errorText}</p>
`
}

const filterForm = (visit: SignedInVisit, { from, to }: TaskDateRange, people: WorkPlanData["people"]): Html => {
  const fillField = makeFieldFiller(undefined, "")
  return queryForm(
    visit.path,
    html`${input(fillField, { name: "from", label: "From", type: "date", value: from })}${input(fillField, { name: "to", label: "To", type: "date", value: to })}${select(fillField, { name: "staff", label: "Person", emptyLabel: "Everybody", value: readIdParam(visit, "staff") ?? "", options: staffOptions(people) })}`,
    "Show"
  )
}

const overdueNote = ({ left_over }: WorkPlanData, from: string, staff: number | undefined): Html => {
  if (left_over === 0) return nothing
  const earlierTasksUrl = tasksUrl({
    ...{ from: addDays(from, -SEARCH_DAYS), to: addDays(from, -1) },
    ...(staff === undefined ? {} : { staff })
  })
  return html`<p class="message note">${link(earlierTasksUrl, `${left_over} of earlier days`)} ${left_over === 1 ? "is" : "are"} not done yet.</p>
`
}
