import { Schema } from "effect"
import { Id } from "./fields.ts"

/** Ids as a JSON array, at most `most` of them. An id given twice counts once and the order means nothing: {@link asList}. */
export const idsUpTo = (most: number) =>
  Schema.Array(Id).check(Schema.isMaxLength(most, { expected: `at most ${most} ids` }))

/** The ids as they are kept and shown: each once, ascending. */
export const asList = (ids: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from(new Set(ids)).sort((one, other) => one - other)
