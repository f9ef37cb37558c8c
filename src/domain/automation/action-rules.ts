import { Result } from "effect"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { toInstant, truncateToSecond } from "../../contract/time.ts"
import { retryOptimistically } from "../../platform/database/optimistic-retry.ts"
import { ACTION_ATTEMPTS, QUEUED_MESSAGES_MAX } from "../../platform/limits.ts"
import type { ActionObstacle } from "./running/plan-preparation.ts"

// What callers ask of actions, and what they are told.

/** Instants between which actions are asked for. */
export interface ActionTimeRange {
  readonly from: Date | undefined
  /** The first after them. */
  readonly until: Date | undefined
}

const SECOND_MS = 1000

/** Both ends belong to it, to the second; times without an offset are on the host's clock. 422 where it ends before it starts. */
export const parseActionTimeRange = (
  payload: { readonly start_time?: string; readonly end_time?: string },
  timeZone: string
): Result.Result<ActionTimeRange, ValidationFailed> => {
  const [from, end] = [payload.start_time, payload.end_time].map((text) =>
    text === undefined ? undefined : truncateToSecond(toInstant(text, timeZone).getTime())
  )
  if (from !== undefined && end !== undefined && from > end) return Result.fail(startAfterEndError)
  return Result.succeed({
    from,
    until: end === undefined ? undefined : new Date(end.getTime() + SECOND_MS)
  })
}

const startAfterEndError = new ValidationFailed({ message: "start_time: must not be after end_time." })

export const actionNotFoundError = new NotFound({ message: "plan_id: no such waiting action." })

export const answerNotExecutableError = new BadRequest({
  message: "plan_id: an automatic answer cannot be run by hand; use send_message."
})

/** Why an action cannot be run now; it waits on. */
export const toActionError = ({ subject, reason }: ActionObstacle): BadRequest | Conflict => {
  const message = `plan_id: ${reason.replace(/\.$/, "")}.`
  return subject === "conversation" ? new Conflict({ message }) : new BadRequest({ message })
}

/** 409 for one more message than may wait in its conversation. */
export const messageQueueFullError = new Conflict({
  message: `plan_id: ${QUEUED_MESSAGES_MAX} messages of the conversation are queued; try again when its channel has accepted some.`
})

const actionBusyError = new Conflict({
  message: "plan_id: other requests are changing the action at the same time; try again."
})

/** Looks at an action again, for as long as it changes between looking and doing. */
export const retryWhileActionChanges = retryOptimistically(ACTION_ATTEMPTS, actionBusyError)
