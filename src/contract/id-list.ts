import { Schema, SchemaTransformation } from "effect"
import { IDS_LENGTH, IDS_MAX } from "../platform/limits.ts"
import { Id, textUpTo } from "./fields.ts"

/** The order and repetition of ids have no meaning ({@link toSortedUniqueIds}). */
export const idsUpTo = (maxIds: number) =>
  Schema.Array(Id).check(Schema.isMaxLength(maxIds, { expected: `at most ${maxIds} ids` }))

export const Ids = idsUpTo(IDS_MAX).check(Schema.isMinLength(1, { expected: "a list of at least one id" }))

const COMMA_SEPARATED_IDS = /^(?: *\d+ *(?:, *\d+ *)*| *\[ *\d+ *(?:, *\d+ *)*\] *)$/

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
 * A query parameter may have the form `1,2,3` (specification, Endpoints) or be the text of a JSON array (contract facts
 * 10.2).
 */
export const IdsOrText = Schema.Union([Ids, CommaSeparatedIds]).annotate({
  expected: "ids separated by commas, such as 1,2,3, or a list of them"
})

export const toSortedUniqueIds = (ids: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from(new Set(ids)).sort((one, other) => one - other)
