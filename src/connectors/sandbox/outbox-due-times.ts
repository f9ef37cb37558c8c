// An action sends its own events at once. The worker sends them after these delays, if the action did not.

/** If the worker sent the event first, the action could not return the service's response to it. */
const ACTION_DELAY_MS = 2_000
const RESPONSE_DELAY_MS = 4_000

export const computeGuestActionDueTime = (now: Date): Date => new Date(now.getTime() + ACTION_DELAY_MS)

/**
 * Due later than after a guest's action: the service first stores the host's change, so that the audit log names the
 * host.
 */
export const computeHostActionDueTime = (now: Date): Date => new Date(now.getTime() + RESPONSE_DELAY_MS)
