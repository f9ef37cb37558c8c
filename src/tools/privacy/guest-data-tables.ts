import { guestDataInOrders } from "../../domain/bookings/orders/guest-data.ts"
import { GUEST_DATA_IN_STAYS } from "../../domain/bookings/stays/guest-data.ts"
import { guestDataInCalendarDays } from "../../domain/calendars/availability/guest-data.ts"
import type { GuestDataTable } from "../../domain/guest-data.ts"
import { CONVERSATION_GUEST_DATA } from "../../domain/guests/conversations/guest-data.ts"
import { guestDataInReviews } from "../../domain/guests/reviews/guest-data.ts"
import { guestDataInTransactions } from "../../domain/money/guest-data.ts"
import { guestDataInTasks } from "../../domain/work/tasks/guest-data.ts"

/**
 * Tables whose guest data is exported and erased. test/tools/privacy/guest-data-tables.service.test.ts fails if a table
 * is missing.
 */
export const GUEST_DATA_TABLES: ReadonlyArray<GuestDataTable> = [
  guestDataInOrders,
  ...GUEST_DATA_IN_STAYS,
  ...CONVERSATION_GUEST_DATA,
  guestDataInReviews,
  guestDataInTasks,
  guestDataInTransactions,
  guestDataInCalendarDays
]
