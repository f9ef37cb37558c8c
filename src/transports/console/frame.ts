import { HttpServerResponse } from "effect/http"
import { type Html, html, nothing } from "../docs/html.ts"
import { PRIVATE_HEADERS } from "../pages/document.ts"
import {
  AUTOMATION_PATH,
  CALENDAR_PATH,
  CALENDARS_PATH,
  CHANNELS_PATH,
  HISTORY_PATH,
  KNOWLEDGE_PATH,
  MESSAGES_PATH,
  MONEY_PATH,
  OVERVIEW_PATH,
  PEOPLE_PATH,
  PROPERTIES_PATH,
  RESERVATIONS_PATH,
  REVIEWS_PATH,
  TASKS_PATH,
  WORDS_PATH,
  YEAR_PATH
} from "./host/addresses.ts"
import { SCRIPT_PATH } from "./host/script.ts"
import { STYLE_PATH } from "./style.ts"
import { TEXTS } from "./texts.ts"
import { ACT_FIELD, FORM_FIELD, KEY_FIELD, type Visit } from "./visit.ts"

type Response = HttpServerResponse.HttpServerResponse

export interface Framed {
  readonly title: string
  readonly body: Html
  /** A form of consent leads back to its application, and from there wherever that one leads. */
  readonly formsLead?: "here" | "anywhere"
  /** A page that is one large table uses the whole window. */
  readonly wide?: true
  /** Shown with our script, which may ask this service for what is new. */
  readonly script?: true
}

/** Paths of the page of access, of signing in, and of a password's change. */
export const ACCESS_PATH = "/console/access"
export const SIGN_IN_PATH = "/console"
export const PASSWORD_PATH = "/console/password"

interface Leading {
  readonly path: string
  readonly words: string
}

/** What the navigation leads to, in its order: what a host looks at every day, and the rest behind one word. */
const DAILY: ReadonlyArray<Leading> = [
  { path: OVERVIEW_PATH, words: "Overview" },
  { path: CALENDAR_PATH, words: "Calendar" },
  { path: RESERVATIONS_PATH, words: "Reservations" },
  { path: MESSAGES_PATH, words: "Messages" },
  { path: MONEY_PATH, words: "Money" },
  { path: TASKS_PATH, words: "Tasks" }
]
const MORE: ReadonlyArray<Leading> = [
  { path: REVIEWS_PATH, words: "Reviews" },
  { path: YEAR_PATH, words: "The year" },
  { path: PROPERTIES_PATH, words: "Properties" },
  { path: CHANNELS_PATH, words: "Channels" },
  { path: CALENDARS_PATH, words: "Calendars elsewhere" },
  { path: AUTOMATION_PATH, words: "Automation" },
  { path: KNOWLEDGE_PATH, words: "Knowledge" },
  { path: PEOPLE_PATH, words: "People" },
  { path: WORDS_PATH, words: "Words" },
  { path: HISTORY_PATH, words: "What happened" },
  { path: ACCESS_PATH, words: TEXTS.frame.access },
  { path: PASSWORD_PATH, words: TEXTS.frame.password }
]

const current: Html = { html: ' aria-current="page"' }

const linksOf = (pages: ReadonlyArray<Leading>, here: string): ReadonlyArray<Html> =>
  pages.map(
    ({ path, words }) => html`<a href="${path}"${path === here ? current : nothing}>${words}</a>
`
  )

const navigation = ({ session, formToken, path }: Visit): Html =>
  session === undefined
    ? nothing
    : html`<nav aria-label="${TEXTS.frame.navigation}">
${linksOf(DAILY, path)}<details class="more"><summary>${TEXTS.frame.more}</summary>
<div>${linksOf(MORE, path)}</div></details>
<form method="post" action="${SIGN_IN_PATH}">
<span>${TEXTS.frame.signedInAs} ${session.email}</span>
${hidden(formToken)}<button name="${ACT_FIELD}" value="sign_out">${TEXTS.frame.signOut}</button>
</form>
</nav>`

const isExplained = (standing: string): standing is keyof typeof TEXTS.standing =>
  Object.hasOwn(TEXTS.standing, standing)

/** Why nothing works, in the API's own words and then in a sentence, on every page of who is signed in. */
export const standingOf = ({ standing }: Visit): Html =>
  standing === undefined
    ? nothing
    : html`<div class="message note" role="note"><p><strong>${standing}.</strong>${isExplained(standing) ? html` ${TEXTS.standing[standing]}` : nothing}</p></div>
`

/** The hidden field that every form of ours has. */
export const hidden = (formToken: string): Html => html`<input type="hidden" name="${FORM_FIELD}" value="${formToken}">`

/** The values of a visit that each form of its pages sends back. */
export type OwnForm = Pick<Visit, "formToken" | "formKey">

/** Renders the hidden fields of a form, with the key of its page. The change runs only once if its action passes `idempotencyKeyOf(form)`. */
export const hiddenOnce = ({ formToken, formKey }: OwnForm): Html =>
  html`${hidden(formToken)}<input type="hidden" name="${KEY_FIELD}" value="${formKey}">`

/** For who sees or hears the title first: whether it went well, what it is, and of whom. */
const titleOf = (title: string, status: number): string => {
  const { product, refused } = TEXTS.frame
  const outcome = status < 400 ? [] : [status === 404 ? refused["404"] : refused.other]
  return [...outcome, ...(title === product ? [] : [title]), product].join(" · ")
}

/** A page of the console as an answer: nothing in it is inline, nothing is loaded but its stylesheet (and on one page a script), and nobody frames it. */
export const framed = (
  visit: Visit,
  { title, body, formsLead = "here", wide, script }: Framed,
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
<title>${titleOf(title, status)}</title>
<link rel="stylesheet" href="${STYLE_PATH}">
${script === true ? html`<script src="${SCRIPT_PATH}" defer></script>` : nothing}</head>
<body${wide === true ? WIDE : nothing}>
<a class="skip" href="#content">${TEXTS.frame.skip}</a>
<header>
<strong>${TEXTS.frame.product}</strong>
${navigation(visit)}</header>
<main id="content" tabindex="-1">
<h1>${title}</h1>
${standingOf(visit)}${body}
</main>
</body>
</html>
`.html,
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        ...PRIVATE_HEADERS,
        vary: "Cookie",
        // A form of this page says where it comes from, which a browser would else hide.
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "x-frame-options": "DENY",
        "content-security-policy": `default-src 'none'; style-src 'self'; img-src 'self';${script === true ? " script-src 'self'; connect-src 'self';" : ""} base-uri 'none';${formsLead === "here" ? " form-action 'self';" : ""} frame-ancestors 'none'`
      }
    }
  )

const WIDE: Html = { html: ' class="wide"' }

/** Elsewhere, after a form was taken. */
export const seeOther = (location: string): Response =>
  HttpServerResponse.empty({ status: 303, headers: { ...PRIVATE_HEADERS, location } })
