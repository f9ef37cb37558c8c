import { Effect } from "effect"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"

/** The flag in whose place a field of an operation or a service stands, such as `{ time_zone: "--time-zone" }`. */
export type FieldFlags = Readonly<Record<string, `--${string}`>>

/** A field at the begin of a sentence: a message has one for each that is wrong. */
const NAMED_FIELD = /(?<=^|\. )([a-z_]+)(?:\[\d+\])?(?=: )/g

/** What is wrong with a field, told of the flag that the caller wrote. Other texts stay as they are. */
export const nameFlagInMessage = (message: string, flags: FieldFlags): string =>
  message.replace(NAMED_FIELD, (whole, field: string) =>
    Object.hasOwn(flags, field) ? (flags[field] ?? whole) : whole
  )

/** Errors of the work that name a field name these flags instead. */
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
