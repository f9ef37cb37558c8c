import { Result } from "effect"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { toInstant, truncateToSecond } from "../../contract/time.ts"
import { retryOptimistically } from "../../platform/database/optimistic-retry.ts"
import { ACTION_ATTEMPTS, QUEUED_MESSAGES_MAX } from "../../platform/limits.ts"
import type { ActionObstacle } from "./running/plan-preparation.ts"

export interface ActionTimeRange {
  readonly from: Date | undefined
  /** Exclusive. */
  readonly until: Date | undefined
}

const SECOND_MS = 1000

/** The range includes both times, to the second. Times without an offset are in `timeZone`. */
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

export const taskNotExecutableError = new BadRequest({
  message:
    "plan_id: must not be the plan of a task, which the service creates automatically; use update_task to change it."
})

export const toActionError = ({ subject, reason }: ActionObstacle): BadRequest | Conflict => {
  const message = `plan_id: ${reason.replace(/\.$/, "")}.`
  return subject === "conversation" ? new Conflict({ message }) : new BadRequest({ message })
}

export const messageQueueFullError = new Conflict({
  message: `plan_id: ${QUEUED_MESSAGES_MAX} messages of the conversation are queued; try again when its channel has accepted some.`
})

const actionBusyError = new Conflict({
  message: "plan_id: other requests are changing the action at the same time; try again."
})

export const retryWhileActionChanges = retryOptimistically(ACTION_ATTEMPTS, actionBusyError)
