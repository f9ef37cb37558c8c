import { Result } from "effect"
import { NotFound, ValidationFailed } from "../../../contract/errors.ts"
import type { Assignee } from "../../work/staffs/assignment.ts"
import { canAssign } from "../../work/tasks/rules.ts"
import { editableRuleFields, type RuleDefinition } from "./rule.ts"

type RuleEditInput = { readonly [Name in keyof typeof editableRuleFields]?: unknown }

/** Returns the merged rule, which may be invalid. A null in `edit` removes a condition. */
export const applyRuleEdit = (rule: RuleDefinition, edit: RuleEditInput): Readonly<Record<string, unknown>> => {
  const changes = Object.entries(edit).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(editableRuleFields, name)
  )
  const merged = Object.entries({ ...rule, ...Object.fromEntries(changes) })
  return Object.fromEntries(merged.filter(([, value]) => value !== null))
}

const unknownStaffError = new NotFound({ message: "task.staff: no such staff member." })
const inactiveStaffError = new ValidationFailed({ message: "task.staff: must be an active staff member." })
const staffElsewhereError = new ValidationFailed({
  message: "task.staff: must be a staff member who works in all property_ids of the rule."
})

/** Checks the staff member that a task rule names. */
export const checkRuleStaff = (
  assignee: Assignee | null,
  { property_ids = [] }: Pick<RuleDefinition, "property_ids">
): Result.Result<void, NotFound | ValidationFailed> => {
  if (assignee === null) return Result.fail(unknownStaffError)
  if (!assignee.is_active) return Result.fail(inactiveStaffError)
  return property_ids.every((id) => canAssign(assignee, id)) ? Result.void : Result.fail(staffElsewhereError)
}
