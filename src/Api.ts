import { AutomationActions } from "./resources/automation/contract.ts"
import { Availabilities } from "./resources/availability/contract.ts"
import { CalendarShareLinks } from "./resources/calendar-share-links/contract.ts"
import { ChannelAccountOperations } from "./resources/channel-accounts/contract.ts"
import { ConversationOperations } from "./resources/conversations/contract.ts"
import { CustomChannels } from "./resources/custom-channels/contract.ts"
import { Events } from "./resources/events/contract.ts"
import { Groups } from "./resources/groups/contract.ts"
import { KnowledgeBases } from "./resources/knowledge-bases/contract.ts"
import { ListingCalendars } from "./resources/listing-calendars/contract.ts"
import { ListingOperations } from "./resources/listings/contract.ts"
import { Oauth } from "./resources/oauth/contract.ts"
import { PriceAndRules } from "./resources/price-and-rules/contract.ts"
import { Properties } from "./resources/properties/contract.ts"
import { ReservationTags } from "./resources/reservation-tags/contract.ts"
import { Reservations } from "./resources/reservations/contract.ts"
import { ReviewOperations } from "./resources/reviews/contract.ts"
import { SpecialOfferOperations } from "./resources/special-offers/contract.ts"
import { Staffs } from "./resources/staffs/contract.ts"
import { Stays } from "./resources/stays/contract.ts"
import { Tags } from "./resources/tags/contract.ts"
import { Tasks } from "./resources/tasks/contract.ts"
import { Transactions } from "./resources/transactions/contract.ts"
import { Webhooks } from "./resources/webhooks/contract.ts"

/** Every operation of the service, by name: the table of contents everything else is derived from. */
export const Api = {
  ...Transactions,
  ...Properties,
  ...Groups,
  ...Tags,
  ...ReservationTags,
  ...CustomChannels,
  ...ChannelAccountOperations,
  ...ListingOperations,
  ...Availabilities,
  ...ListingCalendars,
  ...PriceAndRules,
  ...Reservations,
  ...Stays,
  ...CalendarShareLinks,
  ...Tasks,
  ...Staffs,
  ...Webhooks,
  ...Events,
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
