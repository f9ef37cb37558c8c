import { Effect, Schema } from "effect"
import { create_task, search_tasks, type Task } from "../../../../domain/work/tasks/contract.ts"
import type { Service } from "../../../../service/service.ts"
import type { FormSubject } from "../../queries/form-choices.ts"
import type { WorkPlan } from "../../queries/WorkPlan.ts"
import { parseRecordId, type SignedInVisit, type SubmittedForm } from "../../visit.ts"
import { failIfStale, makeMutation, makeQuery, makeVoidMutation } from "../api-operations.ts"
import { nullIfEmpty, parseNumber, readChangedFields, readFilledFields } from "../form-values.ts"
import { type ActionRedirect, type HostAction, redirectWithout } from "../host-page.ts"
import type { Notice } from "../notice.ts"
import { currentUrlWith } from "../page-url.ts"
import { TASK_CREATE_PARSERS, TASK_EDIT_PARSERS } from "./task-form.ts"
import { taskName } from "./task-labels.ts"

const ID_PARSER = { id: parseNumber }
const STAFF_PARSER = { staff_id: nullIfEmpty(parseNumber) }

const decodeCreated = Schema.decodeUnknownSync(Schema.toCodecJson(create_task.successSchema))

export const readTaskSubject = (fields: SubmittedForm, property: string, stayCode: string): FormSubject => ({
  property: parseRecordId(fields.get(property)),
  stayCode: fields.get(stayCode)?.trim() || undefined
})

export const readFormSubject = (form: SubmittedForm): FormSubject => readTaskSubject(form, "property_id", "stay_code")

const redirectWithNotice = (visit: SignedInVisit, notice: Notice): ActionRedirect => ({
  _tag: "GoOn",
  url: currentUrlWith(visit),
  notice
})

const statusNotice = (task: Task | undefined, text: string, status: string): Notice =>
  task === undefined
    ? { text: `Task ${text}.` }
    : {
        text: `${taskName(task)}: ${text}.`,
        undo: { action: "set_status", fields: { id: String(task.id), seen: status, status: task.status } }
      }

const assignmentNotice = (before: Task | undefined, after: Task | undefined): Notice => {
  if (before === undefined || after === undefined) return { text: "Task saved." }
  const assignee = after.staff_name === null ? "unassigned" : `assigned to ${after.staff_name}`
  return {
    text: `${taskName(after)}: ${assignee}.`,
    undo: { action: "assign", fields: { id: String(after.id), staff_id: String(before.staff_id ?? "") } }
  }
}

export const makeTaskActions = (
  service: Service["Service"],
  plan: WorkPlan["Service"]
): Readonly<Record<string, HostAction>> => {
  const [mutate, create, search] = [makeVoidMutation(service), makeMutation(service), makeQuery(service, search_tasks)]
  const findTask = (visit: SignedInVisit, form: SubmittedForm) =>
    Effect.map(search(visit, readFilledFields(form, ID_PARSER)), ({ tasks: [task] }) => task)
  const changeStatus = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    form: SubmittedForm,
    status: string,
    text: string
  ) {
    const task = yield* findTask(visit, form)
    yield* failIfStale(
      { current: task?.status, seen: form.get("seen"), target: status },
      mutate(visit, form, "update_task", { ...readFilledFields(form, ID_PARSER), status })
    )
    return redirectWithNotice(visit, statusNotice(task, text, status))
  })
  return {
    create: {
      doneMessage: "Task added.",
      run: Effect.fnUntraced(function* (visit, form) {
        const currency = yield* plan.currencyOf(readFormSubject(form))
        const fields = { ...readFilledFields(form, TASK_CREATE_PARSERS), currency }
        const { task_id } = decodeCreated(yield* create(visit, form, "create_task", fields))
        const undo = { action: "delete", fields: { id: String(task_id) } }
        return { ...redirectWithout(visit, "add"), notice: { text: "Task added.", undo } }
      })
    },
    change: {
      doneMessage: "Task saved.",
      run: (visit, form) =>
        Effect.as(
          mutate(visit, form, "update_task", {
            ...readFilledFields(form, ID_PARSER),
            ...readChangedFields(form, TASK_EDIT_PARSERS)
          }),
          redirectWithout(visit, "change")
        )
    },
    assign: {
      doneMessage: "Task saved.",
      run: Effect.fnUntraced(function* (visit, form) {
        const before = yield* findTask(visit, form)
        yield* mutate(visit, form, "update_task", {
          ...readFilledFields(form, ID_PARSER),
          ...readChangedFields(form, STAFF_PARSER)
        })
        return redirectWithNotice(visit, assignmentNotice(before, yield* findTask(visit, form)))
      })
    },
    begin: { doneMessage: "Task started.", run: (visit, form) => changeStatus(visit, form, "in_progress", "started") },
    finish: { doneMessage: "Task done.", run: (visit, form) => changeStatus(visit, form, "completed", "done") },
    set_status: {
      doneMessage: "Task saved.",
      run: (visit, form) => changeStatus(visit, form, parseStatus(form), "status restored")
    },
    delete: {
      doneMessage: "Task deleted.",
      run: (visit, form) =>
        Effect.as(
          mutate(visit, form, "delete_task", readFilledFields(form, ID_PARSER)),
          redirectWithout(visit, "change")
        )
    }
  }
}

const parseStatus = (form: SubmittedForm): string => (form.get("status") ?? "").trim()
