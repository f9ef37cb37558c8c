import { Schema } from "effect"
import { NotFound } from "../../contract/errors.ts"
import { Id, Integer, MUST_NOT_BE_EMPTY, RecordCode, textUpTo } from "../../contract/fields.ts"
import { IdsOrText } from "../../contract/id-list.ts"
import { editPayloadFields } from "../../contract/immutable-fields.ts"
import { defineFamily, toolMetadata } from "../../contract/operation.ts"
import { PageTotal, pageFieldsOf } from "../../contract/page.ts"
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

/** Values that stand for all properties and all channels in a scope. */
export const ALL_IDS = -1
export const ALL_CHANNELS = "unlimited"

export const Audience = Schema.Literals(["guests", "anyone"])
export type Audience = typeof Audience.Type

const ProcessStatus = Schema.Literals(["waiting", "processing", "done", "failed"])

const Title = textUpTo(KNOWLEDGE_TITLE_LENGTH)

const nonBlankTextUpTo = (maxCharacters: number) =>
  textUpTo(maxCharacters).check(
    Schema.makeFilter((text) => text.trim() !== "" || MUST_NOT_BE_EMPTY, { toJsonSchema: () => [{}, true] })
  )

const Content = Schema.Struct({
  sub_title: Title.annotateKey({ documentation: "What the text is about. May be empty." }),
  text: nonBlankTextUpTo(KNOWLEDGE_TEXT_LENGTH).annotateKey({
    documentation: "Text whose sentences answer guests, unchanged. Must not be blank."
  })
})

const meanings = {
  title: "Title of the entry.",
  is_enable: "Whether guests are answered from the entry.",
  propertyScope: "Properties for which the entry is used.",
  propertyScopeType: "What the ids are: of properties, groups or room types. `all` stands for all properties.",
  channelScope: "Channels for which the entry is used.",
  channelScopeType: "`by_channel`: the listed channels. `all`: all channels.",
  audience:
    "`guests`: only guests with an accepted stay within the scope are answered from the entry, until the day of check-out. `anyone`: other people who ask are answered too.",
  contents: "Texts of the entry."
}

const Question = nonBlankTextUpTo(QUESTION_LENGTH)

export const KnowledgeBase = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the entry." }),
  title: Schema.String.annotateKey({ documentation: `${meanings.title} Empty if it has none.` }),
  is_enable: Schema.Boolean.annotateKey({ documentation: meanings.is_enable }),
  scope_property: Schema.Struct({
    type: PropertyScopeType.annotateKey({ documentation: meanings.propertyScopeType }),
    ids: Schema.Array(Schema.Int).annotateKey({
      documentation: `Ids in ascending order. \`[${ALL_IDS}]\` for all properties.`
    })
  }).annotateKey({ documentation: meanings.propertyScope }),
  scope_channel: Schema.Struct({
    type: ChannelScopeType.annotateKey({ documentation: meanings.channelScopeType }),
    channels: Schema.Array(Schema.String).annotateKey({
      documentation: `Channel types. \`["${ALL_CHANNELS}"]\` for all channels.`
    })
  }).annotateKey({ documentation: meanings.channelScope }),
  process_status: ProcessStatus.annotateKey({
    documentation:
      "Preparation of the texts for answers. `waiting`: not prepared yet. `processing`: being prepared. `done`: guests are answered from the entry. `failed`: an attempt failed. The service makes ten attempts within about 40 minutes, later ones only after an edit."
  }),
  audience: Audience.annotateKey({ documentation: meanings.audience })
})

export const KnowledgeBaseWithContents = Schema.Struct({
  ...KnowledgeBase.fields,
  contents: Schema.Array(
    Schema.Struct({
      sub_title: Schema.String.annotateKey({ documentation: "What the text is about. May be empty." }),
      text: Schema.String.annotateKey({ documentation: "Text whose sentences answer guests, unchanged." })
    })
  ).annotateKey({ documentation: meanings.contents })
})

const ScopedId = Integer.check(Schema.isGreaterThanOrEqualTo(ALL_IDS, { expected: `an id, or ${ALL_IDS} for all` }))

const PropertyScope = Schema.Struct({
  type: PropertyScopeType.annotateKey({ documentation: meanings.propertyScopeType }),
  ids: Schema.optionalKey(
    Schema.Array(ScopedId).check(
      Schema.isMaxLength(KNOWLEDGE_SCOPE_MAX, { expected: `at most ${KNOWLEDGE_SCOPE_MAX} ids` })
    )
  ).annotateKey({
    documentation: `At least one id, from search_properties, search_property_groups or search_room_types. With \`type: all\`: omitted, empty or \`[${ALL_IDS}]\`.`
  })
})
export type PropertyScope = typeof PropertyScope.Type

const isChannel = Schema.is(Schema.Literals([...ChannelType.literals, ALL_CHANNELS]))

const ScopedChannel = RecordCode.check(
  Schema.makeFilter((channel) => isChannel(channel) || `must be a channel type or ${ALL_CHANNELS}`, {
    toJsonSchema: () => [{}, true]
  })
)

