// An action sends its own events at once. After these delays the worker sends the events that the action did not send.

/** If the worker sent the event first, the action could not return its outcome. */
const ACTION_DELAY_MS = 2_000
const RESPONSE_DELAY_MS = 4_000

export const computeGuestActionDueTime = (now: Date): Date => new Date(now.getTime() + ACTION_DELAY_MS)

/** The caller first stores its own change, so that the audit log names its author. */
export const computeHostActionDueTime = (now: Date): Date => new Date(now.getTime() + RESPONSE_DELAY_MS)
