import { Effect, Layer } from "effect"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { Gate } from "../../../src/admission/gate/Gate.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { FailedCallCounter } from "../../../src/changes/FailedCallCounter.ts"
import { AuthorizationCodes } from "../../../src/domain/access/oauth/AuthorizationCodes.ts"
import { ClientAuthentication } from "../../../src/domain/access/oauth/ClientAuthentication.ts"
import { ClientRegistrations } from "../../../src/domain/access/oauth/ClientRegistrations.ts"
import { Clients } from "../../../src/domain/access/oauth/Clients.ts"
import { Grants } from "../../../src/domain/access/oauth/Grants.ts"
import { TokenIssuer } from "../../../src/domain/access/oauth/TokenIssuer.ts"
import { AccessTokens } from "../../../src/domain/access/operators/AccessTokens.ts"
import { SubAccounts } from "../../../src/domain/access/sign-in/SubAccounts.ts"
import { AuditLogStore } from "../../../src/domain/audit-log/store.ts"
import { RuleStore } from "../../../src/domain/automation/rules/store.ts"
import { PlanQueue } from "../../../src/domain/automation/running/PlanQueue.ts"
import { ActionStore } from "../../../src/domain/automation/store.ts"
import { CheckInApproval } from "../../../src/domain/bookings/check-in/CheckInApproval.ts"
import { QuoteStore } from "../../../src/domain/bookings/quotes/store.ts"
import { ReservationTagStore } from "../../../src/domain/bookings/reservation-tags/store.ts"
import { Orders } from "../../../src/domain/bookings/reservations/Orders.ts"
import { ReservationSearchStore } from "../../../src/domain/bookings/reservations/search-store.ts"
import { OrderStore } from "../../../src/domain/bookings/reservations/store.ts"
import { StayStore } from "../../../src/domain/bookings/stays/store.ts"
import { Availability } from "../../../src/domain/calendars/availability/Availability.ts"
import { AvailabilityStore } from "../../../src/domain/calendars/availability/store.ts"
import { BasePriceStore } from "../../../src/domain/calendars/base-prices/store.ts"
import { ShareLinkStore } from "../../../src/domain/calendars/calendar-share-links/store.ts"
import { CalendarStayStore } from "../../../src/domain/calendars/calendar-stays/CalendarStayStore.ts"
import { ImportedCalendars } from "../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import { ImportedCalendarStore } from "../../../src/domain/calendars/imported-calendars/store.ts"
import { ListingCalendarStore } from "../../../src/domain/calendars/listing-calendars/store.ts"
import { PropertyFeedStore } from "../../../src/domain/calendars/property-feeds/store.ts"
import { ChannelAccountStore } from "../../../src/domain/channels/channel-accounts/store.ts"
import { ChannelGateway } from "../../../src/domain/channels/port/ChannelGateway.ts"
import { ConversationStore } from "../../../src/domain/guests/conversations/store.ts"
import { Images } from "../../../src/domain/guests/images/Images.ts"
import { HostReviews } from "../../../src/domain/guests/reviews/HostReviews.ts"
import { ReviewSearchStore } from "../../../src/domain/guests/reviews/search-store.ts"
import { SpecialOfferStore } from "../../../src/domain/guests/special-offers/store.ts"
import { KnowledgeAnswers } from "../../../src/domain/knowledge/search/KnowledgeAnswers.ts"
import { AnswerStore } from "../../../src/domain/knowledge/search/store.ts"
import { KnowledgeBaseStore } from "../../../src/domain/knowledge/store.ts"
import { Listings } from "../../../src/domain/listings/Listings.ts"
import { ListingStore } from "../../../src/domain/listings/store.ts"
import { OperatorDictionaries } from "../../../src/domain/money/OperatorDictionaries.ts"
import { TransactionStore } from "../../../src/domain/money/store.ts"
import { NotificationStore } from "../../../src/domain/notifications/store.ts"
import { PriceAndRulesStore } from "../../../src/domain/prices/store.ts"
import { GroupStore } from "../../../src/domain/properties/groups/store.ts"
import { RoomTypeStore } from "../../../src/domain/properties/properties/room-type-store.ts"
import { PropertyStore } from "../../../src/domain/properties/properties/store.ts"
import { PropertyEditStore } from "../../../src/domain/properties/property-edits/PropertyEditStore.ts"
import { TagStore } from "../../../src/domain/properties/tags/store.ts"
import { DeliveryLog } from "../../../src/domain/webhooks/deliveries/DeliveryLog.ts"
import { OutboundHttp } from "../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { TestEvents } from "../../../src/domain/webhooks/deliveries/TestEvents.ts"
import { EventFeedStore } from "../../../src/domain/webhooks/event-feed/store.ts"
import { WebhookStore } from "../../../src/domain/webhooks/subscriptions/store.ts"
import { StaffStore } from "../../../src/domain/work/staffs/store.ts"
import { TaskStore } from "../../../src/domain/work/tasks/store.ts"
import { NewEventNotifier } from "../../../src/jobs/events/NewEventNotifier.ts"
import { Shutdown } from "../../../src/jobs/Shutdown.ts"
import { WakeUp } from "../../../src/jobs/WakeUp.ts"
import { layerMemoryStores } from "../../../src/service/memory-stores.ts"
import { layerServiceAssemblyNoDeps } from "../../../src/service/service-assembly.ts"

