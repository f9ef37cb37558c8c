import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { type Html, html, nothing } from "../docs/html.ts"
import { formatAccessError } from "./access/access-parts.ts"
import { makeApplicationsSection } from "./access/applications-section.ts"
import { makeConsumersSection } from "./access/consumers-section.ts"
import { makeTokensSection } from "./access/tokens-section.ts"
import { makeWebhooksSection } from "./access/webhooks-section.ts"
import { type ActionOutcome, toShownOutcome } from "./action-outcome.ts"
import { TEXTS } from "./console-texts.ts"
import { buttonLink, timeZoneNote } from "./host/page-parts.ts"
import { ACCESS_PATH } from "./host/urls.ts"
import { runSubmission } from "./operation-call.ts"
import { redirectSeeOther, renderConsolePage } from "./page-frame.ts"
import type { SignedInPage, SignedInVisit, SubmittedForm } from "./visit.ts"

const isDoneMessage = (name: string): name is keyof typeof TEXTS.access.done => Object.hasOwn(TEXTS.access.done, name)

const doneMessageOf = ({ query }: SignedInVisit): Html => {
  const done = query.get("done") ?? ""
  return isDoneMessage(done) ? html`<p class="message done" role="status">${TEXTS.access.done[done]}</p>` : nothing
}

export const makeAccessPage = Effect.fnUntraced(function* (publicUrl: string) {
  const sections = [
    yield* makeTokensSection(publicUrl),
    yield* makeApplicationsSection(),
    yield* makeWebhooksSection(publicUrl),
    yield* makeConsumersSection()
  ]

  const renderPage = (visit: SignedInVisit, message: Html, status = 200, failedForm?: SubmittedForm) =>
    Effect.map(
      Effect.forEach(sections, ({ show }) => show(visit, failedForm)),
      (parts) =>
        renderConsolePage(
          visit,
          {
            title: TEXTS.access.title,
            body: html`${message}${parts}${timeZoneNote(visit)}`,
            primaryAction: buttonLink("#new-token", TEXTS.access.tokens.new)
          },
          status
        )
    )

  const toPageResponse = (visit: SignedInVisit, form: SubmittedForm, outcome: ActionOutcome) => {
    switch (outcome._tag) {
      case "Done":
        return Effect.succeed(redirectSeeOther(`${ACCESS_PATH}?done=${outcome.messageKey}`))
      case "Shown":
        return renderPage(visit, outcome.html)
      case "Refused": {
        const message = html`<p class="message error" role="alert">${formatAccessError(outcome)}</p>`
        return Effect.map(renderPage(visit, message, outcome.status, form), (response) =>
          outcome.retryAfter === undefined
            ? response
            : HttpServerResponse.setHeader(response, "retry-after", String(outcome.retryAfter))
        )
      }
    }
  }

  const actions: SignedInPage["actions"] = new Map(
    sections.flatMap((section) =>
      Array.from(section.actions, ([name, action]) => [
        name,
        (visit, form) =>
          Effect.flatMap(runSubmission(action(visit, form)), (submission) =>
            toPageResponse(visit, form, toShownOutcome(submission))
          )
      ])
    )
  )
  const accessPage: SignedInPage = {
    path: ACCESS_PATH,
    show: (visit) => renderPage(visit, doneMessageOf(visit)),
    actions
  }
  return accessPage
})
