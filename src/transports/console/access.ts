import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { type Html, html, nothing } from "../docs/html.ts"
import { makeApplicationsSection } from "./access/applications.ts"
import { makeConsumersSection } from "./access/consumers.ts"
import { makeTokensSection } from "./access/tokens.ts"
import { makeWebhooksSection } from "./access/webhooks.ts"
import { ACCESS_PATH, framed, seeOther } from "./frame.ts"
import type { Outcome } from "./outcome.ts"
import { TEXTS } from "./texts.ts"
import type { Form, SignedInPage, SignedInVisit } from "./visit.ts"

const isDone = (name: string): name is keyof typeof TEXTS.access.done => Object.hasOwn(TEXTS.access.done, name)

/** What the last form came to, in words. */
const wordsOf = ({ query }: SignedInVisit): Html => {
  const done = query.get("done") ?? ""
  return isDone(done) ? html`<p class="message done" role="status">${TEXTS.access.done[done]}</p>` : nothing
}

const zoneOf = ({ session }: SignedInVisit): Html =>
  html`<p class="soft">${TEXTS.access.zone(session.person.caller.timeZone)}</p>
`

/** What gives access to an operator's data, to see, make and withdraw (specification: the OpenAPI settings page). */
export const makeAccessPage = Effect.fnUntraced(function* (publicUrl: string) {
  const sections = [
    yield* makeTokensSection(publicUrl),
    yield* makeApplicationsSection(),
    yield* makeWebhooksSection(publicUrl),
    yield* makeConsumersSection()
  ]

  const page = (visit: SignedInVisit, said: Html, status = 200, refused?: Form) =>
    Effect.map(
      Effect.forEach(sections, ({ show }) => show(visit, refused)),
      (parts) => framed(visit, { title: TEXTS.access.title, body: html`${said}${zoneOf(visit)}${parts}` }, status)
    )

  const answerOf = (visit: SignedInVisit, form: Form, outcome: Outcome) => {
    switch (outcome._tag) {
      case "Done":
        return Effect.succeed(seeOther(`${ACCESS_PATH}?done=${outcome.done}`))
      case "Shown":
        return page(visit, outcome.html)
      case "Refused": {
        const said = html`<p class="message error" role="alert">${outcome.words}</p>`
        return Effect.map(page(visit, said, outcome.status, form), (response) =>
          outcome.retryAfter === undefined
            ? response
            : HttpServerResponse.setHeader(response, "retry-after", String(outcome.retryAfter))
        )
      }
    }
  }

  const acts: SignedInPage["acts"] = new Map(
    sections.flatMap((section) =>
      Array.from(section.acts, ([name, act]) => [
        name,
        (visit, form) => Effect.flatMap(act(visit, form), (outcome) => answerOf(visit, form, outcome))
      ])
    )
  )
  const made: SignedInPage = { path: ACCESS_PATH, show: (visit) => page(visit, wordsOf(visit)), acts }
  return made
})
