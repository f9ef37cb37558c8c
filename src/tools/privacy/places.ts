import { guestDataInOrders } from "../../domain/bookings/orders/guest-places.ts"
import { GUEST_DATA_IN_STAYS } from "../../domain/bookings/stays/guest-places.ts"
import { calendarDayGuestData } from "../../domain/calendars/availability/guest-places.ts"
import type { GuestDataTable } from "../../domain/guest-place.ts"
import { CONVERSATION_GUEST_DATA } from "../../domain/guests/conversations/guest-places.ts"
import { guestDataInReviews } from "../../domain/guests/reviews/guest-places.ts"
import { guestDataInTransactions } from "../../domain/money/guest-places.ts"
import { guestDataInTasks } from "../../domain/work/tasks/guest-places.ts"

/**
 * Everywhere something about a guest is written. What is handed out and what goes are both read from here, and a test goes through
 * every table there is: each is in this list, or has its reason not to be (test/tools/privacy/places.test.ts).
 */
export const GUEST_DATA_TABLES: ReadonlyArray<GuestDataTable> = [
  guestDataInOrders,
  ...GUEST_DATA_IN_STAYS,
  ...CONVERSATION_GUEST_DATA,
  guestDataInReviews,
  guestDataInTasks,
  guestDataInTransactions,
  calendarDayGuestData
]
