import { Layer } from "effect"
import { periodically } from "../../../jobs/loop.ts"
import { RETENTION_MS } from "../../../jobs/retention.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { FanOut } from "./FanOut.ts"
import { Overdue, watching } from "./Overdue.ts"
import { retain } from "./retention.ts"
import { work } from "./workers.ts"

/** The workers of this process, over a database and the door deliveries leave by. */
export const layerDeliveries = Layer.mergeAll(
  Layer.effectDiscard(work),
  Layer.effectDiscard(periodically("retention of deliveries", RETENTION_MS, retain)),
  Layer.effectDiscard(watching)
).pipe(Layer.provide([FanOut.layer, DeliveryQueue.layer, Overdue.layer]))
