import { isConsoleOnly } from "../contract/operation.ts"
import { ConnectionOperations } from "../domain/access/oauth/connection-contract.ts"
import { OauthOperations } from "../domain/access/oauth/contract.ts"
import { AccessTokenOperations } from "../domain/access/operators/contract.ts"
import { AccountOperations } from "../domain/access/sign-in/contract.ts"
import { AuditLogOperations } from "../domain/audit-log/contract.ts"
import { AutomationOperations } from "../domain/automation/contract.ts"
import { AutomationRuleOperations } from "../domain/automation/rules/contract.ts"
import { CheckInOperations } from "../domain/bookings/check-in/contract.ts"
import { QuoteOperations } from "../domain/bookings/quotes/contract.ts"
import { ReservationTagOperations } from "../domain/bookings/reservation-tags/contract.ts"
import { ReservationOperations } from "../domain/bookings/reservations/contract.ts"
import { StayOperations } from "../domain/bookings/stays/contract.ts"
import { AvailabilityOperations } from "../domain/calendars/availability/contract.ts"
import { BasePriceOperations } from "../domain/calendars/base-prices/contract.ts"
import { CalendarShareLinkOperations } from "../domain/calendars/calendar-share-links/contract.ts"
import { CalendarStayOperations } from "../domain/calendars/calendar-stays/contract.ts"
import { ImportedCalendarOperations } from "../domain/calendars/imported-calendars/contract.ts"
import { ListingCalendarOperations } from "../domain/calendars/listing-calendars/contract.ts"
import { PropertyFeedOperations } from "../domain/calendars/property-feeds/contract.ts"
import { ChannelAccountOperations } from "../domain/channels/channel-accounts/contract.ts"
import { CustomChannelOperations } from "../domain/channels/custom-channels/contract.ts"
import { ConversationOperations } from "../domain/guests/conversations/contract.ts"
import { ReviewOperations } from "../domain/guests/reviews/contract.ts"
import { SpecialOfferOperations } from "../domain/guests/special-offers/contract.ts"
import { KnowledgeBaseOperations } from "../domain/knowledge/contract.ts"
import { ListingOperations } from "../domain/listings/contract.ts"
import { CategoryOperations } from "../domain/money/category-contract.ts"
import { TransactionOperations } from "../domain/money/contract.ts"
import { NotificationOperations } from "../domain/notifications/contract.ts"
import { PriceAndRulesOperations } from "../domain/prices/contract.ts"
import { GroupOperations } from "../domain/properties/groups/contract.ts"
import { PropertyOperations } from "../domain/properties/properties/contract.ts"
import { PropertyEditOperations } from "../domain/properties/property-edits/contract.ts"
import { TagOperations } from "../domain/properties/tags/contract.ts"
import { WebhookDeliveryOperations } from "../domain/webhooks/delivery-log/contract.ts"
import { EventOperations } from "../domain/webhooks/event-feed/contract.ts"
import { WebhookOperations } from "../domain/webhooks/subscriptions/contract.ts"
import { StaffOperations } from "../domain/work/staffs/contract.ts"
import { TaskOperations } from "../domain/work/tasks/contract.ts"

export const Api = {
  ...TransactionOperations,
  ...CategoryOperations,
  ...PropertyOperations,
  ...PropertyEditOperations,
  ...GroupOperations,
  ...TagOperations,
  ...ReservationTagOperations,
  ...CustomChannelOperations,
  ...ChannelAccountOperations,
  ...ListingOperations,
  ...AvailabilityOperations,
  ...ListingCalendarOperations,
  ...PriceAndRulesOperations,
  ...BasePriceOperations,
  ...QuoteOperations,
  ...ReservationOperations,
  ...StayOperations,
  ...CheckInOperations,
  ...CalendarShareLinkOperations,
  ...ImportedCalendarOperations,
  ...CalendarStayOperations,
  ...PropertyFeedOperations,
  ...TaskOperations,
  ...StaffOperations,
  ...WebhookOperations,
  ...WebhookDeliveryOperations,
  ...EventOperations,
  ...ConversationOperations,
  ...SpecialOfferOperations,
  ...ReviewOperations,
  ...KnowledgeBaseOperations,
  ...AutomationOperations,
  ...AutomationRuleOperations,
  ...AuditLogOperations,
  ...OauthOperations,
  ...AccessTokenOperations,
  ...ConnectionOperations,
  ...AccountOperations,
  ...NotificationOperations
}

export type OperationName = keyof typeof Api
export type ApiOperation = (typeof Api)[OperationName]

const allOperations: ReadonlyArray<ApiOperation> = Object.values(Api)

export const operations: ReadonlyArray<ApiOperation> = allOperations.filter((operation) => !isConsoleOnly(operation))

export const consoleOperations: ReadonlyArray<ApiOperation> = allOperations.filter(isConsoleOnly)
