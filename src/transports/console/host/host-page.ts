import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { CurrentCaller } from "../../../contract/caller.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { type ActionError, ALREADY_DONE_KEY } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import { runSubmission } from "../operation-call.ts"
import { redirectSeeOther, renderConsolePage } from "../page-frame.ts"
import {
  ACTION_FIELD,
  type SignedInPage,
  type SignedInPageResponse,
  type SignedInVisit,
  type SubmittedForm
} from "../visit.ts"
import { formatActionError } from "./field-errors.ts"
import { type Notice, noticeToast, sealNotice } from "./notice.ts"
import { currentUrlWith, DONE_FIELD, NOTICE_FIELD, withParameter } from "./page-url.ts"

export interface HostView {
  readonly title: string
  readonly body: Html
  readonly status?: 404
  readonly isWide?: true
  /** The link or button of the page's main task, beside its title. */
  readonly primaryAction?: Html
  /** The path of the page's script, see scripts.ts. */
  readonly scriptPath?: string
}

/** The form of the page keeps these values. `error` is undefined after a submission that only shows something. */
export interface FailedSubmission {
  readonly form: SubmittedForm
  readonly error?: ActionError
}

/** The page at `url` shows the message of `doneKey`, or the notice. */
export interface ActionRedirect {
  readonly _tag: "GoOn"
  readonly url: string
  readonly doneKey?: string
  readonly notice?: Notice
}

export interface OneTimeContent {
  readonly _tag: "Told"
  readonly html: Html
  /** Whether the form of the page keeps its values. */
  readonly keepsForm?: true
}

export interface HostAction {
  readonly doneMessage: string
  /** Returns undefined to show the page again. */
  readonly run: (
    visit: SignedInVisit,
    form: SubmittedForm
  ) => Effect.Effect<ActionRedirect | OneTimeContent | undefined, ActionError, CurrentActor | CurrentCaller>
}

export interface HostPage {
  readonly path: string
  readonly show: (
    visit: SignedInVisit,
    failedSubmission?: FailedSubmission
  ) => Effect.Effect<HostView, ActionError, CurrentActor | CurrentCaller>
  readonly actions?: Readonly<Record<string, HostAction>>
  /** Messages after forms of other pages, by the query parameter `done`. */
  readonly doneMessages?: Readonly<Record<string, string>>
}

export const redirectWithout = (visit: SignedInVisit, field: string): ActionRedirect => ({
  _tag: "GoOn",
  url: currentUrlWith(visit, { [field]: undefined })
})

export const makeActionError = (status: ActionError["status"], message: string): ActionError => ({
  _tag: "Refused",
  status,
  message
})

export const notFoundView = (title: string, message: string, backLink: Html = nothing): HostView => ({
  title,
  body: html`<p>${message}</p>${backLink}`,
  status: 404
})

const alertHtml = (message: string): Html => html`<p class="message error" role="alert">${message}</p>
`

const statusHtml = (message: string): Html => html`<p class="message done" role="status">${message}</p>
`

const withRetryAfter = (response: HttpServerResponse.HttpServerResponse, { retryAfter }: ActionError) =>
  retryAfter === undefined ? response : HttpServerResponse.setHeader(response, "retry-after", String(retryAfter))

const EARLIER_VISIT_ERROR = makeActionError(
  403,
  "Nothing was saved, because you have signed in again since this form was shown. Your entries are still here. Check them and save again."
)

/** A repeated form gets the message that it took effect before. */
const redirectAfter = (
  visit: SignedInVisit,
  redirect: ActionRedirect | undefined,
  { actionName, isReplay }: { readonly actionName: string; readonly isReplay: boolean }
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { url, doneKey = actionName, notice } = redirect ?? { url: currentUrlWith(visit) }
  if (isReplay || notice === undefined)
    return Effect.succeed(redirectSeeOther(withParameter(url, DONE_FIELD, isReplay ? ALREADY_DONE_KEY : doneKey)))
  return Effect.map(Clock.currentTimeMillis, (now) =>
    redirectSeeOther(withParameter(url, NOTICE_FIELD, sealNotice(notice, visit.formToken, now)))
  )
}

export const makeHostPage = ({ path, show, actions = {}, doneMessages = {} }: HostPage): SignedInPage => {
  const messagesByKey = new Map<string, string>([
    [ALREADY_DONE_KEY, TEXTS.access.done[ALREADY_DONE_KEY]],
    ...Object.entries(doneMessages),
    ...Object.entries(actions).map(([name, { doneMessage }]) => [name, doneMessage] as const)
  ])

  const renderView = (
    visit: SignedInVisit,
    messageHtml: Html,
    failedSubmission?: FailedSubmission
  ): SignedInPageResponse =>
    Effect.match(show(visit, failedSubmission), {
      onSuccess: (view) =>
        renderConsolePage(
          visit,
          { ...view, body: html`${messageHtml}${view.body}` },
          failedSubmission?.error?.status ?? view.status ?? 200
        ),
      onFailure: (error) =>
        withRetryAfter(
          renderConsolePage(
            visit,
            { title: "Not available", body: html`${messageHtml}${alertHtml(formatActionError(error))}` },
            error.status
          ),
          error
        )
    })

  const runAction =
    (name: string, { run }: HostAction) =>
    (visit: SignedInVisit, form: SubmittedForm): SignedInPageResponse =>
      visit.accountProblem === undefined
        ? Effect.matchEffect(runSubmission(run(visit, form)), {
            onSuccess: ({ result, isReplay }) => {
              // A replayed result is not shown, because a secret URL in it may have been replaced.
              if (result?._tag === "Told" && !isReplay)
                return renderView(visit, result.html, result.keepsForm === true ? { form } : undefined)
              const redirect = result?._tag === "GoOn" ? result : undefined
              return redirectAfter(visit, redirect, { actionName: name, isReplay })
            },
            onFailure: (error) =>
              Effect.map(renderView(visit, alertHtml(formatActionError(error)), { form, error }), (page) =>
                withRetryAfter(page, error)
              )
          })
        : Effect.succeed(accountProblemResponse(visit))

  return {
    path,
    show: (visit) => {
      if (visit.accountProblem !== undefined) return Effect.succeed(accountProblemResponse(visit))
      const doneMessage = messagesByKey.get(visit.query.get(DONE_FIELD) ?? "")
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        renderView(visit, doneMessage === undefined ? noticeToast(visit, now) : statusHtml(doneMessage))
      )
    },
    actions: new Map(Object.entries(actions).map(([name, action]) => [name, runAction(name, action)])),
    restoreForm: (visit, form) =>
      visit.accountProblem === undefined
        ? renderView(visit, alertHtml(EARLIER_VISIT_ERROR.message), { form, error: EARLIER_VISIT_ERROR })
        : Effect.succeed(accountProblemResponse(visit))
  }
}

/** The body is empty, because the page frame shows the reason. */
export const accountProblemResponse = (visit: SignedInVisit) =>
  renderConsolePage(visit, { title: "Your account has no access", body: nothing }, 403)

export const readSubmittedAction = ({ form }: FailedSubmission): string => form.get(ACTION_FIELD) ?? ""
