import type { PlannedTask } from "../../queries/WorkPlan.ts"
import type { SelectOption } from "../form-fields.ts"
import { toWords } from "../page-parts.ts"

const toOptions = (labels: Readonly<Record<string, string>>): ReadonlyArray<SelectOption> =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

const TASK_TYPE_LABELS = {
  cleaning: "Cleaning",
  maintenance: "Repair",
  reception: "Reception",
  room_service: "Room service",
  other: "Something else"
} as const
const TASK_STATUS_LABELS = {
  pending: "To do",
  in_progress: "Under way",
  completed: "Done",
  cancelled: "Called off"
} as const
const TASK_LEVEL_LABELS = { simple: "simple", standard: "standard", advanced: "thorough" } as const

export const TASK_TYPE_OPTIONS = toOptions(TASK_TYPE_LABELS)
export const TASK_STATUS_OPTIONS = toOptions(TASK_STATUS_LABELS)
export const TASK_LEVEL_OPTIONS = toOptions(TASK_LEVEL_LABELS)

export const taskTypeText = ({ type, level }: Pick<PlannedTask, "type" | "level">): string =>
  type === "cleaning" && level !== "standard"
    ? `${TASK_TYPE_LABELS[type]}, ${TASK_LEVEL_LABELS[level]}`
    : TASK_TYPE_LABELS[type]

export const taskStatusLabel = (status: PlannedTask["status"]): string => TASK_STATUS_LABELS[status] ?? toWords(status)
