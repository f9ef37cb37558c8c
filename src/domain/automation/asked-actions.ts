import { Result } from "effect"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { instantOf, wholeSecond } from "../../contract/time.ts"
import { asRead } from "../../platform/database/optimistic.ts"
import { ACTION_ATTEMPTS, MESSAGES_WAITING } from "../../platform/limits.ts"
import type { Hindrance } from "./running/judging.ts"

// What callers ask of actions, and what they are told.

/** Instants between which actions are asked for. */
export interface Between {
  readonly from: Date | undefined
  /** The first after them. */
  readonly until: Date | undefined
}

const SECOND_MS = 1000

/** Both ends belong to it, to the second; times without an offset are on the host's clock. 422 where it ends before it starts. */
export const betweenOf = (
  payload: { readonly start_time?: string; readonly end_time?: string },
  timeZone: string
): Result.Result<Between, ValidationFailed> => {
  const [from, end] = [payload.start_time, payload.end_time].map((text) =>
    text === undefined ? undefined : wholeSecond(instantOf(text, timeZone).getTime())
  )
  if (from !== undefined && end !== undefined && from > end) return Result.fail(backwards)
  return Result.succeed({
    from,
    until: end === undefined ? undefined : new Date(end.getTime() + SECOND_MS)
  })
}

const backwards = new ValidationFailed({ message: "start_time: must not be after end_time." })

export const noSuchAction = new NotFound({ message: "plan_id: no such waiting action." })

export const notRunByHand = new BadRequest({
  message: "plan_id: an automatic answer cannot be run by hand; use send_message."
})

/** Why an action cannot be run now; it waits on. */
export const hinderedBy = ({ of, reason }: Hindrance): BadRequest | Conflict => {
  const message = `plan_id: ${reason.replace(/\.$/, "")}.`
  return of === "conversation" ? new Conflict({ message }) : new BadRequest({ message })
}

/** 409 for one more message than may wait in its conversation. */
export const noRoom = new Conflict({
  message: `plan_id: ${MESSAGES_WAITING} messages of the conversation are queued; try again when its channel has accepted some.`
})

const busy = new Conflict({ message: "plan_id: other requests are changing the action at the same time; try again." })

/** Looks at an action again, for as long as it changes between looking and doing. */
export const unlessActionChanges = asRead(ACTION_ATTEMPTS, busy)
