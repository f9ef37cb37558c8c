import type { Effect } from "effect"
import type { CurrentActor } from "../../contract/actor.ts"
import type { CurrentCaller } from "../../contract/caller.ts"
import type { Html } from "../docs/html.ts"
import type { TEXTS } from "./console-texts.ts"
import type { SignedInVisit, SubmittedForm } from "./visit.ts"

/** Taken: the browser is sent back to the page, which says so; nothing of it is in the address but which words. */
export interface ActionDone {
  readonly _tag: "Done"
  readonly messageKey: keyof (typeof TEXTS)["access"]["done"]
}

/** The message of a submission whose changes an earlier one has made. */
export const ALREADY_DONE_KEY = "already_done"

/** Returns the outcome to show of a form, which is {@link ALREADY_DONE_KEY} if it made no change of its own. */
export const toShownOutcome = ({
  result,
  isReplay
}: {
  readonly result: ActionOutcome
  readonly isReplay: boolean
}): ActionOutcome => (isReplay && result._tag === "Done" ? { _tag: "Done", messageKey: ALREADY_DONE_KEY } : result)

/** Not taken: the page once more, with why, and this status. */
export interface ActionError {
  readonly _tag: "Refused"
  readonly status: 400 | 401 | 403 | 404 | 409 | 420 | 422 | 429 | 500 | 501 | 502 | 503 | 504
  readonly message: string
  readonly retryAfter?: number
}

/** Taken, and there is something to see this once (a secret), which can be in no address. */
interface ActionContent {
  readonly _tag: "Shown"
  readonly html: Html
}

export type ActionOutcome = ActionDone | ActionError | ActionContent

/** What a form does. */
export type FormAction = (
  visit: SignedInVisit,
  form: SubmittedForm
) => Effect.Effect<ActionOutcome, never, CurrentActor>

/** A part of a page, with its own forms. */
export interface AccessSection {
  /** `refused`: the form of the page that was just not taken, so that what was filled in is not lost. */
  readonly show: (visit: SignedInVisit, failedForm?: SubmittedForm) => Effect.Effect<Html, never, CurrentCaller>
  readonly actions: ReadonlyMap<string, FormAction>
}
