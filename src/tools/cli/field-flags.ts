import { Effect } from "effect"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"

/** Maps fields to their flags or arguments, such as `{ time_zone: "--time-zone", stay_code: "stay" }`. */
export type FieldFlags = Readonly<Record<string, string>>

/** A field name at the start of a sentence. */
const NAMED_FIELD = /(?<=^|\. )([a-z_]+)(?:\[\d+\])?(?=: )/g

export const nameFlagInMessage = (message: string, flags: FieldFlags): string =>
  message.replace(NAMED_FIELD, (whole, field: string) =>
    Object.hasOwn(flags, field) ? (flags[field] ?? whole) : whole
  )

export const withFieldFlags =
  (flags: FieldFlags) =>
  <A, E, R>(
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | BadRequest | ValidationFailed | NotFound | Conflict, R> =>
    Effect.mapError(work, (error) => {
      const ErrorClass = NAMING_ERRORS.find((each) => error instanceof each)
      return ErrorClass !== undefined && error instanceof ErrorClass
        ? new ErrorClass({ message: nameFlagInMessage(error.message, flags) })
        : error
    })

const NAMING_ERRORS = [BadRequest, ValidationFailed, NotFound, Conflict] as const
