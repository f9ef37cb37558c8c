import { Layer } from "effect"
import { layerOauth } from "../domain/access/oauth/handlers.ts"
import { layerAutomation } from "../domain/automation/handlers.ts"
import { layerReservationTags } from "../domain/bookings/reservation-tags/handlers.ts"
import { layerReservations } from "../domain/bookings/reservations/handlers.ts"
import { layerStays } from "../domain/bookings/stays/handlers.ts"
import { layerAvailabilities } from "../domain/calendars/availability/handlers.ts"
import { layerCalendarShareLinks } from "../domain/calendars/calendar-share-links/handlers.ts"
import { layerListingCalendars } from "../domain/calendars/listing-calendars/handlers.ts"
import { layerChannelAccounts } from "../domain/channels/channel-accounts/handlers.ts"
import { layerCustomChannels } from "../domain/channels/custom-channels/handlers.ts"
import { layerConversations } from "../domain/guests/conversations/handlers.ts"
import { layerReviews } from "../domain/guests/reviews/handlers.ts"
import { layerSpecialOffers } from "../domain/guests/special-offers/handlers.ts"
import { layerKnowledgeBases } from "../domain/knowledge/handlers.ts"
import { layerListings } from "../domain/listings/handlers.ts"
import { layerTransactions } from "../domain/money/handlers.ts"
import type { HandlesOperations } from "../domain/operation-handlers.ts"
import { layerPriceAndRules } from "../domain/prices/handlers.ts"
import { layerGroups } from "../domain/properties/groups/handlers.ts"
import { layerProperties } from "../domain/properties/properties/handlers.ts"
import { layerTags } from "../domain/properties/tags/handlers.ts"
import { layerEvents } from "../domain/webhooks/event-feed/handlers.ts"
import { layerWebhooks } from "../domain/webhooks/subscriptions/handlers.ts"
import { layerStaffs } from "../domain/work/staffs/handlers.ts"
import { layerTasks } from "../domain/work/tasks/handlers.ts"
import type { OperationName } from "./Api.ts"

const families = Layer.mergeAll(
  layerTransactions,
  layerProperties,
  layerGroups,
  layerTags,
  layerReservationTags,
  layerCustomChannels,
  layerChannelAccounts,
  layerListings,
  layerAvailabilities,
  layerListingCalendars,
  layerPriceAndRules,
  layerReservations,
  layerStays,
  layerCalendarShareLinks,
  layerTasks,
  layerStaffs,
  layerWebhooks,
  layerEvents,
  layerConversations,
  layerSpecialOffers,
  layerReviews,
  layerKnowledgeBases,
  layerAutomation,
  layerOauth
)

type Families = typeof families

/** The handlers of every operation, over the database and the channels. One that is in no family above is told here. */
export const layerHandlers: Layer.Layer<
  HandlesOperations<OperationName>,
  Layer.Error<Families>,
  Layer.Services<Families>
> = families
