import { Layer } from "effect"
import { Cleaning, cleaning } from "./Cleaning.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { DeliveryShares } from "./DeliveryShares.ts"
import { FanOut } from "./FanOut.ts"
import { Statistics } from "./Statistics.ts"
import { work } from "./workers.ts"

/** The workers of this process, over a database and the door deliveries leave by. */
export const layerWebhooks = Layer.mergeAll(Layer.effectDiscard(work), Layer.effectDiscard(cleaning)).pipe(
  Layer.provide([Cleaning.layer, FanOut.layer, DeliveryQueue.layer, DeliveryShares.layer(), Statistics.layer])
)
