// When what the marketplace has to say is due. Whoever acts says it too, and need not wait for that; others wait for who acts.

/** Milliseconds in which who has acted says it. Others who came first would leave that one without an answer. */
const ACTION_DELAY_MS = 2_000
/** Milliseconds until the marketplace says by itself what it has just answered to the host. */
const RESPONSE_DELAY_MS = 4_000

/** What is said by whoever acts now: others say it only where that one is gone. */
export const computeGuestActionDueTime = (now: Date): Date => new Date(now.getTime() + ACTION_DELAY_MS)

/** What the marketplace answers now: whoever asked writes it down first, so that the trail says who did it. */
export const computeHostActionDueTime = (now: Date): Date => new Date(now.getTime() + RESPONSE_DELAY_MS)
