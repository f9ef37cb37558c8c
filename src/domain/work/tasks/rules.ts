import { Result } from "effect"
import { NotFound, ValidationFailed } from "../../../contract/errors.ts"

interface TaskStay {
  readonly property_id: number | null
}

/** The task and its stay must have the same property (specification, POST /tasks), unless the stay is unassigned. */
export const resolveTaskProperty = (
  propertyId: number | null,
  stay: TaskStay | null
): Result.Result<number | null, ValidationFailed> =>
  propertyId !== null && stay !== null && stay.property_id !== null && stay.property_id !== propertyId
    ? Result.fail(new ValidationFailed({ message: "property_id: is not the property of the stay." }))
    : Result.succeed(propertyId ?? stay?.property_id ?? null)

interface TaskAssignee {
  readonly is_active: boolean
  /** Empty means all properties. */
  readonly property_ids: ReadonlyArray<number>
}

/** Whether the staff member is active and works in the property. Every active one can get a task without a property. */
export const canAssign = ({ is_active, property_ids }: TaskAssignee, propertyId: number | null): boolean =>
  is_active && (propertyId === null || property_ids.length === 0 || property_ids.includes(propertyId))

export const checkAssignable = <Person extends TaskAssignee>(
  person: Person | null,
  propertyId: number | null
): Result.Result<Person, NotFound | ValidationFailed> => {
  if (person === null) return Result.fail(unknownStaffIdError)
  if (!person.is_active) return Result.fail(staffInactiveError)
  return canAssign(person, propertyId) ? Result.succeed(person) : Result.fail(staffWorksElsewhereError)
}

export const unknownStaffIdError = new NotFound({ message: "staff_id: no such staff member." })
const staffInactiveError = new ValidationFailed({ message: "staff_id: is not active, so no task can be assigned." })
const staffWorksElsewhereError = new ValidationFailed({
  message: "staff_id: does not work in the property of the task."
})
