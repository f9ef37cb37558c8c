import { Layer } from "effect"
import { layerConnections } from "../domain/access/oauth/connection-handlers.ts"
import { layerOauth } from "../domain/access/oauth/handlers.ts"
import { layerAccessTokens } from "../domain/access/operators/handlers.ts"
import { layerAccounts } from "../domain/access/sign-in/handlers.ts"
import { layerAuditLog } from "../domain/audit-log/handlers.ts"
import { layerAutomation } from "../domain/automation/handlers.ts"
import { layerAutomationRules } from "../domain/automation/rules/handlers.ts"
import { layerCheckIn } from "../domain/bookings/check-in/handlers.ts"
import { layerQuotes } from "../domain/bookings/quotes/handlers.ts"
import { layerReservationTags } from "../domain/bookings/reservation-tags/handlers.ts"
import { layerReservations } from "../domain/bookings/reservations/handlers.ts"
import { layerStays } from "../domain/bookings/stays/handlers.ts"
import { layerAvailabilities } from "../domain/calendars/availability/handlers.ts"
import { layerBasePrices } from "../domain/calendars/base-prices/handlers.ts"
import { layerCalendarShareLinks } from "../domain/calendars/calendar-share-links/handlers.ts"
import { layerCalendarStays } from "../domain/calendars/calendar-stays/handlers.ts"
import { layerImportedCalendars } from "../domain/calendars/imported-calendars/handlers.ts"
import { layerListingCalendars } from "../domain/calendars/listing-calendars/handlers.ts"
import { layerPropertyFeeds } from "../domain/calendars/property-feeds/handlers.ts"
import { layerChannelAccounts } from "../domain/channels/channel-accounts/handlers.ts"
import { layerCustomChannels } from "../domain/channels/custom-channels/handlers.ts"
import { layerConversations } from "../domain/guests/conversations/handlers.ts"
import { layerReviews } from "../domain/guests/reviews/handlers.ts"
import { layerSpecialOffers } from "../domain/guests/special-offers/handlers.ts"
import { layerKnowledgeBases } from "../domain/knowledge/handlers.ts"
import { layerListings } from "../domain/listings/handlers.ts"
import { layerCategories } from "../domain/money/category-handlers.ts"
import { layerTransactions } from "../domain/money/handlers.ts"
import { layerNotifications } from "../domain/notifications/handlers.ts"
import type { HandlesOperations } from "../domain/operation-handlers.ts"
import { layerPriceAndRules } from "../domain/prices/handlers.ts"
import { layerGroups } from "../domain/properties/groups/handlers.ts"
import { layerProperties } from "../domain/properties/properties/handlers.ts"
import { layerPropertyEdits } from "../domain/properties/property-edits/handlers.ts"
import { layerTags } from "../domain/properties/tags/handlers.ts"
import { layerWebhookDeliveries } from "../domain/webhooks/delivery-log/handlers.ts"
import { layerEvents } from "../domain/webhooks/event-feed/handlers.ts"
import { layerWebhooks } from "../domain/webhooks/subscriptions/handlers.ts"
import { layerStaffs } from "../domain/work/staffs/handlers.ts"
import { layerTasks } from "../domain/work/tasks/handlers.ts"
import type { OperationName } from "./Api.ts"
import { layerStores } from "./stores.ts"

const families = Layer.mergeAll(
  layerOauth,
  layerConnections,
  layerAccessTokens,
  layerAccounts,
  layerNotifications,
  layerAutomation,
  layerAutomationRules,
  layerAuditLog,
  layerReservationTags,
  layerQuotes,
  layerReservations,
  layerStays,
  layerCheckIn,
  layerAvailabilities,
  layerBasePrices,
  layerCalendarShareLinks,
  layerImportedCalendars,
  layerCalendarStays,
  layerPropertyFeeds,
  layerListingCalendars,
  layerChannelAccounts,
  layerCustomChannels,
  layerConversations,
  layerReviews,
  layerSpecialOffers,
  layerKnowledgeBases,
  layerListings,
  layerTransactions,
  layerCategories,
  layerPriceAndRules,
  layerGroups,
  layerProperties,
  layerPropertyEdits,
  layerTags,
  layerEvents,
  layerWebhooks,
  layerWebhookDeliveries,
  layerStaffs,
  layerTasks
)

type Families = typeof families

/** Stores are not provided, so that a test can replace one. The type requires a handler for every operation. */
export const layerHandlersNoDeps: Layer.Layer<
  HandlesOperations<OperationName>,
  Layer.Error<Families>,
  Layer.Services<Families>
> = families

export const layerHandlers = Layer.provide(layerHandlersNoDeps, layerStores)
