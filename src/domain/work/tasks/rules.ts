import { Result } from "effect"
import { NotFound, ValidationFailed } from "../../../contract/errors.ts"

/** The stay a task belongs to; `property_id` is where it is, null while it is not allocated. */
interface TaskStay {
  readonly property_id: number | null
}

/**
 * The property of a task: the one asked for, or that of its stay. Both together must be the same one (specification,
 * POST /tasks); a stay that is not allocated contradicts nothing.
 */
export const resolveTaskProperty = (
  propertyId: number | null,
  stay: TaskStay | null
): Result.Result<number | null, ValidationFailed> =>
  propertyId !== null && stay !== null && stay.property_id !== null && stay.property_id !== propertyId
    ? Result.fail(new ValidationFailed({ message: "property_id: is not the property of the stay." }))
    : Result.succeed(propertyId ?? stay?.property_id ?? null)

/** What counts of the person a task is given to. */
interface TaskAssignee {
  readonly is_active: boolean
  /** Empty: every property. */
  readonly property_ids: ReadonlyArray<number>
}

/**
 * Whether a task in that property, or in none, may go to that person, null for somebody there is not: 404. A person who
 * is switched off or works elsewhere gets none: 422.
 */
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
