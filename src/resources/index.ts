import { Layer } from "effect"
import { Availability } from "./availability/Availability.ts"
import { layerAvailabilities } from "./availability/handlers.ts"
import { AvailabilityStore } from "./availability/store.ts"
import { layerCalendarShareLinks } from "./calendar-share-links/handlers.ts"
import { SharedCalendars } from "./calendar-share-links/SharedCalendars.ts"
import { ShareLinkStore } from "./calendar-share-links/store.ts"
import { layerCustomChannels } from "./custom-channels/handlers.ts"
import { layerGroups } from "./groups/handlers.ts"
import { GroupStore } from "./groups/store.ts"
import { layerProperties } from "./properties/handlers.ts"
import { RoomTypeStore } from "./properties/room-type-store.ts"
import { PropertyStore } from "./properties/store.ts"
import { layerReservationTags } from "./reservation-tags/handlers.ts"
import { ReservationTagStore } from "./reservation-tags/store.ts"
import { OrderEntryStore } from "./reservations/entry-store.ts"
import { layerReservations } from "./reservations/handlers.ts"
import { Orders } from "./reservations/Orders.ts"
import { ReservationSearch } from "./reservations/search-store.ts"
import { layerStays } from "./reservations/stay-handlers.ts"
import { StayStore } from "./reservations/stay-store.ts"
import { layerStaffs } from "./staffs/handlers.ts"
import { StaffStore } from "./staffs/store.ts"
import { layerTags } from "./tags/handlers.ts"
import { TagStore } from "./tags/store.ts"
import { layerTasks } from "./tasks/handlers.ts"
import { TaskStore } from "./tasks/store.ts"
import { layerTransactions } from "./transactions/handlers.ts"
import { TransactionStore } from "./transactions/store.ts"
import { layerWebhookHandlers } from "./webhooks/handlers.ts"
import { WebhookStore } from "./webhooks/store.ts"

/** The handlers of every operation, over the database and the channels. */
export const layerHandlers = Layer.mergeAll(
  layerTransactions.pipe(Layer.provide(TransactionStore.layer)),
  layerProperties.pipe(Layer.provide([PropertyStore.layer, RoomTypeStore.layer])),
  layerGroups.pipe(Layer.provide(GroupStore.layer)),
  layerTags.pipe(Layer.provide(TagStore.layer)),
  layerReservationTags.pipe(Layer.provide(ReservationTagStore.layer)),
  layerCustomChannels,
  layerAvailabilities.pipe(Layer.provide([Availability.layer, AvailabilityStore.layer])),
  layerReservations.pipe(Layer.provide([ReservationSearch.layer, OrderEntryStore.layer, Orders.layer])),
  layerStays.pipe(Layer.provide(StayStore.layer)),
  layerCalendarShareLinks.pipe(Layer.provide(ShareLinkStore.layer)),
  layerTasks.pipe(Layer.provide(TaskStore.layer)),
  layerStaffs.pipe(Layer.provide(StaffStore.layer)),
  layerWebhookHandlers.pipe(Layer.provide(WebhookStore.layer))
)

/** What share links open, over the database. */
export const layerSharedCalendars = SharedCalendars.layer.pipe(Layer.provide(Availability.layer))
