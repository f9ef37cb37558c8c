import { Layer } from "effect"
import { layerConnections, layerConnectionsNoDeps } from "../domain/access/oauth/connection-handlers.ts"
import { layerOauth, layerOauthNoDeps } from "../domain/access/oauth/handlers.ts"
import { layerAccessTokens, layerAccessTokensNoDeps } from "../domain/access/operators/handlers.ts"
import { layerAccounts, layerAccountsNoDeps } from "../domain/access/sign-in/handlers.ts"
import { layerAuditLog, layerAuditLogNoDeps } from "../domain/audit-log/handlers.ts"
import { layerAutomation, layerAutomationNoDeps } from "../domain/automation/handlers.ts"
import { layerAutomationRules, layerAutomationRulesNoDeps } from "../domain/automation/rules/handlers.ts"
import { layerCheckIn, layerCheckInNoDeps } from "../domain/bookings/check-in/handlers.ts"
import { layerReservationTags, layerReservationTagsNoDeps } from "../domain/bookings/reservation-tags/handlers.ts"
import { layerReservations, layerReservationsNoDeps } from "../domain/bookings/reservations/handlers.ts"
import { layerStays, layerStaysNoDeps } from "../domain/bookings/stays/handlers.ts"
import { layerAvailabilities, layerAvailabilitiesNoDeps } from "../domain/calendars/availability/handlers.ts"
import {
  layerCalendarShareLinks,
  layerCalendarShareLinksNoDeps
} from "../domain/calendars/calendar-share-links/handlers.ts"
import {
  layerImportedCalendars,
  layerImportedCalendarsNoDeps
} from "../domain/calendars/imported-calendars/handlers.ts"
import { layerListingCalendars, layerListingCalendarsNoDeps } from "../domain/calendars/listing-calendars/handlers.ts"
import { layerPropertyFeeds, layerPropertyFeedsNoDeps } from "../domain/calendars/property-feeds/handlers.ts"
import { layerChannelAccounts, layerChannelAccountsNoDeps } from "../domain/channels/channel-accounts/handlers.ts"
import { layerCustomChannels } from "../domain/channels/custom-channels/handlers.ts"
import { layerConversations, layerConversationsNoDeps } from "../domain/guests/conversations/handlers.ts"
import { layerReviews, layerReviewsNoDeps } from "../domain/guests/reviews/handlers.ts"
import { layerSpecialOffers, layerSpecialOffersNoDeps } from "../domain/guests/special-offers/handlers.ts"
import { layerKnowledgeBases, layerKnowledgeBasesNoDeps } from "../domain/knowledge/handlers.ts"
import { layerListings, layerListingsNoDeps } from "../domain/listings/handlers.ts"
import { layerCategories, layerCategoriesNoDeps } from "../domain/money/category-handlers.ts"
import { layerTransactions, layerTransactionsNoDeps } from "../domain/money/handlers.ts"
import type { HandlesOperations } from "../domain/operation-handlers.ts"
import { layerPriceAndRules, layerPriceAndRulesNoDeps } from "../domain/prices/handlers.ts"
import { layerGroups, layerGroupsNoDeps } from "../domain/properties/groups/handlers.ts"
import { layerProperties, layerPropertiesNoDeps } from "../domain/properties/properties/handlers.ts"
import { layerPropertyEdits, layerPropertyEditsNoDeps } from "../domain/properties/property-edits/handlers.ts"
import { layerTags, layerTagsNoDeps } from "../domain/properties/tags/handlers.ts"
import { layerWebhookDeliveries, layerWebhookDeliveriesNoDeps } from "../domain/webhooks/delivery-log/handlers.ts"
import { layerEvents, layerEventsNoDeps } from "../domain/webhooks/event-feed/handlers.ts"
import { layerWebhooks, layerWebhooksNoDeps } from "../domain/webhooks/subscriptions/handlers.ts"
import { layerStaffs, layerStaffsNoDeps } from "../domain/work/staffs/handlers.ts"
import { layerTasks, layerTasksNoDeps } from "../domain/work/tasks/handlers.ts"
import type { OperationName } from "./Api.ts"

const families = Layer.mergeAll(
  layerOauth,
  layerConnections,
  layerAccessTokens,
  layerAccounts,
  layerAutomation,
  layerAutomationRules,
  layerAuditLog,
  layerReservationTags,
  layerReservations,
  layerStays,
  layerCheckIn,
  layerAvailabilities,
  layerCalendarShareLinks,
  layerImportedCalendars,
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

const familiesNoDeps = Layer.mergeAll(
  layerOauthNoDeps,
  layerConnectionsNoDeps,
  layerAccessTokensNoDeps,
  layerAccountsNoDeps,
  layerAutomationNoDeps,
  layerAutomationRulesNoDeps,
  layerAuditLogNoDeps,
  layerReservationTagsNoDeps,
  layerReservationsNoDeps,
  layerStaysNoDeps,
  layerCheckInNoDeps,
  layerAvailabilitiesNoDeps,
  layerCalendarShareLinksNoDeps,
  layerImportedCalendarsNoDeps,
  layerPropertyFeedsNoDeps,
  layerListingCalendarsNoDeps,
  layerChannelAccountsNoDeps,
  layerCustomChannels,
  layerConversationsNoDeps,
  layerReviewsNoDeps,
  layerSpecialOffersNoDeps,
  layerKnowledgeBasesNoDeps,
  layerListingsNoDeps,
  layerTransactionsNoDeps,
  layerCategoriesNoDeps,
  layerPriceAndRulesNoDeps,
  layerGroupsNoDeps,
  layerPropertiesNoDeps,
  layerPropertyEditsNoDeps,
  layerTagsNoDeps,
  layerEventsNoDeps,
  layerWebhooksNoDeps,
  layerWebhookDeliveriesNoDeps,
  layerStaffsNoDeps,
  layerTasksNoDeps
)

type Families = typeof families
type FamiliesNoDeps = typeof familiesNoDeps

/** The handlers of every operation, over the database and the channels. A missing family does not compile. */
export const layerHandlers: Layer.Layer<
  HandlesOperations<OperationName>,
  Layer.Error<Families>,
  Layer.Services<Families>
> = families

/** The same, open to the stores of the families, so that a test can put another layer in the place of one. */
export const layerHandlersNoDeps: Layer.Layer<
  HandlesOperations<OperationName>,
  Layer.Error<FamiliesNoDeps>,
  Layer.Services<FamiliesNoDeps>
> = familiesNoDeps
