import { Layer } from "effect"
import { layerMemoryTokens } from "../admission/gate/memory-access.ts"
import { layerMemory as layerIdempotencyKeys } from "../changes/memory/idempotency-keys.ts"
import { MemoryDatabase } from "../changes/memory/MemoryDatabase.ts"
import { layerMemory as layerOperators } from "../domain/access/operators/memory-store.ts"
import { layerMemory as layerAccessTokens } from "../domain/access/operators/memory-tokens.ts"
import { layerMemory as layerReservationTags } from "../domain/bookings/reservation-tags/memory-store.ts"
import { layerMemory as layerBasePrices } from "../domain/calendars/base-prices/memory-store.ts"
import { layerMemory as layerKnowledgeBases } from "../domain/knowledge/memory-store.ts"
import { layerMemory as layerTransactions } from "../domain/money/memory-store.ts"
import { layerMemory as layerGroups } from "../domain/properties/groups/memory-store.ts"
import { layerMemory as layerProperties } from "../domain/properties/properties/memory-store.ts"
import { layerMemory as layerRoomTypes } from "../domain/properties/properties/room-type-memory-store.ts"
import { layerMemory as layerTags } from "../domain/properties/tags/memory-store.ts"
import { layerMemory as layerWebhooks } from "../domain/webhooks/subscriptions/memory-store.ts"
import { layerMemory as layerStaffs } from "../domain/work/staffs/memory-store.ts"
import { layerMemory as layerTasks } from "../domain/work/tasks/memory-store.ts"

/** These stores share one {@link MemoryDatabase}, so that a test finds events, audit entries and idempotency keys. */
export const layerMemoryStores = Layer.mergeAll(
  layerMemoryTokens,
  layerIdempotencyKeys,
  layerOperators,
  layerAccessTokens,
  layerReservationTags,
  layerKnowledgeBases,
  layerTransactions,
  layerGroups,
  layerTags,
  layerProperties,
  layerRoomTypes,
  layerWebhooks,
  layerStaffs,
  layerTasks,
  layerBasePrices
).pipe(Layer.provideMerge(MemoryDatabase.layer))
