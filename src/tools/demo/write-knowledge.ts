import { Effect, Layer } from "effect"
import { ALL_CHANNELS, ALL_IDS } from "../../domain/knowledge/contract.ts"
import { PreparingQueue } from "../../domain/knowledge/preparing/preparation-jobs.ts"
import { toKnowledgeFragments } from "../../domain/knowledge/search/fragments.ts"
import { KnowledgeBaseStore } from "../../domain/knowledge/store.ts"
import type { DemoOperator } from "./demo-operator.ts"
import { DEMO_KNOWLEDGE, type DemoKnowledgeEntry } from "./knowledge.ts"
import { DEMO_PROPERTIES } from "./properties.ts"

const scopeOf = ({ city }: DemoKnowledgeEntry, propertyIds: ReadonlyArray<number>) =>
  city === undefined
    ? { type: "all" as const, ids: [ALL_IDS] }
    : {
        type: "by_property" as const,
        ids: DEMO_PROPERTIES.flatMap((property, place) => (property.city === city ? (propertyIds[place] ?? []) : []))
      }

/** Also prepares the entries for search, as the worker does. */
export const writeKnowledge = Effect.fn("demo.writeKnowledge")(
  function* ({ operatorId, propertyIds, now }: DemoOperator) {
    const store = yield* KnowledgeBaseStore
    for (const entry of DEMO_KNOWLEDGE) {
      const { title, audience, contents } = entry
      const scope = {
        scope_property: scopeOf(entry, propertyIds),
        scope_channel: { type: "all", channels: [ALL_CHANNELS] }
      } as const
      yield* store.create(operatorId, { title, audience, contents, is_enable: true, ...scope }, now)
    }
    const queue = yield* PreparingQueue
    let claimedEntries = yield* queue.claim(now, DEMO_KNOWLEDGE.length, [])
    while (claimedEntries.length > 0) {
      yield* Effect.forEach(claimedEntries, (entry) => queue.complete(entry, toKnowledgeFragments(entry)), {
        discard: true
      })
      claimedEntries = yield* queue.claim(now, DEMO_KNOWLEDGE.length, [])
    }
  },
  Effect.orDie,
  Effect.provide(Layer.merge(KnowledgeBaseStore.layer, PreparingQueue.layer))
)
