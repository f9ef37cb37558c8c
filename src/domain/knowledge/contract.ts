import { Schema } from "effect"
import { NotFound } from "../../contract/errors.ts"
import { Id, Integer, MUST_NOT_BE_EMPTY, RecordCode, textUpTo } from "../../contract/fields.ts"
import { IdsOrText } from "../../contract/id-list.ts"
import { editPayloadFields } from "../../contract/immutable-fields.ts"
import { defineFamily, toolMetadata } from "../../contract/operation.ts"
import { pageFieldsOf } from "../../contract/page.ts"
import {
  KNOWLEDGE_CONTENTS_MAX,
  KNOWLEDGE_ENTRY_TEXT_LENGTH,
  KNOWLEDGE_PAGE_DEFAULT,
  KNOWLEDGE_SCOPE_MAX,
  KNOWLEDGE_TEXT_LENGTH,
  KNOWLEDGE_TITLE_LENGTH,
  QUESTION_LENGTH
} from "../../platform/limits.ts"
import { ChannelType } from "../channels/port/channel-type.ts"
import { ChannelTypesParameter } from "../channels/port/channel-types-parameter.ts"

// Specification, "Knowledge base and automation"; contract facts 10.1.

export const PropertyScopeType = Schema.Literals(["all", "by_property", "by_group", "by_room_type"])
export type PropertyScopeType = typeof PropertyScopeType.Type

const ChannelScopeType = Schema.Literals(["all", "by_channel"])

/** Placeholders in the id and channel lists of a scope for all. */
export const ALL_IDS = -1
export const ALL_CHANNELS = "unlimited"

/** `guests` have an accepted stay within the entry's scope. */
export const Audience = Schema.Literals(["guests", "anyone"])
export type Audience = typeof Audience.Type

const ProcessStatus = Schema.Literals(["waiting", "processing", "done", "failed"])

const Title = textUpTo(KNOWLEDGE_TITLE_LENGTH)

const nonBlankTextUpTo = (maxCharacters: number) =>
  textUpTo(maxCharacters).check(
    Schema.makeFilter((text) => text.trim() !== "" || MUST_NOT_BE_EMPTY, { toJsonSchema: () => [{}, true] })
  )

const Content = Schema.Struct({ sub_title: Title, text: nonBlankTextUpTo(KNOWLEDGE_TEXT_LENGTH) })

const Question = nonBlankTextUpTo(QUESTION_LENGTH)

export const KnowledgeBase = Schema.Struct({
  id: Id,
  title: Schema.String,
  is_enable: Schema.Boolean,
  scope_property: Schema.Struct({ type: PropertyScopeType, ids: Schema.Array(Schema.Int) }).annotateKey({
    description: "Its ids ascend."
  }),
  scope_channel: Schema.Struct({ type: ChannelScopeType, channels: Schema.Array(Schema.String) }),
  process_status: ProcessStatus,
  audience: Audience
})

export const KnowledgeBaseWithContents = Schema.Struct({
  ...KnowledgeBase.fields,
  contents: Schema.Array(Schema.Struct({ sub_title: Schema.String, text: Schema.String }))
})

const ScopedId = Integer.check(Schema.isGreaterThanOrEqualTo(ALL_IDS, { expected: `an id, or ${ALL_IDS} for all` }))

const PropertyScope = Schema.Struct({
  type: PropertyScopeType,
  ids: Schema.optionalKey(
    Schema.Array(ScopedId).check(
      Schema.isMaxLength(KNOWLEDGE_SCOPE_MAX, { expected: `at most ${KNOWLEDGE_SCOPE_MAX} ids` })
    )
  )
})
export type PropertyScope = typeof PropertyScope.Type

const isChannel = Schema.is(Schema.Literals([...ChannelType.literals, ALL_CHANNELS]))

const ScopedChannel = RecordCode.check(
  Schema.makeFilter((channel) => isChannel(channel) || `must be a channel type or ${ALL_CHANNELS}`, {
    toJsonSchema: () => [{}, true]
  })
)

const ChannelScope = Schema.Struct({
  type: ChannelScopeType,
  channels: Schema.optionalKey(
    Schema.Array(ScopedChannel).check(
      Schema.isMaxLength(ChannelType.literals.length, { expected: `at most ${ChannelType.literals.length} channels` })
    )
  )
})
export type ChannelScope = typeof ChannelScope.Type

/** Counts code points. */
const countCharacters = (contents: ReadonlyArray<typeof Content.Type>): number =>
  contents.reduce((sum, { sub_title, text }) => sum + Array.from(sub_title).length + Array.from(text).length, 0)

const CONTENTS_TOO_LONG = `must be at most ${KNOWLEDGE_ENTRY_TEXT_LENGTH} characters all together`

