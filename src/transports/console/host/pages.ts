import { Effect } from "effect"
import { makeAutomationPage } from "./automation.ts"
import { makeCalendarPage } from "./calendar.ts"
import { makeIcalSyncPage } from "./calendars.ts"
import { makeChannelsPage } from "./channels.ts"
import { makeActivityLogPage } from "./history.ts"
import { makeKnowledgePage } from "./knowledge.ts"
import { makeListingPage } from "./listing.ts"
import { makeMessagesPage } from "./messages.ts"
import { makeMoneyPage } from "./money.ts"
import { makeMoneyCsvPage } from "./money-csv.ts"
import { makeNewReservationPage } from "./new-reservation.ts"
import { makeOverviewPage } from "./overview.ts"
import { makePeoplePage } from "./people.ts"
import { makePropertiesPage } from "./properties.ts"
import { makeReservationsPage } from "./reservations.ts"
import { makeReviewsPage } from "./reviews.ts"
import { makeStayPage } from "./stay.ts"
import { makeTasksPage } from "./tasks.ts"
import { makeCategoriesPage } from "./words.ts"
import { makeReportsPage } from "./year.ts"

/** The pages of a host's day, each in a file of its own. */
export const makeHostPages = Effect.all([
  makeOverviewPage,
  makeCalendarPage,
  makeReservationsPage,
  makeNewReservationPage,
  makeStayPage,
  makeMessagesPage,
  makeReviewsPage,
  makeMoneyPage,
  makeMoneyCsvPage,
  makeTasksPage,
  makeReportsPage,
  makePropertiesPage,
  makeChannelsPage,
  makeListingPage,
  makeIcalSyncPage,
  makeAutomationPage,
  makeKnowledgePage,
  makePeoplePage,
  makeCategoriesPage,
  makeActivityLogPage
])
