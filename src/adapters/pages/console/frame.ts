import { HttpServerResponse } from "effect/http"
import { type Html, html, nothing } from "../../../documents/html.ts"
import { PRIVATE_HEADERS } from "../document.ts"
import { STYLE_PATH } from "./style.ts"
import { TEXTS } from "./texts.ts"
import { ACT_FIELD, FORM_FIELD, type Visit } from "./visit.ts"

type Response = HttpServerResponse.HttpServerResponse

export interface Framed {
  readonly title: string
  readonly body: Html
  /** A form of consent leads back to its application, and from there wherever that one leads. */
  readonly formsLead?: "here" | "anywhere"
}

/** Paths of the page of access, of signing in, and of a password's change. */
export const ACCESS_PATH = "/console/access"
export const SIGN_IN_PATH = "/console"
export const PASSWORD_PATH = "/console/password"

/** What the navigation leads to, in its order. */
const PAGES = [
  { path: ACCESS_PATH, words: TEXTS.frame.access },
  { path: PASSWORD_PATH, words: TEXTS.frame.password }
]

const current: Html = { html: ' aria-current="page"' }

const linksOf = (here: string): ReadonlyArray<Html> =>
  PAGES.map(
    ({ path, words }) => html`<a href="${path}"${path === here ? current : nothing}>${words}</a>
`
  )

const navigation = ({ session, formToken, path }: Visit): Html =>
  session === undefined
    ? nothing
    : html`<nav aria-label="${TEXTS.frame.navigation}">
${linksOf(path)}<form method="post" action="${SIGN_IN_PATH}">
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

/** For who sees or hears the title first: whether it went well, what it is, and of whom. */
const titleOf = (title: string, status: number): string => {
  const { product, refused } = TEXTS.frame
  const outcome = status < 400 ? [] : [status === 404 ? refused["404"] : refused.other]
  return [...outcome, ...(title === product ? [] : [title]), product].join(" · ")
}

/** A page of the console as an answer: nothing in it is inline, nothing is loaded but its stylesheet, and nobody frames it. */
export const framed = (visit: Visit, { title, body, formsLead = "here" }: Framed, status = 200): Response =>
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
</head>
<body>
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
        "content-security-policy": `default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none';${formsLead === "here" ? " form-action 'self';" : ""} frame-ancestors 'none'`
      }
    }
  )

/** Elsewhere, after a form was taken. */
export const seeOther = (location: string): Response =>
  HttpServerResponse.empty({ status: 303, headers: { ...PRIVATE_HEADERS, location } })
