import { DateTime, Effect } from "effect"
import { CurrentCaller } from "../../contract/caller.ts"
import { NotFound } from "../../contract/errors.ts"
import { toPage } from "../../contract/page.ts"
import { KNOWLEDGE_PAGE_DEFAULT } from "../../platform/limits.ts"
import { toChannelTypes } from "../channels/port/channel-types-parameter.ts"
import { RowId } from "../column-schemas.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../operation-handlers.ts"
import { formatIds, toUnknownPropertiesError } from "../properties/properties/ownership.ts"
import {
  type ask_knowledge_base,
  type create_knowledge_base,
  type delete_knowledge_base,
  type get_knowledge_base,
  KnowledgeBaseOperations,
  type PropertyScopeType,
  type search_knowledge_bases,
  type update_knowledge_base
} from "./contract.ts"
import { normalizeChannelScope, normalizePropertyScope, SCOPE_ID_NOUNS } from "./rules.ts"
import { KnowledgeAnswers } from "./search/KnowledgeAnswers.ts"
import { AnswerStore } from "./search/store.ts"
import { type KnowledgeBaseInput, KnowledgeBaseStore } from "./store.ts"

type Store = KnowledgeBaseStore["Service"]

const searchKnowledgeBases = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof search_knowledge_bases.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const { property_ids, channel_types: channelTypes } = payload
    const channel_types = channelTypes === undefined ? undefined : toChannelTypes(channelTypes)
    const pageRequest = toPage(payload, KNOWLEDGE_PAGE_DEFAULT)
    const page = yield* store.search(operatorId, { property_ids, channel_types }, pageRequest)
    if (page.total === 0 && property_ids !== undefined) {
      const unknown = yield* store.findUnknownProperties(operatorId, property_ids)
      if (unknown.length > 0) return yield* toUnknownPropertiesError(unknown)
    }
    return { knowledge_bases: page.rows, total: page.total }
  })

const getKnowledgeBase = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof get_knowledge_base.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const knowledge_base = yield* store.get(operatorId, payload.id)
    return knowledge_base === undefined ? yield* knowledgeEntryNotFoundError : { knowledge_base }
  })

type CreateKnowledgeBasePayload = typeof create_knowledge_base.payloadSchema.Type

/** An update replaces the whole entry, so omitted fields get their defaults. */
const toKnowledgeBaseInput = Effect.fnUntraced(function* ({
  title = "",
  is_enable,
  audience = "guests",
  ...entry
}: CreateKnowledgeBasePayload) {
  const scope_property = yield* Effect.fromResult(normalizePropertyScope(entry.scope_property))
  const scope_channel = yield* Effect.fromResult(normalizeChannelScope(entry.scope_channel))
  const input: KnowledgeBaseInput = {
    title,
    is_enable,
    audience,
    scope_property,
    scope_channel,
    contents: entry.contents
  }
  return input
})

const createKnowledgeBase = (store: Store) =>
  Effect.fnUntraced(function* (payload: CreateKnowledgeBasePayload) {
    const { operatorId } = yield* CurrentCaller
    const input = yield* toKnowledgeBaseInput(payload)
    const { id, unknown } = yield* store.create(operatorId, input, yield* DateTime.nowAsDate)
    return id === null ? yield* toScopeIdsNotFoundError(input.scope_property.type, unknown) : { id }
  })

const updateKnowledgeBase = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof update_knowledge_base.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const input = yield* toKnowledgeBaseInput(payload)
    const updated = yield* store.update(operatorId, payload.id, input, yield* DateTime.nowAsDate)
    if (updated === undefined) return yield* knowledgeEntryNotFoundError
    return updated.id === null ? yield* toScopeIdsNotFoundError(input.scope_property.type, updated.unknown) : undefined
  })

const deleteKnowledgeBase = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof delete_knowledge_base.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const removed = yield* store.remove(operatorId, payload.id)
    return removed === undefined ? yield* knowledgeEntryNotFoundError : undefined
  })

/** Must reveal nothing that the caller could not read in the entries. */
const askKnowledgeBase = (answers: KnowledgeAnswers["Service"], store: AnswerStore["Service"]) =>
  Effect.fnUntraced(function* ({ question, stay_code }: typeof ask_knowledge_base.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const asker = stay_code === undefined ? { anonymous: true as const } : { stayCode: stay_code }
    const sentences = yield* answers.ask(operatorId, asker, [question])
    if (sentences.length === 0 && stay_code !== undefined) {
      if (!(yield* store.stayExists(operatorId, stay_code))) return yield* stayNotFoundError
    }
    return {
      sentences: sentences.map(({ text, knowledge_base_id, title, sub_title }) => ({
        text,
        knowledge_base_id,
        title,
        sub_title
      }))
    }
  })

const stayNotFoundError = new NotFound({ message: "stay_code: no such stay." })

const knowledgeEntryNotFoundError = new NotFound({ message: "id: no such entry." })

const toScopeIdsNotFoundError = (type: PropertyScopeType, ids: ReadonlyArray<number>): NotFound =>
  new NotFound({ message: `scope_property.ids: no such ${SCOPE_ID_NOUNS[type]}: ${formatIds(ids)}.` })

export const layerKnowledgeBases = layerOperations(
  Effect.gen(function* () {
    const [store, answers, answerStore] = [yield* KnowledgeBaseStore, yield* KnowledgeAnswers, yield* AnswerStore]
    return handleOperations(KnowledgeBaseOperations, {
      search_knowledge_bases: searchKnowledgeBases(store),
      get_knowledge_base: getKnowledgeBase(store),
      create_knowledge_base: changeHandler(createKnowledgeBase(store), RowId, ({ id }) => ({ id })),
      update_knowledge_base: voidChangeHandler(updateKnowledgeBase(store)),
      delete_knowledge_base: voidChangeHandler(deleteKnowledgeBase(store)),
      ask_knowledge_base: askKnowledgeBase(answers, answerStore)
    })
  })
)
