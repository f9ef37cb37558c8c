import { Equal, Result, Schema, Struct } from "effect"
import { ValidationFailed } from "./errors.ts"
import { immutableField, LastChange } from "./fields.ts"

// A record can be sent back whole: an edit takes every field that the record shows. What it cannot change it takes with
// the value there is, and refuses with any other.

/** The payload of an edit: what it can change, and the rest of what the record shows. */
export const editPayloadFields = <RecordFields extends Schema.Struct.Fields, Changes extends Schema.Struct.Fields>(
  record: Schema.Struct<RecordFields>,
  changes: Changes
) => {
  const unchangedFields = Struct.omit(record.fields, Struct.keys(changes))
  return { ...changes, ...Struct.map(unchangedFields, immutableField) }
}

/** Whether an edit cannot change the field. */
export const isImmutableField = (field: Schema.Constraint): boolean =>
  Schema.resolveAnnotationsKey(field)?.isImmutable === true

/** Whether an edit sends any field that it cannot change, with whatever value: then the record is needed to judge it. */
export const makeImmutableFieldDetector = (payload: { readonly fields: Schema.Struct.Fields }) => {
  const names = Object.keys(payload.fields).filter((name) => isImmutableField(payload.fields[name] ?? Schema.Never))
  return (input: Readonly<Record<string, unknown>>): boolean => names.some((name) => input[name] !== undefined)
}

/**
 * Whether an edit sends any field it can change beside the one that names the record. One that does not is no change:
 * nothing is written and no event tells of it.
 */
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
 * Returns the check of an edit. It fails with 422 naming the first fixed field that is sent with another value than the record has,
 * and the field or route in `changedBy` that changes it. {@link LastChange} is not checked: a client that repeats an edit after a lost
 * response sends the time from before the edit.
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
