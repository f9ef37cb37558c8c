import { createHash } from "node:crypto"
import { HttpServerResponse } from "effect/http"
import { type Html, html } from "../docs/html.ts"

export interface HtmlPage {
  readonly title: string
  /** Must be trusted CSS, because it is not escaped. */
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

/** A secret URL must not reach caches, search engines or, as `Referer`, linked sites. */
export const PRIVATE_PAGE_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow"
} as const

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64")

/** With `own, at a secret address`, forms do not send the page's secret URL as `Referer`. */
type FormTargets = "none" | "own" | "own, at a secret address"

/** The page loads nothing but images of this origin, runs no script and cannot be framed. */
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
