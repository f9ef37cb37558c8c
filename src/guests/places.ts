import { dayPlace } from "../resources/availability/guest-places.ts"
import { CONVERSATION_PLACES } from "../resources/conversations/guest-places.ts"
import type { GuestPlace } from "../resources/guest-place.ts"
import { orderPlace } from "../resources/orders/guest-places.ts"
import { reviewPlace } from "../resources/reviews/guest-places.ts"
import { STAY_PLACES } from "../resources/stays/guest-places.ts"
import { taskPlace } from "../resources/tasks/guest-places.ts"
import { entryPlace } from "../resources/transactions/guest-places.ts"

/**
 * Everywhere something about a guest is written. What is handed out and what goes are both read from here, and a test goes through
 * every table there is: each is in this list, or has its reason not to be (test/guests/places.test.ts).
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
