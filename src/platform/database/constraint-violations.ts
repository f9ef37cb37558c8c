import { Effect, Predicate, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"

export interface ConstraintViolation {
  readonly name: string
  /** PostgreSQL's DETAIL. A trigger that enforces a limit writes the limit here. */
  readonly detail: string
}

export const findConstraintViolation = (error: SqlError): ConstraintViolation | undefined => {
  const { reason } = error
  if (reason._tag !== "UniqueViolation" && reason._tag !== "ConstraintError") return undefined
  const { cause } = reason
  if (!Predicate.hasProperty(cause, "constraint") || !Predicate.isString(cause.constraint)) return undefined
  const detail = Predicate.hasProperty(cause, "detail") && Predicate.isString(cause.detail) ? cause.detail : ""
  return { name: cause.constraint, detail }
}

const failOnViolation =
  <E>(toError: (violation: ConstraintViolation) => E | undefined) =>
  <R>(statement: Effect.Effect<ReadonlyArray<object>, SqlError, R>): Effect.Effect<ReadonlyArray<object>, E, R> =>
    Effect.catchTag(statement, "SqlError", (error) => {
      const violation = findConstraintViolation(error)
      const domainError = violation === undefined ? undefined : toError(violation)
      return domainError === undefined ? Effect.die(error) : Effect.fail(domainError)
    })

/** `toError` maps a violated constraint to a domain error. Any other failure is a defect. */
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
