import { Layer } from "effect"
import { Cleaning, cleaning } from "./Cleaning.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { DeliveryShares } from "./DeliveryShares.ts"
import { FanOut } from "./FanOut.ts"
import { Overdue, watching } from "./Overdue.ts"
import { Statistics } from "./Statistics.ts"
import { work } from "./workers.ts"

/** The workers of this process, over a database and the door deliveries leave by. */
export const layerWebhooks = Layer.mergeAll(
  Layer.effectDiscard(work),
  Layer.effectDiscard(cleaning),
  Layer.effectDiscard(watching)
).pipe(
  Layer.provide([
    Cleaning.layer,
    FanOut.layer,
    DeliveryQueue.layer,
    DeliveryShares.layer(),
    Overdue.layer,
    Statistics.layer
  ])
)
