import { Layer } from "effect"
import { AuthorizationCodes } from "../domain/access/oauth/AuthorizationCodes.ts"
import { ClientAuthentication } from "../domain/access/oauth/ClientAuthentication.ts"
import { ClientRegistrations } from "../domain/access/oauth/ClientRegistrations.ts"
import { Clients } from "../domain/access/oauth/Clients.ts"
import { FailedSecretChecks } from "../domain/access/oauth/FailedSecretChecks.ts"
import { Grants } from "../domain/access/oauth/Grants.ts"
import { TokenIssuer } from "../domain/access/oauth/TokenIssuer.ts"
import { AccessTokens } from "../domain/access/operators/AccessTokens.ts"
import { SubAccounts } from "../domain/access/sign-in/SubAccounts.ts"
import { AuditLogStore } from "../domain/audit-log/store.ts"
import { RuleStore } from "../domain/automation/rules/store.ts"
import { PlanQueue } from "../domain/automation/running/PlanQueue.ts"
import { ActionStore } from "../domain/automation/store.ts"
import { CheckInApproval } from "../domain/bookings/check-in/CheckInApproval.ts"
import { QuoteStore } from "../domain/bookings/quotes/store.ts"
import { ReservationTagStore } from "../domain/bookings/reservation-tags/store.ts"
import { Orders } from "../domain/bookings/reservations/Orders.ts"
import { ReservationSearchStore } from "../domain/bookings/reservations/search-store.ts"
import { OrderStore } from "../domain/bookings/reservations/store.ts"
import { StayStore } from "../domain/bookings/stays/store.ts"
import { Availability } from "../domain/calendars/availability/Availability.ts"
import { AvailabilityStore } from "../domain/calendars/availability/store.ts"
import { layerListingsWithPrices } from "../domain/calendars/base-prices/mapping-price-pushes.ts"
import { BasePriceStore } from "../domain/calendars/base-prices/store.ts"
import { ShareLinkStore } from "../domain/calendars/calendar-share-links/store.ts"
import { CalendarStayStore } from "../domain/calendars/calendar-stays/CalendarStayStore.ts"
import { ImportedCalendars } from "../domain/calendars/imported-calendars/ImportedCalendars.ts"
import { ImportedCalendarStore } from "../domain/calendars/imported-calendars/store.ts"
import { ListingCalendarStore } from "../domain/calendars/listing-calendars/store.ts"
import { PropertyFeedStore } from "../domain/calendars/property-feeds/store.ts"
import { ChannelAccountStore } from "../domain/channels/channel-accounts/store.ts"
import { ConversationStore } from "../domain/guests/conversations/store.ts"
import { HostReviews } from "../domain/guests/reviews/HostReviews.ts"
import { ReviewSearchStore } from "../domain/guests/reviews/search-store.ts"
import { SpecialOfferStore } from "../domain/guests/special-offers/store.ts"
import { KnowledgeAnswers } from "../domain/knowledge/search/KnowledgeAnswers.ts"
import { AnswerStore } from "../domain/knowledge/search/store.ts"
import { KnowledgeBaseStore } from "../domain/knowledge/store.ts"
import { ListingStore } from "../domain/listings/store.ts"
import { OperatorDictionaries } from "../domain/money/OperatorDictionaries.ts"
import { TransactionStore } from "../domain/money/store.ts"
import { NotificationStore } from "../domain/notifications/store.ts"
import { PriceAndRulesStore } from "../domain/prices/store.ts"
import { GroupStore } from "../domain/properties/groups/store.ts"
import { RoomTypeStore } from "../domain/properties/properties/room-type-store.ts"
import { PropertyStore } from "../domain/properties/properties/store.ts"
import { PropertyEditStore } from "../domain/properties/property-edits/PropertyEditStore.ts"
import { TagStore } from "../domain/properties/tags/store.ts"
import { DeliveryLog } from "../domain/webhooks/deliveries/DeliveryLog.ts"
import { TestEvents } from "../domain/webhooks/deliveries/TestEvents.ts"
import { EventFeedStore } from "../domain/webhooks/event-feed/store.ts"
import { WebhookStore } from "../domain/webhooks/subscriptions/store.ts"
import { StaffStore } from "../domain/work/staffs/store.ts"
import { TaskStore } from "../domain/work/tasks/store.ts"

/** To replace a store, a test calls `Layer.provide` with its fake first and with `layerStores` second. */
export const layerStores = Layer.mergeAll(
  ActionStore.layer,
  AuditLogStore.layer,
  AuthorizationCodes.layer,
  Clients.layer,
  PlanQueue.layer,
  RuleStore.layer,
  HostReviews.layer,
  ReservationTagStore.layer,
  ReservationSearchStore.layer,
  QuoteStore.layer,
  OrderStore.layer,
  Orders.layer,
  StayStore.layer,
  CheckInApproval.layer,
  Availability.layer,
  AvailabilityStore.layer,
  ShareLinkStore.layer,
  ImportedCalendarStore.layer,
  ImportedCalendars.layer,
  CalendarStayStore.layer,
  PropertyFeedStore.layer,
  ListingCalendarStore.layer,
  ChannelAccountStore.layer,
  ConversationStore.layer,
  ReviewSearchStore.layer,
  SpecialOfferStore.layer,
  KnowledgeBaseStore.layer,
  KnowledgeAnswers.layer,
  AnswerStore.layer,
  ListingStore.layer,
  layerListingsWithPrices,
  BasePriceStore.layer,
  TransactionStore.layer,
  OperatorDictionaries.layer,
  PriceAndRulesStore.layer,
  GroupStore.layer,
  PropertyStore.layer,
  PropertyEditStore.layer,
  RoomTypeStore.layer,
  TagStore.layer,
  EventFeedStore.layer,
  WebhookStore.layer,
  DeliveryLog.layer,
  TestEvents.layer,
  StaffStore.layer,
  TaskStore.layer,
  ClientAuthentication.layer,
  ClientRegistrations.layer,
  TokenIssuer.layer,
  AccessTokens.layer,
  Grants.layer,
  SubAccounts.layer,
  NotificationStore.layer
).pipe(Layer.provide(FailedSecretChecks.layer))
