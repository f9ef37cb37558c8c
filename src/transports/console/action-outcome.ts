import type { Effect } from "effect"
import type { CurrentActor } from "../../contract/actor.ts"
import type { CurrentCaller } from "../../contract/caller.ts"
import type { Html } from "../docs/html.ts"
import type { TEXTS } from "./console-texts.ts"
import type { SignedInVisit, SubmittedForm } from "./visit.ts"

/** The browser is redirected back to the page. The URL contains only the key of the message. */
export interface ActionDone {
  readonly _tag: "Done"
  readonly messageKey: keyof (typeof TEXTS)["access"]["done"]
}

export const ALREADY_DONE_KEY = "already_done"

/** Replaces the message if an earlier submission has already made the form's changes. */
export const toShownOutcome = ({
  result,
  isReplay
}: {
  readonly result: ActionOutcome
  readonly isReplay: boolean
}): ActionOutcome => (isReplay && result._tag === "Done" ? { _tag: "Done", messageKey: ALREADY_DONE_KEY } : result)

export interface ActionError {
  readonly _tag: "Refused"
  readonly status: 400 | 401 | 403 | 404 | 409 | 420 | 422 | 429 | 500 | 501 | 502 | 503 | 504
  readonly message: string
  readonly retryAfter?: number
}

/** Content that is shown once and must not be in a URL, such as a secret. */
interface ActionContent {
  readonly _tag: "Shown"
  readonly html: Html
}

export type ActionOutcome = ActionDone | ActionError | ActionContent

export type FormAction = (
  visit: SignedInVisit,
  form: SubmittedForm
) => Effect.Effect<ActionOutcome, never, CurrentActor>

export interface AccessSection {
  readonly show: (visit: SignedInVisit, failedForm?: SubmittedForm) => Effect.Effect<Html, never, CurrentCaller>
  readonly actions: ReadonlyMap<string, FormAction>
}
