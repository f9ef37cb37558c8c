import { Effect } from "effect"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"

/**
 * The flag or the argument of a command that fills a field of an operation or a service, such as
 * `{ time_zone: "--time-zone", stay_code: "stay" }`.
 */
export type FieldFlags = Readonly<Record<string, string>>

/** A field at the start of a sentence: a message has one for each that is wrong. */
const NAMED_FIELD = /(?<=^|\. )([a-z_]+)(?:\[\d+\])?(?=: )/g

/** Replaces the field at the start of each sentence of a message by its flag or argument. */
export const nameFlagInMessage = (message: string, flags: FieldFlags): string =>
  message.replace(NAMED_FIELD, (whole, field: string) =>
    Object.hasOwn(flags, field) ? (flags[field] ?? whole) : whole
  )

/** Errors of the work that name a field name its flag or argument instead. */
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

/** The errors that may name a field of the input. */
const NAMING_ERRORS = [BadRequest, ValidationFailed, NotFound, Conflict] as const
