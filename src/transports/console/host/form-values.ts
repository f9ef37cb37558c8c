import { Effect, type Schema } from "effect"
import type { SubmittedForm } from "../visit.ts"

// Reads the values of a form that form-fields.ts has rendered.

/** The prefix of hidden fields with the values that a form first showed. */
export const INITIAL_VALUE_PREFIX = "was."

type FieldParser = (text: string) => Schema.Json

export const parseText: FieldParser = (text) => text.trim()
/** Returns text that is not a number unchanged, so that the operation reports the error. */
export const parseNumber: FieldParser = (text) => {
  const trimmed = text.trim()
  return trimmed === "" || !Number.isFinite(Number(trimmed)) ? trimmed : Number(trimmed)
}
export const parseLines: FieldParser = (text) => text.replace(/\r\n?/g, "\n").trim()
export const nullIfEmpty =
  (parse: FieldParser): FieldParser =>
  (text) =>
    text.trim() === "" ? null : parse(text)

type FieldParsers = Readonly<Record<string, FieldParser>>

export const readFilledFields = (form: SubmittedForm, fields: FieldParsers): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, parse]) => {
      const text = form.get(name) ?? ""
      return text.trim() === "" ? [] : [[name, parse(text)]]
    })
  )

/** Returns only touched fields, so that another user's changes of other fields stay. */
export const readChangedFields = (form: SubmittedForm, fields: FieldParsers): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, parse]) => {
      const text = form.get(name)
      return text === null || text === form.get(`${INITIAL_VALUE_PREFIX}${name}`) ? [] : [[name, parse(text)]]
    })
  )

/** Returns the fields of a form that gives the touched fields their former values again. */
export const reverseChangedFields = (
  form: SubmittedForm,
  names: ReadonlyArray<string>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const [value, initial] = [form.get(name), form.get(`${INITIAL_VALUE_PREFIX}${name}`)]
      return value === null || initial === null || value === initial
        ? []
        : [
            [name, initial],
            [`${INITIAL_VALUE_PREFIX}${name}`, value]
          ]
    })
  )

export const readSelectedIds = (form: SubmittedForm, name: string): ReadonlyArray<Schema.Json> =>
  form.getAll(name).map(parseNumber)

interface CheckboxChanges {
  readonly checked: ReadonlyArray<string>
  readonly unchecked: ReadonlyArray<string>
}

/** Returns undefined if the user has not changed the selection. */
export const readCheckboxChanges = (form: SubmittedForm, name: string): CheckboxChanges | undefined => {
  const selected = form.getAll(name)
  const initial = (form.get(`${INITIAL_VALUE_PREFIX}${name}`) ?? "").split(" ").filter((id) => id !== "")
  const [checked, unchecked] = [
    selected.filter((id) => !initial.includes(id)),
    initial.filter((id) => !selected.includes(id))
  ]
  return checked.length + unchecked.length === 0 ? undefined : { checked, unchecked }
}

export const readChangedLists = <E, R>(
  form: SubmittedForm,
  names: ReadonlyArray<string>,
  loadLists: Effect.Effect<Readonly<Record<string, ReadonlyArray<number>>>, E, R>
): Effect.Effect<Schema.JsonObject, E, R> => {
  const changedLists = names.flatMap((name) => {
    const changes = readCheckboxChanges(form, name)
    return changes === undefined ? [] : [{ name, changes }]
  })
  return changedLists.length === 0
    ? Effect.succeed({})
    : Effect.map(loadLists, (lists) =>
        Object.fromEntries(
          changedLists.map(({ name, changes }) => [name, applyCheckboxChanges(lists[name] ?? [], changes)])
        )
      )
}

/**
 * Applies the changes to the current list, so that another user's changes stay. The sorting makes a repeated form send
 * the same request.
 */
export const applyCheckboxChanges = (
  ids: ReadonlyArray<number>,
  { checked, unchecked }: CheckboxChanges
): ReadonlyArray<Schema.Json> =>
  Array.from(new Set([...ids.map(String).filter((id) => !unchecked.includes(id)), ...checked]))
    .toSorted()
    .map(parseNumber)
