import { Effect } from "effect"
import { makeActivityLogPage } from "./activity-log-page.ts"
import { makeAutomationPage } from "./automation-page.ts"
import { makeCalendarPage } from "./calendar-page.ts"
import { makeCategoriesPage } from "./categories-page.ts"
import { makeChannelsPage } from "./channels-page.ts"
import { makeIcalSyncPage } from "./ical-sync-page.ts"
import { makeKnowledgePage } from "./knowledge-page.ts"
import { makeListingPage } from "./listing-page.ts"
import { makeMessagesPage } from "./messages-page.ts"
import { makeMoneyCsvPage } from "./money-csv-page.ts"
import { makeMoneyPage } from "./money-page.ts"
import { makeNewReservationPage } from "./new-reservation-page.ts"
import { makeNotificationsPage } from "./notifications-page.ts"
import { makeOverviewPage } from "./overview-page.ts"
import { makePeoplePage } from "./people-page.ts"
import { makePricesPage } from "./prices-page.ts"
import { makePropertiesPage } from "./properties-page.ts"
import { makePropertyPage } from "./property-page.ts"
import { makeReportsCsvPage } from "./reports-csv-page.ts"
import { makeReportsPage } from "./reports-page.ts"
import { makeReservationsCsvPage } from "./reservations-csv-page.ts"
import { makeReservationsPage } from "./reservations-page.ts"
import { makeReviewsPage } from "./reviews-page.ts"
import { makeStartPage } from "./start-page.ts"
import { makeStayPage } from "./stay-page.ts"
import { makeTasksPage } from "./tasks-page.ts"

export const makeHostPages = Effect.all([
  makeOverviewPage,
  makeCalendarPage,
  makeReservationsPage,
  makeReservationsCsvPage,
  makeNewReservationPage,
  makeStayPage,
  makeMessagesPage,
  makeReviewsPage,
  makeMoneyPage,
  makeMoneyCsvPage,
  makeReportsCsvPage,
  makeTasksPage,
  makeReportsPage,
  makePropertiesPage,
  makePropertyPage,
  makePricesPage,
  makeChannelsPage,
  makeListingPage,
  makeIcalSyncPage,
  makeAutomationPage,
  makeKnowledgePage,
  makePeoplePage,
  makeCategoriesPage,
  makeNotificationsPage,
  makeActivityLogPage,
  makeStartPage
])
