// An action sends its own events at once. After these delays, the worker sends those that remain.

/** Gives the action time to send its event first, because its result includes the service's response. */
const ACTION_DELAY_MS = 2_000
const RESPONSE_DELAY_MS = 4_000

export const computeGuestActionDueTime = (now: Date): Date => new Date(now.getTime() + ACTION_DELAY_MS)

/**
 * Longer than after a guest's action: the service first stores the host's change, so that the audit log names the host.
 */
export const computeHostActionDueTime = (now: Date): Date => new Date(now.getTime() + RESPONSE_DELAY_MS)
