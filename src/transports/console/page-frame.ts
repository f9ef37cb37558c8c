import { HttpServerResponse } from "effect/http"
import { type Html, html, nothing } from "../docs/html.ts"
import { PRIVATE_PAGE_HEADERS } from "../pages/html-page.ts"
import { TEXTS } from "./console-texts.ts"
import { CONVERSATION_SCRIPT_PATH } from "./host/conversation-script.ts"
import {
  ACTIVITY_LOG_PATH,
  AUTOMATION_PATH,
  CALENDAR_PATH,
  CATEGORIES_PATH,
  CHANNELS_PATH,
  ICAL_SYNC_PATH,
  KNOWLEDGE_PATH,
  MESSAGES_PATH,
  MONEY_PATH,
  NOTIFICATIONS_PATH,
  OVERVIEW_PATH,
  PEOPLE_PATH,
  PROPERTIES_PATH,
  REPORTS_PATH,
  RESERVATIONS_PATH,
  REVIEWS_PATH,
  TASKS_PATH
} from "./host/urls.ts"
import { STYLE_PATH } from "./style.ts"
import { ACTION_FIELD, FORM_KEY_FIELD, FORM_TOKEN_FIELD, type Visit } from "./visit.ts"

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
  readonly hasScript?: true
  /** The URL of the page contains a secret, so no request may send it as the referrer. */
  readonly hasSecretUrl?: true
}

export const ACCESS_PATH = "/console/access"
export const SIGN_IN_PATH = "/console"
export const PASSWORD_PATH = "/console/password"

interface NavigationLink {
  readonly path: string
  readonly label: string
}

const MAIN_LINKS: ReadonlyArray<NavigationLink> = [
  { path: OVERVIEW_PATH, label: "Overview" },
  { path: CALENDAR_PATH, label: "Calendar" },
  { path: RESERVATIONS_PATH, label: "Reservations" },
  { path: MESSAGES_PATH, label: "Messages" },
  { path: MONEY_PATH, label: "Money" },
  { path: TASKS_PATH, label: "Tasks" }
]
const MORE_LINKS: ReadonlyArray<NavigationLink> = [
  { path: REVIEWS_PATH, label: "Reviews" },
  { path: REPORTS_PATH, label: "The year" },
  { path: PROPERTIES_PATH, label: "Properties" },
  { path: CHANNELS_PATH, label: "Channels" },
  { path: ICAL_SYNC_PATH, label: "Calendars elsewhere" },
  { path: AUTOMATION_PATH, label: "Automation" },
  { path: KNOWLEDGE_PATH, label: "Knowledge" },
  { path: PEOPLE_PATH, label: "People" },
  { path: CATEGORIES_PATH, label: "Words" },
  { path: NOTIFICATIONS_PATH, label: TEXTS.notifications.title },
  { path: ACTIVITY_LOG_PATH, label: "What happened" },
  { path: ACCESS_PATH, label: TEXTS.frame.access },
  { path: PASSWORD_PATH, label: TEXTS.frame.password }
]

const CURRENT_ATTRIBUTE: Html = { html: ' aria-current="page"' }

const navigationLinks = (pages: ReadonlyArray<NavigationLink>, currentPath: string): ReadonlyArray<Html> =>
  pages.map(
    ({ path, label }) => html`<a href="${path}"${path === currentPath ? CURRENT_ATTRIBUTE : nothing}>${label}</a>
`
  )

const navigation = ({ session, formToken, path }: Visit): Html =>
  session === undefined
    ? nothing
    : html`<nav aria-label="${TEXTS.frame.navigation}">
${navigationLinks(MAIN_LINKS, path)}<details class="more"><summary>${TEXTS.frame.more}</summary>
<div>${navigationLinks(MORE_LINKS, path)}</div></details>
<form method="post" action="${SIGN_IN_PATH}">
<span>${TEXTS.frame.signedInAs} ${session.email}</span>
${formTokenField(formToken)}<button name="${ACTION_FIELD}" value="sign_out">${TEXTS.frame.signOut}</button>
</form>
</nav>`

const hasExplanation = (accountProblem: string): accountProblem is keyof typeof TEXTS.accountProblems =>
  Object.hasOwn(TEXTS.accountProblems, accountProblem)

const accountProblemNote = ({ accountProblem }: Visit): Html =>
  accountProblem === undefined
    ? nothing
    : html`<div class="message note" role="note"><p><strong>${accountProblem}.</strong>${hasExplanation(accountProblem) ? html` ${TEXTS.accountProblems[accountProblem]}` : nothing}</p></div>
`

export const formTokenField = (formToken: string): Html =>
  html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${formToken}">`

export type FormKeys = Pick<Visit, "formToken" | "formKey">

/** If its action passes `idempotencyKeyOf(form)`, a form with these fields runs only once. */
export const formKeyFields = ({ formToken, formKey }: FormKeys): Html =>
  html`${formTokenField(formToken)}<input type="hidden" name="${FORM_KEY_FIELD}" value="${formKey}">`

/** The outcome comes first, for screen readers and narrow browser tabs. */
const windowTitle = (title: string, status: number): string => {
  const { product, errorTitlePrefixes } = TEXTS.frame
  const outcome = status < 400 ? [] : [status === 404 ? errorTitlePrefixes["404"] : errorTitlePrefixes.other]
  return [...outcome, ...(title === product ? [] : [title]), product].join(" · ")
}

/** The page has no inline scripts or styles, loads only files of this service, and cannot be framed. */
export const renderConsolePage = (
  visit: Visit,
  { title, body, formTargets = "here", isWide, hasScript, hasSecretUrl }: PageFrame,
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
${hasScript === true ? html`<script src="${CONVERSATION_SCRIPT_PATH}" defer></script>` : nothing}</head>
<body${isWide === true ? WIDE_ATTRIBUTE : nothing}>
<a class="skip" href="#content">${TEXTS.frame.skip}</a>
<header>
<strong>${TEXTS.frame.product}</strong>
${navigation(visit)}</header>
<main id="content" tabindex="-1">
<h1>${title}</h1>
${accountProblemNote(visit)}${body}
</main>
</body>
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
        "content-security-policy": `default-src 'none'; style-src 'self'; img-src 'self';${hasScript === true ? " script-src 'self'; connect-src 'self';" : ""} base-uri 'none';${formTargets === "here" ? " form-action 'self';" : ""} frame-ancestors 'none'`
      }
    }
  )

const WIDE_ATTRIBUTE: Html = { html: ' class="wide"' }

export const redirectSeeOther = (location: string): Response =>
  HttpServerResponse.empty({ status: 303, headers: { ...PRIVATE_PAGE_HEADERS, location } })
