import { formatWallClock } from "../../contract/time.ts"
import type { Assignee } from "../work/staffs/assignment.ts"
import type { RuleTaskContent } from "../work/tasks/rule-tasks.ts"
import { canAssign } from "../work/tasks/rules.ts"
import type { RuleTask, StayTrigger } from "./rules/rule.ts"
import { computeScheduledAt, type StayTimes } from "./rules/scheduling.ts"

export interface TaskStay extends StayTimes {
  readonly property_id: number | null
  /** The staff member who is responsible for the property. Null if nobody is. */
  readonly property_staff_id: number | null
}

interface TaskRuleTerms {
  readonly trigger: StayTrigger
  readonly task: RuleTask
}

/** Returns null if the staff member is inactive or does not work in the property. */
const selectStaffId = (
  { staff }: RuleTask,
  assignee: Assignee | null,
  { property_id, property_staff_id }: TaskStay
): number | null => {
  if (staff === "property") return property_staff_id
  return assignee !== null && canAssign(assignee, property_id) ? assignee.id : null
}

/** Returns the task of a stay. `assignee` is the staff member that the rule names, or null. */
export const toTaskContent = (
  { trigger, task }: TaskRuleTerms,
  assignee: Assignee | null,
  stay: TaskStay
): RuleTaskContent => {
  const [date = "", time = ""] = formatWallClock(computeScheduledAt(trigger, stay), stay.time_zone).split(" ")
  return {
    type: task.type,
    level: task.level ?? "standard",
    property_id: stay.property_id,
    staff_id: selectStaffId(task, assignee, stay),
    expected_date: date,
    expected_time: time
  }
}
