import type { PlannedTask } from "../../queries/WorkPlan.ts"
import type { SelectOption } from "../form-fields.ts"
import { toWords } from "../page-parts.ts"

const toOptions = (labels: Readonly<Record<string, string>>): ReadonlyArray<SelectOption> =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

const TASK_TYPE_LABELS = {
  cleaning: "Cleaning",
  maintenance: "Maintenance",
  reception: "Reception",
  room_service: "Room service",
  other: "Other"
} as const
const TASK_STATUS_LABELS = {
  pending: "To do",
  in_progress: "In progress",
  completed: "Done",
  cancelled: "Cancelled"
} as const
const TASK_LEVEL_LABELS = { simple: "Simple", standard: "Standard", advanced: "Thorough" } as const

export const TASK_TYPE_OPTIONS = toOptions(TASK_TYPE_LABELS)
export const TASK_STATUS_OPTIONS = toOptions(TASK_STATUS_LABELS)
export const TASK_LEVEL_OPTIONS = toOptions(TASK_LEVEL_LABELS)

interface TaskKind {
  readonly type: PlannedTask["type"]
  readonly level: PlannedTask["level"] | null
}

export const taskTypeText = ({ type, level }: TaskKind): string =>
  type === "cleaning" && level !== null && level !== "standard"
    ? `${TASK_TYPE_LABELS[type]}, ${TASK_LEVEL_LABELS[level].toLowerCase()}`
    : TASK_TYPE_LABELS[type]

/** Names a task in a sentence: `Cleaning, Harbour 1`. */
export const taskName = (task: TaskKind & { readonly property_title: string | null }): string =>
  task.property_title === null ? taskTypeText(task) : `${taskTypeText(task)}, ${task.property_title}`

export const taskStatusLabel = (status: PlannedTask["status"]): string => TASK_STATUS_LABELS[status] ?? toWords(status)
