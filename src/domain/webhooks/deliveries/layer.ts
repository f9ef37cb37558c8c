import { Layer } from "effect"
import { RETENTION_INTERVAL_MS } from "../../../jobs/retention.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { runDeliveryWorkers } from "./delivery-workers.ts"
import { EventDispatcher } from "./EventDispatcher.ts"
import { OverdueDeliveries, watchOverdueDeliveries } from "./OverdueDeliveries.ts"
import { applyDeliveryRetention } from "./retention.ts"

export const layerDeliveries = Layer.mergeAll(
  Layer.effectDiscard(runDeliveryWorkers),
  Layer.effectDiscard(repeatPeriodically("retention of deliveries", RETENTION_INTERVAL_MS, applyDeliveryRetention)),
  Layer.effectDiscard(watchOverdueDeliveries)
).pipe(Layer.provide([EventDispatcher.layer, DeliveryQueue.layer, OverdueDeliveries.layer]))