const ChannelScope = Schema.Struct({
  type: ChannelScopeType.annotateKey({ documentation: meanings.channelScopeType }),
  channels: Schema.optionalKey(
    Schema.Array(ScopedChannel).check(
      Schema.isMaxLength(ChannelType.literals.length, { expected: `at most ${ChannelType.literals.length} channels` })
    )
  ).annotateKey({
    documentation: `At least one channel type. With \`type: all\`: omitted, empty or \`["${ALL_CHANNELS}"]\`.`
  })
})
export type ChannelScope = typeof ChannelScope.Type

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
  title: Schema.optionalKey(Title).annotateKey({ documentation: `${meanings.title} Default: empty.` }),
  is_enable: Schema.Boolean.annotateKey({ documentation: meanings.is_enable }),
  scope_property: PropertyScope.annotateKey({ documentation: meanings.propertyScope }),
  scope_channel: ChannelScope.annotateKey({ documentation: meanings.channelScope }),
  contents: Contents.annotateKey({
    documentation: `Texts of the entry, at most ${KNOWLEDGE_ENTRY_TEXT_LENGTH} characters all together. Answers are best if each subject has a text with its own \`sub_title\`.`
  }),
  audience: Schema.optionalKey(Audience.annotate({ default: "guests" })).annotateKey({
    documentation: meanings.audience
  })
}

const SCOPE_ERRORS =
  "A `type` and a list that contradict each other return 400. An unknown id in `scope_property.ids` returns 404. A scope without ids or channels returns 422, unless its type is `all`."

const EntryId = Id.annotateKey({ documentation: "Id of the entry, from search_knowledge_bases." })

const operation = defineFamily({ category: "knowledge_base", since: "3.4.0", openWorld: false })

export const search_knowledge_bases = operation("search_knowledge_bases", {
  route: "GET /knowledge_bases",
  summary: "List entries of the knowledge base",
  details: "An unknown property in `property_ids` returns 404, also beside known ones.",
  payload: {
    property_ids: Schema.optionalKey(IdsOrText).annotateKey({
      documentation:
        "Finds entries that apply to one of these properties: by the property, its groups or its room type, or as entries for all. Ids separated by commas, or a list."
    }),
    channel_types: Schema.optionalKey(ChannelTypesParameter).annotateKey({
      documentation:
        "Finds entries that apply to one of these channels, also entries for all. Channel types separated by commas, or a list."
    }),
    ...pageFieldsOf(KNOWLEDGE_PAGE_DEFAULT)
  },
  success: Schema.Struct({
    knowledge_bases: Schema.Array(KnowledgeBase).annotateKey({
      documentation: "Entries of the page without their texts, newest first."
    }),
    total: PageTotal
  }),
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
  payload: { id: EntryId },
  success: Schema.Struct({
    knowledge_base: KnowledgeBaseWithContents.annotateKey({ documentation: "The entry." })
  }),
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
  details: `Guests are answered from the entry once its \`process_status\` is \`done\`, usually within a second. An operator has at most 1,000 entries; one more returns 422 and names \`knowledge_base_limit\`. ${SCOPE_ERRORS}`,
  payload: entryFields,
  success: Schema.Struct({ id: Id.annotateKey({ documentation: "Id of the new entry." }) }),
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
  details: `Fields that are not sent get their defaults: an empty \`title\`, and \`guests\` as \`audience\`. A sent \`process_status\` is ignored: it becomes \`waiting\`, and the entry answers nothing until it is \`done\`. A deleted group or room type that the entry names already may be sent again. ${SCOPE_ERRORS}`,
  payload: editPayloadFields(KnowledgeBaseWithContents, { id: EntryId, ...entryFields }),
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
  payload: { id: EntryId },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes an entry for good (ids: search_knowledge_bases).",
    ["Delete the entry about the old car park"],
    true
  )
})

export const ask_knowledge_base = operation("ask_knowledge_base", {
  // A question may be too long for a URL, and guests' words must not appear in one.
  route: "POST /knowledge_bases/answers",
  changesNothing: true,
  summary: "Test which answer a guest's question gets from the knowledge base",
  details:
    "Returns the sentences that an automatic answer would have. Nothing is sent or stored. Only entries with `is_enable: true` and the `process_status` `done` are used. An unknown `stay_code` returns 404.",
  payload: {
    question: Question.annotateKey({ description: "The guest's words, in any language." }),
    stay_code: Schema.optionalKey(RecordCode).annotateKey({
      description:
        "Asks as the guest of this stay. Default: as a person without a stay, for whom only entries with the audience `anyone` are used."
    })
  },
  success: Schema.Struct({
    sentences: Schema.Array(
      Schema.Struct({
        text: Schema.String.annotateKey({ documentation: "Sentence of the entry, unchanged." }),
        knowledge_base_id: Id.annotateKey({ documentation: "Entry that has the sentence." }),
        title: Schema.String.annotateKey({ documentation: "Title of the entry." }),
        sub_title: Schema.String.annotateKey({ documentation: "Subtitle of the text that has the sentence." })
      })
    ).annotateKey({
      documentation: "At most three sentences, the best first. Empty if the host must answer the question."
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
