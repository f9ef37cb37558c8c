import { Effect, Predicate, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** A rule of the database that refused a statement. */
export interface ConstraintViolation {
  readonly name: string
  /** The server's DETAIL; a limit says its number here. */
  readonly detail: string
}

/** The constraint a statement broke; undefined when it failed for another reason. */
export const findConstraintViolation = (error: SqlError): ConstraintViolation | undefined => {
  const { reason } = error
  if (reason._tag !== "UniqueViolation" && reason._tag !== "ConstraintError") return undefined
  const { cause } = reason
  if (!Predicate.hasProperty(cause, "constraint") || !Predicate.isString(cause.constraint)) return undefined
  const detail = Predicate.hasProperty(cause, "detail") && Predicate.isString(cause.detail) ? cause.detail : ""
  return { name: cause.constraint, detail }
}

/** The rows of a changing statement; of a constraint that refuses it its caller is told what `toError` says. */
const failOnViolation =
  <E>(toError: (violation: ConstraintViolation) => E | undefined) =>
  <R>(statement: Effect.Effect<ReadonlyArray<object>, SqlError, R>): Effect.Effect<ReadonlyArray<object>, E, R> =>
    Effect.catchTag(statement, "SqlError", (error) => {
      const violation = findConstraintViolation(error)
      const domainError = violation === undefined ? undefined : toError(violation)
      return domainError === undefined ? Effect.die(error) : Effect.fail(domainError)
    })

/**
 * Reads the row of a changing statement, which has one. `toError` says what the caller is told when a constraint refuses
 * it, which holds however many change the same at once; where it says nothing, and for whatever else goes wrong, the
 * failure is a defect.
 */
export const makeRowReaderOrFail = <A, E>(
  row: Schema.ConstraintDecoder<A>,
  toError: (violation: ConstraintViolation) => E | undefined
) => {
  const decode = Schema.decodeUnknownEffect(Schema.Tuple([row]))
  const runStatement = failOnViolation(toError)
  return <R>(statement: Effect.Effect<ReadonlyArray<object>, SqlError, R>): Effect.Effect<A, E, R> =>
    runStatement(statement).pipe(
      Effect.flatMap((rows) => Effect.orDie(decode(rows))),
      Effect.map(([only]) => only)
    )
}

/** The same of a statement that has a row or none: undefined. */
export const makeOptionalRowReaderOrFail = <A, E>(
  row: Schema.ConstraintDecoder<A>,
  toError: (violation: ConstraintViolation) => E | undefined
) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  const runStatement = failOnViolation(toError)
  return <R>(statement: Effect.Effect<ReadonlyArray<object>, SqlError, R>): Effect.Effect<A | undefined, E, R> =>
    runStatement(statement).pipe(
      Effect.flatMap((rows) => Effect.orDie(decode(rows))),
      Effect.map(([first]) => first)
    )
}
