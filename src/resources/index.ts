import { Layer } from "effect"
import type { OperationName } from "../Api.ts"
import { layerAutomation } from "./automation/handlers.ts"
import { layerAvailabilities } from "./availability/handlers.ts"
import { layerCalendarShareLinks } from "./calendar-share-links/handlers.ts"
import { layerChannelAccounts } from "./channel-accounts/handlers.ts"
import { layerConversations } from "./conversations/handlers.ts"
import { layerCustomChannels } from "./custom-channels/handlers.ts"
import { layerEvents } from "./events/handlers.ts"
import { layerGroups } from "./groups/handlers.ts"
import type { HandlesAll } from "./handled.ts"
import { layerKnowledgeBases } from "./knowledge-bases/handlers.ts"
import { layerListingCalendars } from "./listing-calendars/handlers.ts"
import { layerListings } from "./listings/handlers.ts"
import { layerOauth } from "./oauth/handlers.ts"
import { layerPriceAndRules } from "./price-and-rules/handlers.ts"
import { layerProperties } from "./properties/handlers.ts"
import { layerReservationTags } from "./reservation-tags/handlers.ts"
import { layerReservations } from "./reservations/handlers.ts"
import { layerReviews } from "./reviews/handlers.ts"
import { layerSpecialOffers } from "./special-offers/handlers.ts"
import { layerStaffs } from "./staffs/handlers.ts"
import { layerStays } from "./stays/handlers.ts"
import { layerTags } from "./tags/handlers.ts"
import { layerTasks } from "./tasks/handlers.ts"
import { layerTransactions } from "./transactions/handlers.ts"
import { layerWebhooks } from "./webhooks/handlers.ts"

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
  HandlesAll<OperationName>,
  Layer.Error<Families>,
  Layer.Services<Families>
> = families
