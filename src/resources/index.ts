import { Layer } from "effect"
import { layerAvailabilities } from "./availability/handlers.ts"
import { layerCalendarShareLinks } from "./calendar-share-links/handlers.ts"
import { layerCustomChannels } from "./custom-channels/handlers.ts"
import { layerGroups } from "./groups/handlers.ts"
import { layerProperties } from "./properties/handlers.ts"
import { layerReservationTags } from "./reservation-tags/handlers.ts"
import { layerReservations } from "./reservations/handlers.ts"
import { layerStaffs } from "./staffs/handlers.ts"
import { layerStays } from "./stays/handlers.ts"
import { layerTags } from "./tags/handlers.ts"
import { layerTasks } from "./tasks/handlers.ts"
import { layerTransactions } from "./transactions/handlers.ts"
import { layerWebhookFamily } from "./webhooks/handlers.ts"

/** The handlers of every operation, over the database and the channels. */
export const layerHandlers = Layer.mergeAll(
  layerTransactions,
  layerProperties,
  layerGroups,
  layerTags,
  layerReservationTags,
  layerCustomChannels,
  layerAvailabilities,
  layerReservations,
  layerStays,
  layerCalendarShareLinks,
  layerTasks,
  layerStaffs,
  layerWebhookFamily
)
