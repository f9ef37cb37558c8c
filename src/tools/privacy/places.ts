import { orderPlace } from "../../domain/bookings/orders/guest-places.ts"
import { STAY_PLACES } from "../../domain/bookings/stays/guest-places.ts"
import { dayPlace } from "../../domain/calendars/availability/guest-places.ts"
import type { GuestPlace } from "../../domain/guest-place.ts"
import { CONVERSATION_PLACES } from "../../domain/guests/conversations/guest-places.ts"
import { reviewPlace } from "../../domain/guests/reviews/guest-places.ts"
import { entryPlace } from "../../domain/money/guest-places.ts"
import { taskPlace } from "../../domain/work/tasks/guest-places.ts"

/**
 * Everywhere something about a guest is written. What is handed out and what goes are both read from here, and a test goes through
 * every table there is: each is in this list, or has its reason not to be (test/tools/privacy/places.test.ts).
 */
export const GUEST_PLACES: ReadonlyArray<GuestPlace> = [
  orderPlace,
  ...STAY_PLACES,
  ...CONVERSATION_PLACES,
  reviewPlace,
  taskPlace,
  entryPlace,
  dayPlace
]
