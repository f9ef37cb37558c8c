import { HttpServerResponse } from "effect/http"
import { type Html, html, nothing } from "../docs/html.ts"
import { PRIVATE_PAGE_HEADERS } from "../pages/html-page.ts"
import { TEXTS } from "./console-texts.ts"
import { bottomBar, sidebar } from "./navigation.ts"
import { STYLE_PATH } from "./style/style.ts"
import type { SignedInVisit, Visit } from "./visit.ts"

type Response = HttpServerResponse.HttpServerResponse

export interface PageFrame {
  readonly title: string
  readonly body: Html
  /**
   * `anywhere` is for the consent form: browsers apply `form-action` to redirects, and applications may redirect
   * anywhere.
   */
  readonly formTargets?: "here" | "anywhere"
  readonly isWide?: true
  /** The link or button of the page's main task. */
  readonly primaryAction?: Html
  /** The URL of the page's script, see scripts.ts. */
  readonly scriptPath?: string
  /** The URL of the page contains a secret, so no request may send it as the referrer. */
  readonly hasSecretUrl?: true
}

const hasExplanation = (accountProblem: string): accountProblem is keyof typeof TEXTS.accountProblems =>
  Object.hasOwn(TEXTS.accountProblems, accountProblem)

const accountProblemNote = ({ accountProblem }: Visit): Html =>
  accountProblem === undefined
    ? nothing
    : html`<div class="message note" role="note"><p><strong>${accountProblem}.</strong>${hasExplanation(accountProblem) ? html` ${TEXTS.accountProblems[accountProblem]}` : nothing}</p></div>
`

/** The outcome comes first, for screen readers and narrow browser tabs. */
const windowTitle = (title: string, status: number): string => {
  const { product, errorTitlePrefixes } = TEXTS.frame
  const outcome = status < 400 ? [] : [status === 404 ? errorTitlePrefixes["404"] : errorTitlePrefixes.other]
  return [...outcome, ...(title === product ? [] : [title]), product].join(" · ")
}

/** The page has no inline scripts or styles, loads only files of this service, and cannot be framed. */
export const renderConsolePage = (
  visit: Visit,
  { title, body, formTargets = "here", isWide, primaryAction = nothing, scriptPath, hasSecretUrl }: PageFrame,
  status = 200
): Response =>
  HttpServerResponse.text(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${windowTitle(title, status)}</title>
<link rel="stylesheet" href="${STYLE_PATH}">
${scriptPath === undefined ? nothing : html`<script src="${scriptPath}" defer></script>`}</head>
<body class="${visit.session === undefined ? "public" : "signed-in"}${isWide === true ? " wide" : ""}">
<a class="skip" href="#content">${TEXTS.frame.skip}</a>
${isSignedIn(visit) ? sidebar(visit) : PUBLIC_HEADER}<main id="content" tabindex="-1">
<div class="page-head"><h1>${title}</h1>${primaryAction}</div>
${accountProblemNote(visit)}${body}
</main>
${isSignedIn(visit) ? bottomBar(visit) : nothing}</body>
</html>
`.html,
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        ...PRIVATE_PAGE_HEADERS,
        vary: "Cookie",
        // With `no-referrer`, browsers send the page's forms with `Origin: null`, which the console rejects.
        "referrer-policy": hasSecretUrl === true ? "strict-origin" : "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "x-frame-options": "DENY",
        "content-security-policy": `default-src 'none'; style-src 'self'; img-src 'self';${scriptPath !== undefined ? " script-src 'self'; connect-src 'self';" : ""} base-uri 'none';${formTargets === "here" ? " form-action 'self';" : ""} frame-ancestors 'none'`
      }
    }
  )

const isSignedIn = (visit: Visit): visit is SignedInVisit => visit.session !== undefined

const PUBLIC_HEADER = html`<header><span class="product">${TEXTS.frame.product}</span></header>
`

export const redirectSeeOther = (location: string): Response =>
  HttpServerResponse.empty({ status: 303, headers: { ...PRIVATE_PAGE_HEADERS, location } })