/** Stores and ports without a memory layer. A call that reaches one of them dies, which the Service answers with 500. */
const layerUnreachableStores = Layer.mergeAll(
  Layer.mock(ActionStore)({}),
  Layer.mock(AnswerStore)({}),
  Layer.mock(AuditLogStore)({}),
  Layer.mock(AuthorizationCodes)({}),
  Layer.mock(Clients)({}),
  Layer.mock(ImportedCalendars)({}),
  Layer.mock(CalendarStayStore)({}),
  Layer.mock(ImportedCalendarStore)({}),
  Layer.mock(PropertyEditStore)({}),
  Layer.mock(PropertyFeedStore)({}),
  Layer.mock(Availability)({}),
  Layer.mock(AvailabilityStore)({}),
  Layer.mock(ChannelAccountStore)({}),
  Layer.mock(ChannelGateway)({}),
  Layer.mock(CheckInApproval)({}),
  Layer.mock(ClientAuthentication)({}),
  Layer.mock(ClientRegistrations)({}),
  Layer.mock(ConversationStore)({}),
  Layer.mock(DeliveryLog)({}),
  Layer.mock(EventFeedStore)({}),
  Layer.mock(Grants)({}),
  Layer.mock(HostReviews)({}),
  Layer.mock(Images)({}),
  Layer.mock(ListingCalendarStore)({}),
  Layer.mock(NotificationStore)({}),
  Layer.mock(KnowledgeAnswers)({}),
  Layer.mock(ListingStore)({}),
  Layer.mock(Listings)({}),
  Layer.mock(OperatorDictionaries)({}),
  Layer.mock(OrderStore)({}),
  Layer.mock(Orders)({}),
  Layer.mock(PlanQueue)({}),
  Layer.mock(PriceAndRulesStore)({}),
  Layer.mock(QuoteStore)({}),
  Layer.mock(ReservationSearchStore)({}),
  Layer.mock(ReviewSearchStore)({}),
  Layer.mock(RuleStore)({}),
  Layer.mock(ShareLinkStore)({}),
  Layer.mock(SpecialOfferStore)({}),
  Layer.mock(StayStore)({}),
  Layer.mock(SubAccounts)({}),
  Layer.mock(TestEvents)({}),
  Layer.mock(TokenIssuer)({})
)

/** The stores of the families that have a memory layer, out of reach too. Clients may register, as far as their input is good. */
const layerUnreachableFamilies = Layer.mergeAll(
  Layer.mock(ClientRegistrations)({ admit: Effect.void }),
  Layer.mock(AccessTokens)({}),
  Layer.mock(BasePriceStore)({}),
  Layer.mock(GroupStore)({}),
  Layer.mock(KnowledgeBaseStore)({}),
  Layer.mock(PropertyStore)({}),
  Layer.mock(ReservationTagStore)({}),
  Layer.mock(RoomTypeStore)({}),
  Layer.mock(StaffStore)({}),
  Layer.mock(TagStore)({}),
  Layer.mock(TaskStore)({}),
  Layer.mock(TransactionStore)({}),
  Layer.mock(WebhookStore)({})
)

const layerProcess = Layer.mergeAll(
  RateWindows.layerMemory,
  WakeUp.layerProcess,
  ConcurrencyLimiter.layer(),
  NewEventNotifier.layerProcess,
  Shutdown.layer,
  OutboundHttp.layerNoContent,
  FailedCallCounter.layerNone
)

/** The service without a database: simple families and the gate in memory, all other stores out of reach. */
export const layerMemoryService = layerServiceAssemblyNoDeps.pipe(
  Layer.provide(Gate.layer),
  Layer.provideMerge(layerMemoryStores),
  Layer.provide(layerUnreachableStores),
  Layer.provide(layerProcess)
)

/**
 * The same with the stores of every family out of reach, for calls that must be refused before a handler reads or writes a record.
 * Operators, tokens and idempotency keys stay in memory.
 */
export const layerServiceWithoutStores = layerServiceAssemblyNoDeps.pipe(
  Layer.provide(layerUnreachableFamilies),
  Layer.provide(Gate.layer),
  Layer.provideMerge(layerMemoryStores),
  Layer.provide(layerUnreachableStores),
  Layer.provide(layerProcess)
)
