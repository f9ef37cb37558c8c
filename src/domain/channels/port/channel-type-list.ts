import { Schema } from "effect"
import { Code, textUpTo } from "../../../contract/fields.ts"
import { toldName } from "../../../contract/told-name.ts"
import { CHANNEL_TYPES_TEXT } from "../../../platform/limits.ts"
import { ChannelType } from "./channel-type.ts"

const MOST = ChannelType.literals.length

const isChannelType = Schema.is(ChannelType)

const notAmong = (word: string): string => `must be channel types, such as airbnb,vrbo; there is no "${toldName(word)}"`

/** Its JSON Schema does not list them: that would cost an agent more than what the rest of a tool says. */
const Word = Code.check(
  Schema.makeFilter((word) => isChannelType(word) || notAmong(word), { toJsonSchema: () => [{}, true] })
)

const List = Schema.Array(Word).check(
  Schema.isMinLength(1, { expected: "a list of at least one channel type" }),
  Schema.isMaxLength(MOST, { expected: `at most ${MOST} channel types` })
)

const wordsIn = (text: string): ReadonlyArray<string> => text.split(",").map((word) => word.trim())

const CommaSeparated = textUpTo(CHANNEL_TYPES_TEXT).check(
  Schema.makeFilter(
    (text) => {
      const unknown = wordsIn(text).find((word) => !isChannelType(word))
      return unknown === undefined || notAmong(unknown)
    },
    { toJsonSchema: () => [{}, true] }
  )
)

/** Channel types as JSON has lists, or as a query has them: a comma-separated text `airbnb,vrbo`, read by {@link asChannelTypes}. */
export const ChannelTypesOrText = Schema.Union([List, CommaSeparated]).annotate({
  expected: "channel types separated by commas, such as airbnb,vrbo, or a list of them"
})

/** The channel types that are named. */
export const asChannelTypes = (named: typeof ChannelTypesOrText.Type): ReadonlyArray<ChannelType> =>
  (typeof named === "string" ? wordsIn(named) : named).filter(isChannelType)
