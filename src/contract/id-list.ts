import { Schema, SchemaTransformation } from "effect"
import { IDS_LENGTH, IDS_MAX } from "../platform/limits.ts"
import { Id, textUpTo } from "./fields.ts"

/** Ids as a JSON array, at most `maxIds` of them. Repeated ids and the order mean nothing: {@link toSortedUniqueIds}. */
export const idsUpTo = (maxIds: number) =>
  Schema.Array(Id).check(Schema.isMaxLength(maxIds, { expected: `at most ${maxIds} ids` }))

/** At least one id, at most {@link IDS_MAX}. */
export const Ids = idsUpTo(IDS_MAX).check(Schema.isMinLength(1, { expected: "a list of at least one id" }))

/** Blanks may stand around an id, not within it. */
const COMMA_SEPARATED_IDS = /^(?: *\d+ *(?:, *\d+ *)*| *\[ *\d+ *(?:, *\d+ *)*\] *)$/

/** Without what makes a comma-separated text the text of a JSON array. */
const stripBrackets = (text: string): string => text.replaceAll(/[[\]]/g, "")

const CommaSeparatedIds = textUpTo(IDS_LENGTH)
  .check(
    Schema.makeFilter((text) => COMMA_SEPARATED_IDS.test(text), {
      unreadable: true,
      expected: "ids separated by commas, such as 1,2,3",
      toJsonSchema: () => [{}, true]
    })
  )
  .pipe(
    Schema.decodeTo(
      idsUpTo(IDS_MAX),
      SchemaTransformation.transform<ReadonlyArray<number>, string>({
        decode: (text) => stripBrackets(text).split(",").map(Number),
        encode: (ids) => ids.join(",")
      })
    )
  )

/**
 * {@link Ids} as JSON has lists, or as a query has them: a comma-separated text `1,2,3` (specification, Endpoints), or the text
 * of a JSON array, `[1,2,3]` (contract facts 10.2).
 */
export const IdsOrText = Schema.Union([Ids, CommaSeparatedIds]).annotate({
  expected: "ids separated by commas, such as 1,2,3, or a list of them"
})

/** The ids as they are kept and shown: each once, ascending. */
export const toSortedUniqueIds = (ids: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from(new Set(ids)).sort((one, other) => one - other)
