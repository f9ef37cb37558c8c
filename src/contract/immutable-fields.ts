import { Equal, Result, Schema, Struct } from "effect"
import { ValidationFailed } from "./errors.ts"
import { immutableField, LastChange } from "./fields.ts"

// Clients may send back a whole record, so an edit accepts all its fields. Fields that the edit cannot change must have
// their current value.

export const editPayloadFields = <RecordFields extends Schema.Struct.Fields, Changes extends Schema.Struct.Fields>(
  record: Schema.Struct<RecordFields>,
  changes: Changes
) => {
  const unchangedFields = Struct.omit(record.fields, Struct.keys(changes))
  return { ...changes, ...Struct.map(unchangedFields, immutableField) }
}

export const isImmutableField = (field: Schema.Constraint): boolean =>
  Schema.resolveAnnotationsKey(field)?.isImmutable === true

/** The edit must load the record if the returned function finds an immutable field in the input. */
export const makeImmutableFieldDetector = (payload: { readonly fields: Schema.Struct.Fields }) => {
  const names = Object.keys(payload.fields).filter((name) => isImmutableField(payload.fields[name] ?? Schema.Never))
  return (input: Readonly<Record<string, unknown>>): boolean => names.some((name) => input[name] !== undefined)
}

/** If the returned function finds no changeable field in the input, the edit writes nothing and sends no event. */
export const makeChangeDetector = <Fields extends Schema.Struct.Fields>(
  payload: { readonly fields: Fields },
  idField: keyof Fields
) => {
  const names = Struct.keys(payload.fields).filter(
    (name) => name !== idField && !isImmutableField(payload.fields[name] ?? Schema.Never)
  )
  return (input: { readonly [Name in keyof Fields]?: unknown }): boolean =>
    names.some((name) => input[name] !== undefined)
}

/**
 * Fails with 422 if an immutable field differs from the record. {@link LastChange} is not checked, because a retry
 * after a lost response sends the old time.
 */
export const makeImmutableFieldCheck = <Fields extends Schema.Struct.Fields>(
  payload: { readonly fields: Fields },
  { changedBy = {} }: { readonly changedBy?: { readonly [Name in keyof Fields]?: string } } = {}
) => {
  const names = Struct.keys(payload.fields).filter((name) => {
    const field = payload.fields[name] ?? Schema.Never
    return field !== LastChange && isImmutableField(field)
  })
  return (
    record: Readonly<Record<string, unknown>>,
    input: Readonly<Record<string, unknown>>
  ): Result.Result<void, ValidationFailed> => {
    const changedField = names.find((name) => input[name] !== undefined && !Equal.equals(input[name], record[name]))
    if (changedField === undefined) return Result.void
    const alternative = changedBy[changedField]
    const rule =
      alternative === undefined
        ? "cannot be changed; send its current value, or leave it out"
        : `cannot be changed here; use ${alternative}`
    return Result.fail(new ValidationFailed({ message: `${changedField}: ${rule}.` }))
  }
}
