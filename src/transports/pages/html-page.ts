import { createHash } from "node:crypto"
import { HttpServerResponse } from "effect/http"
import { type Html, html } from "../docs/html.ts"

/** A whole page without JavaScript. */
export interface HtmlPage {
  readonly title: string
  /** CSS, written by us: nothing from outside may be in it. */
  readonly style: string
  readonly body: Html
}

const renderPage = ({ title, style, body }: HtmlPage): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<style>${{ html: style }}</style>
</head>
<body>
${body}
</body>
</html>
`

/**
 * What goes with whatever a secret address opens: it is kept by no cache, found by no search engine, and told to no site
 * a link leads to.
 */
export const PRIVATE_PAGE_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow"
} as const

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64")

/** What forms a page has, and at what address: one that is no secret may be told where they go. */
type FormTargets = "none" | "own" | "own, at a secret address"

/**
 * The page as an answer: it loads nothing, unless images of where it came from, runs nothing and is framed by nobody. Its forms,
 * if it has any, go to where it came from; where that address is no secret it may be told there, as a browser else hides where
 * a form comes from.
 */
export const toPageResponse = (
  page: HtmlPage,
  status = 200,
  forms: FormTargets = "none",
  images: "none" | "own" = "none"
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(renderPage(page).html, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      ...PRIVATE_PAGE_HEADERS,
      "referrer-policy": forms === "own" ? "same-origin" : PRIVATE_PAGE_HEADERS["referrer-policy"],
      "content-security-policy": `default-src 'none'; style-src 'sha256-${sha256(page.style)}';${images === "own" ? " img-src 'self';" : ""} base-uri 'none'; form-action ${forms === "none" ? "'none'" : "'self'"}; frame-ancestors 'none'`
    }
  })
