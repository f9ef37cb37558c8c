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

export const checkAssignable = <Person extends TaskAssignee>(
  person: Person | null,
  propertyId: number | null
): Result.Result<Person, NotFound | ValidationFailed> => {
  if (person === null) return Result.fail(unknownStaffIdError)
  if (!person.is_active) return Result.fail(staffInactiveError)
  return propertyId === null || person.property_ids.length === 0 || person.property_ids.includes(propertyId)
    ? Result.succeed(person)
    : Result.fail(staffWorksElsewhereError)
}

export const unknownStaffIdError = new NotFound({ message: "staff_id: no such staff member." })
const staffInactiveError = new ValidationFailed({ message: "staff_id: is not active, so no task can be assigned." })
const staffWorksElsewhereError = new ValidationFailed({
  message: "staff_id: does not work in the property of the task."
})
