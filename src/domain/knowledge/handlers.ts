import { DateTime, Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { NotFound } from "../../contract/errors.ts"
import { pageOf } from "../../contract/page.ts"
import { KNOWLEDGE_PAGE_DEFAULT } from "../../platform/limits.ts"
import { asChannelTypes } from "../channels/port/channel-type-list.ts"
import { change, done, handled, layerHandled } from "../handled.ts"
import { firstOf, noSuchProperties } from "../properties/properties/belonging.ts"
import { Identity } from "../row-fields.ts"
import {
  type create_knowledge_base,
  type delete_knowledge_base,
  type get_knowledge_base,
  KnowledgeBases,
  type PropertyScopeType,
  type search_knowledge_bases,
  type update_knowledge_base
} from "./contract.ts"
import { channelScopeOf, NAMED_BY, propertyScopeOf } from "./rules.ts"
import { KnowledgeBaseStore, type Writing } from "./store.ts"

type Store = KnowledgeBaseStore["Service"]

const searchKnowledgeBases = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof search_knowledge_bases.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const { property_ids, channel_types: named } = payload
    const channel_types = named === undefined ? undefined : asChannelTypes(named)
    const page = pageOf(payload, KNOWLEDGE_PAGE_DEFAULT)
    const found = yield* store.search(operatorId, { property_ids, channel_types }, page)
    if (found.total === 0 && property_ids !== undefined) {
      const unknown = yield* store.unknown(operatorId, property_ids)
      if (unknown.length > 0) return yield* noSuchProperties(unknown)
    }
    return { knowledge_bases: found.rows, total: found.total }
  })

const getKnowledgeBase = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof get_knowledge_base.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const knowledge_base = yield* store.get(operatorId, payload.id)
    return knowledge_base === undefined ? yield* noSuchEntry : { knowledge_base }
  })

type NewEntry = typeof create_knowledge_base.payloadSchema.Type

/** What is left out of a replacement is as if it had never been said. */
const writingOf = Effect.fnUntraced(function* ({ title = "", is_enable, audience = "guests", ...entry }: NewEntry) {
  const scope_property = yield* Effect.fromResult(propertyScopeOf(entry.scope_property))
  const scope_channel = yield* Effect.fromResult(channelScopeOf(entry.scope_channel))
  const writing: Writing = { title, is_enable, audience, scope_property, scope_channel, contents: entry.contents }
  return writing
})

const createKnowledgeBase = (store: Store) =>
  Effect.fnUntraced(function* (payload: NewEntry) {
    const { operatorId } = yield* CurrentOperator
    const writing = yield* writingOf(payload)
    const { id, unknown } = yield* store.create(operatorId, writing, yield* DateTime.nowAsDate)
    return id === null ? yield* noneOf(writing.scope_property.type, unknown) : { id }
  })

const updateKnowledgeBase = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof update_knowledge_base.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const writing = yield* writingOf(payload)
    const updated = yield* store.update(operatorId, payload.id, writing, yield* DateTime.nowAsDate)
    if (updated === undefined) return yield* noSuchEntry
    return updated.id === null ? yield* noneOf(writing.scope_property.type, updated.unknown) : undefined
  })

const deleteKnowledgeBase = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof delete_knowledge_base.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const removed = yield* store.remove(operatorId, payload.id)
    return removed === undefined ? yield* noSuchEntry : undefined
  })

const noSuchEntry = new NotFound({ message: "id: no such entry." })

/** 404 for ids of a scope that name nothing of the caller's. */
const noneOf = (type: PropertyScopeType, ids: ReadonlyArray<number>): NotFound =>
  new NotFound({ message: `scope_property.ids: no such ${NAMED_BY[type]}: ${firstOf(ids)}.` })

export const layerKnowledgeBases = layerHandled(
  Effect.map(KnowledgeBaseStore, (store) =>
    handled(KnowledgeBases, {
      search_knowledge_bases: searchKnowledgeBases(store),
      get_knowledge_base: getKnowledgeBase(store),
      create_knowledge_base: change(createKnowledgeBase(store), Identity, ({ id }) => ({ id })),
      update_knowledge_base: done(updateKnowledgeBase(store)),
      delete_knowledge_base: done(deleteKnowledgeBase(store))
    })
  )
).pipe(Layer.provide(KnowledgeBaseStore.layer))
