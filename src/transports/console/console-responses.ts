import { HttpServerResponse } from "effect/http"
import { html } from "../docs/html.ts"
import { PRIVATE_PAGE_HEADERS } from "../pages/html-page.ts"
import { withRetryAfter } from "../pages/secret-url-responses.ts"
import { TEXTS } from "./console-texts.ts"
import { SIGN_IN_PATH } from "./host/urls.ts"
import { redirectSeeOther, renderConsolePage } from "./page-frame.ts"
import type { Visit } from "./visit.ts"

// Responses that are the same for every page of the console.

type Response = HttpServerResponse.HttpServerResponse

export const messageResponse = (visit: Visit, message: string, status: number): Response =>
  renderConsolePage(visit, { title: TEXTS.frame.product, body: html`<p>${message}</p>` }, status)

/** If there is no session, the linked page redirects to sign-in. */
export const rejectedFormResponse = (visit: Visit, message: string): Response =>
  renderConsolePage(
    visit,
    {
      title: TEXTS.frame.product,
      body: html`<p>${message}</p>
<p><a href="${visit.target}">${TEXTS.requestErrors.openPageAgain}</a></p>`
    },
    403
  )

export const tooManyRequestsResponse = (visit: Visit, seconds: number): Response =>
  withRetryAfter(messageResponse(visit, TEXTS.requestErrors.tooManyRequests(seconds), 429), seconds)

export const toFailureResponses = (visit: Visit) => ({
  toBusyResponse: (seconds: number) =>
    withRetryAfter(messageResponse(visit, TEXTS.requestErrors.overloaded, 503), seconds),
  failedResponse: messageResponse(visit, TEXTS.requestErrors.internalError, 500)
})

export const redirectWithoutSlash = (target: string): Response =>
  HttpServerResponse.empty({
    status: 308,
    headers: { ...PRIVATE_PAGE_HEADERS, location: `${SIGN_IN_PATH}${target.slice(SIGN_IN_PATH.length + 1)}` }
  })

export const methodNotAllowedResponse = (visit: Visit): Response =>
  HttpServerResponse.setHeader(
    messageResponse(visit, TEXTS.requestErrors.methodNotAllowed, 405),
    "allow",
    "GET, HEAD, POST"
  )

export const redirectToSignIn = (next: string): Response =>
  redirectSeeOther(`${SIGN_IN_PATH}?${new URLSearchParams({ next }).toString()}`)

/**
 * Every 401 needs this header (RFC 9110 section 15.5.2). It names the sign-in form, so browsers open no password
 * dialog.
 */
export const withAuthenticateHeader = (response: Response, cookie: string): Response =>
  response.status === 401
    ? HttpServerResponse.setHeader(
        response,
        "www-authenticate",
        `Cookie realm="${TEXTS.frame.product}", form-action="${SIGN_IN_PATH}", cookie-name="${cookie}"`
      )
    : response
