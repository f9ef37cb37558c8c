import { Oauth } from "../domain/access/oauth/contract.ts"
import { AutomationActions } from "../domain/automation/contract.ts"
import { ReservationTags } from "../domain/bookings/reservation-tags/contract.ts"
import { Reservations } from "../domain/bookings/reservations/contract.ts"
import { Stays } from "../domain/bookings/stays/contract.ts"
import { Availabilities } from "../domain/calendars/availability/contract.ts"
import { CalendarShareLinks } from "../domain/calendars/calendar-share-links/contract.ts"
import { ListingCalendars } from "../domain/calendars/listing-calendars/contract.ts"
import { ChannelAccountOperations } from "../domain/channels/channel-accounts/contract.ts"
import { CustomChannelOperations } from "../domain/channels/custom-channels/contract.ts"
import { ConversationOperations } from "../domain/guests/conversations/contract.ts"
import { ReviewOperations } from "../domain/guests/reviews/contract.ts"
import { SpecialOfferOperations } from "../domain/guests/special-offers/contract.ts"
import { KnowledgeBases } from "../domain/knowledge/contract.ts"
import { ListingOperations } from "../domain/listings/contract.ts"
import { Transactions } from "../domain/money/contract.ts"
import { PriceAndRulesOperations } from "../domain/prices/contract.ts"
import { GroupOperations } from "../domain/properties/groups/contract.ts"
import { PropertyOperations } from "../domain/properties/properties/contract.ts"
import { TagOperations } from "../domain/properties/tags/contract.ts"
import { EventOperations } from "../domain/webhooks/event-feed/contract.ts"
import { Webhooks } from "../domain/webhooks/subscriptions/contract.ts"
import { Staffs } from "../domain/work/staffs/contract.ts"
import { Tasks } from "../domain/work/tasks/contract.ts"

/** Every operation of the service, by name: the table of contents everything else is derived from. */
export const Api = {
  ...Transactions,
  ...PropertyOperations,
  ...GroupOperations,
  ...TagOperations,
  ...ReservationTags,
  ...CustomChannelOperations,
  ...ChannelAccountOperations,
  ...ListingOperations,
  ...Availabilities,
  ...ListingCalendars,
  ...PriceAndRulesOperations,
  ...Reservations,
  ...Stays,
  ...CalendarShareLinks,
  ...Tasks,
  ...Staffs,
  ...Webhooks,
  ...EventOperations,
  ...ConversationOperations,
  ...SpecialOfferOperations,
  ...ReviewOperations,
  ...KnowledgeBases,
  ...AutomationActions,
  ...Oauth
}

export type OperationName = keyof typeof Api
export type ApiOperation = (typeof Api)[OperationName]

/** The operations in the order in which lists of them show them. */
export const operations: ReadonlyArray<ApiOperation> = Object.values(Api)