const Contents = Schema.Array(Content).check(
  Schema.isMinLength(1, { expected: "at least one content" }),
  Schema.isMaxLength(KNOWLEDGE_CONTENTS_MAX, { expected: `at most ${KNOWLEDGE_CONTENTS_MAX} contents` }),
  Schema.makeFilter((contents) => countCharacters(contents) <= KNOWLEDGE_ENTRY_TEXT_LENGTH || CONTENTS_TOO_LONG, {
    toJsonSchema: () => [{}, true]
  })
)

const entryFields = {
  title: Schema.optionalKey(Title),
  is_enable: Schema.Boolean,
  scope_property: PropertyScope,
  scope_channel: ChannelScope,
  contents: Contents,
  audience: Schema.optionalKey(Audience.annotate({ default: "guests" }))
}

const operation = defineFamily({ category: "knowledge_base", since: "3.4.0", openWorld: false })

export const search_knowledge_bases = operation("search_knowledge_bases", {
  route: "GET /knowledge_bases",
  summary: "List entries of the knowledge base",
  payload: {
    property_ids: Schema.optionalKey(IdsOrText),
    channel_types: Schema.optionalKey(ChannelTypesParameter),
    ...pageFieldsOf(KNOWLEDGE_PAGE_DEFAULT)
  },
  success: Schema.Struct({ knowledge_bases: Schema.Array(KnowledgeBase), total: Schema.Int }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Lists what guests' questions are answered from, newest first. property_ids and channel_types: what applies there, if only as for all. Texts: get_knowledge_base.",
    ["What do my guests get told automatically?", "Which entries apply to Harbour 1?"],
    false
  )
})

export const get_knowledge_base = operation("get_knowledge_base", {
  route: "GET /knowledge_bases/{id}",
  summary: "Read an entry of the knowledge base",
  payload: { id: Id },
  success: Schema.Struct({ knowledge_base: KnowledgeBaseWithContents }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Shows an entry with its texts (ids: search_knowledge_bases). Guests are answered from it while process_status is done and is_enable true.",
    ["What does the entry about parking say?"],
    false
  )
})

export const create_knowledge_base = operation("create_knowledge_base", {
  route: "POST /knowledge_bases",
  summary: "Add an entry to the knowledge base",
  payload: entryFields,
  success: Schema.Struct({ id: Id }),
  errors: [NotFound],
  exposure: toolMetadata(
    'Adds texts that guests\' questions are answered from, seconds later. ids: of properties, groups or room types; [-1] for all. channels: ["unlimited"] for all. audience anyone: strangers too, so no Wi-Fi or door codes.',
    ["Write down that parking is two streets away", "Guests of the loft should know the Wi-Fi password"],
    true
  )
})

export const update_knowledge_base = operation("update_knowledge_base", {
  route: "PATCH /knowledge_bases/{id}",
  summary: "Replace an entry of the knowledge base",
  payload: editPayloadFields(KnowledgeBaseWithContents, { id: Id, ...entryFields }),
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Replaces an entry: send all that get_knowledge_base shows, with your change. What it said before is not used from then on.",
    ["The Wi-Fi password has changed", "Switch off the entry about parking"],
    true,
    { destructive: true }
  )
})

export const delete_knowledge_base = operation("delete_knowledge_base", {
  route: "DELETE /knowledge_bases/{id}",
  summary: "Delete an entry of the knowledge base",
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes an entry for good (ids: search_knowledge_bases).",
    ["Delete the entry about the old car park"],
    true
  )
})

export const ask_knowledge_base = operation("ask_knowledge_base", {
  // A question is too long for a query string, and guests' words must not appear in URLs.
  route: "POST /knowledge_bases/answers",
  changesNothing: true,
  summary: "Try a question: what a guest would be answered from the knowledge base",
  payload: {
    question: Question.annotateKey({ description: "In any language." }),
    stay_code: Schema.optionalKey(RecordCode).annotateKey({
      description: "Asks as the guest of this stay. Absent: as a guest without a stay."
    })
  },
  success: Schema.Struct({
    sentences: Schema.Array(
      Schema.Struct({
        text: Schema.String,
        knowledge_base_id: Id,
        title: Schema.String,
        sub_title: Schema.String
      })
    ).annotateKey({
      description: "As they stand in the entries, the best first. None: the question waits for the host."
    })
  }),
  errors: [NotFound],
  exposure: {
    notATool: "agents read the entries themselves, with get_knowledge_base",
    extension: true
  }
})

export const KnowledgeBaseOperations = {
  search_knowledge_bases,
  get_knowledge_base,
  create_knowledge_base,
  update_knowledge_base,
  delete_knowledge_base,
  ask_knowledge_base
}
