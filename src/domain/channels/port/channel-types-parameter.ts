import { Schema } from "effect"
import { RecordCode, textUpTo } from "../../../contract/fields.ts"
import { toPrintableName } from "../../../contract/printable-name.ts"
import { CHANNEL_TYPES_TEXT_LENGTH } from "../../../platform/limits.ts"
import { ChannelType } from "./channel-type.ts"

const MAX_CHANNEL_TYPES = ChannelType.literals.length

const isChannelType = Schema.is(ChannelType)

const unknownTypeMessage = (word: string): string =>
  `must be channel types, such as airbnb,vrbo; there is no "${toPrintableName(word)}"`

/** The JSON Schema omits the list of types to keep tool descriptions short. */
const ListedChannelType = RecordCode.check(
  Schema.makeFilter((word) => isChannelType(word) || unknownTypeMessage(word), { toJsonSchema: () => [{}, true] })
)

const ChannelTypeArray = Schema.Array(ListedChannelType).check(
  Schema.isMinLength(1, { expected: "a list of at least one channel type" }),
  Schema.isMaxLength(MAX_CHANNEL_TYPES, { expected: `at most ${MAX_CHANNEL_TYPES} channel types` })
)

const splitAtCommas = (text: string): ReadonlyArray<string> => text.split(",").map((word) => word.trim())

const ChannelTypesText = textUpTo(CHANNEL_TYPES_TEXT_LENGTH).check(
  Schema.makeFilter(
    (text) => {
      const unknownType = splitAtCommas(text).find((word) => !isChannelType(word))
      return unknownType === undefined || unknownTypeMessage(unknownType)
    },
    { toJsonSchema: () => [{}, true] }
  )
)

export const ChannelTypesParameter = Schema.Union([ChannelTypeArray, ChannelTypesText]).annotate({
  expected: "channel types separated by commas, such as airbnb,vrbo, or a list of them"
})

export const toChannelTypes = (value: typeof ChannelTypesParameter.Type): ReadonlyArray<ChannelType> =>
  (typeof value === "string" ? splitAtCommas(value) : value).filter(isChannelType)
