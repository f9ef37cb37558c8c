import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { CurrentCaller } from "../../../contract/caller.ts"
import { CARRIED_QUERY_VALUE_LENGTH } from "../../../platform/limits.ts"
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

// What every page of the host's console does alike: it is shown, its forms are taken or come back with why they were not, and it
// says what the last one came to.

/** What a page shows. */
export interface HostView {
  readonly title: string
  readonly body: Html
  /** Where there is no such record. */
  readonly status?: 404
  /** A page that is one large table uses the whole window. */
  readonly isWide?: true
  /** It is shown with our script, which asks for new messages. */
  readonly hasScript?: true
}

/** A form of the page that was just not taken: it comes back with what was filled in. */
export interface FailedSubmission {
  readonly form: SubmittedForm
  readonly error: ActionError
}

/** Where to go on after a form was taken, if not to the page it is on; `done` names what that page says then. */
export interface ActionRedirect {
  readonly _tag: "GoOn"
  readonly url: string
  readonly doneKey?: string
}

/** Something to be seen this once, on the page itself. */
export interface OneTimeContent {
  readonly _tag: "Told"
  readonly html: Html
}

export interface HostAction {
  /** What the page says when it was taken. */
  readonly doneMessage: string
  /** Answers nothing where the page itself is to be shown again. */
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
  /** By what their button `act` says. */
  readonly actions?: Readonly<Record<string, HostAction>>
  /** What else the page says after a form of another page, by the `done` of its address. */
  readonly doneMessages?: Readonly<Record<string, string>>
}

const DONE_FIELD = "done"

/**
 * The page's own address, as it was asked for but for what no page of ours would ask ({@link CARRIED_QUERY_VALUE_LENGTH}), with other values
 * of its query; undefined takes one away.
 */
export const currentUrlWith = (
  { path, query }: SignedInVisit,
  params: Readonly<Record<string, string | number | undefined>> = {}
): string => {
  const nextQuery = new URLSearchParams(
    Array.from(query).filter(([, value]) => value.length <= CARRIED_QUERY_VALUE_LENGTH)
  )
  nextQuery.delete(DONE_FIELD)
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) nextQuery.delete(name)
    else nextQuery.set(name, String(value))
  }
  return nextQuery.size === 0 ? path : `${path}?${nextQuery.toString()}`
}

/** Goes on to the page's own address without a field of its query, such as the one that opened a form. */
export const redirectWithout = (visit: SignedInVisit, field: string): ActionRedirect => ({
  _tag: "GoOn",
  url: currentUrlWith(visit, { [field]: undefined })
})

const withDoneKey = (address: string, doneKey: string): string =>
  `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams({ [DONE_FIELD]: doneKey }).toString()}`

/** A refusal of the page's own, in the words of whoever has to mend it. */
export const makeActionError = (status: ActionError["status"], message: string): ActionError => ({
  _tag: "Refused",
  status,
  message
})

/** The page of a record that there is not, and the way on from there. */
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
  "Nothing was done: you signed in anew since this form was shown. What you filled in is still here: look at it, and send it again."
)

/** A page of who is signed in as the console serves it. An account that the API refuses is shown why, and nothing else. */
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
          failedSubmission?.error.status ?? view.status ?? 200
        ),
      onFailure: (error) =>
        withRetryAfter(
          renderConsolePage(
            visit,
            { title: "Not to be had just now", body: html`${messageHtml}${alertHtml(error.message)}` },
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
              // A stored result is not shown again: an address in it may have been replaced since.
              if (result?._tag === "Told" && !isReplay) return renderView(visit, result.html)
              const { url, doneKey = name } = result?._tag === "GoOn" ? result : { url: currentUrlWith(visit) }
              return Effect.succeed(redirectSeeOther(withDoneKey(url, isReplay ? ALREADY_DONE_KEY : doneKey)))
            },
            onFailure: (error) =>
              Effect.map(renderView(visit, alertHtml(error.message), { form, error }), (page) =>
                withRetryAfter(page, error)
              )
          })
        : Effect.succeed(accountProblemResponse(visit))

  return {
    path,
    show: (visit) => {
      if (visit.accountProblem !== undefined) return Effect.succeed(accountProblemResponse(visit))
      const doneMessage = messagesByKey.get(visit.query.get(DONE_FIELD) ?? "")
      return renderView(visit, doneMessage === undefined ? nothing : statusHtml(doneMessage))
    },
    actions: new Map(Object.entries(actions).map(([name, action]) => [name, runAction(name, action)])),
    restoreForm: (visit, form) =>
      visit.accountProblem === undefined
        ? renderView(visit, alertHtml(EARLIER_VISIT_ERROR.message), { form, error: EARLIER_VISIT_ERROR })
        : Effect.succeed(accountProblemResponse(visit))
  }
}

/** The frame says why (standingOf): what the API would not tell or do, no page does. */
export const accountProblemResponse = (visit: SignedInVisit) =>
  renderConsolePage(visit, { title: "Your account does not work", body: nothing }, 403)

/** Which of the page's forms it was. */
export const readSubmittedAction = ({ form }: FailedSubmission): string => form.get(ACTION_FIELD) ?? ""
