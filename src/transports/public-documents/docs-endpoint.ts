import { Context, Effect, FileSystem, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Deployment } from "../../platform/installation.ts"
import { EXAMPLE_FILES, readGuides } from "../docs/site/guides.ts"
import { DOCS_FOLDER, SITE_ASSETS } from "../docs/site/site-assets.ts"
import { listPages, listSiteFiles, renderTryPage, type SiteSettings } from "../docs/site/site-files.ts"
import { DOCS_PATH, REST_PREFIX } from "../http/paths.ts"
import { makeHostRule } from "../mcp/access-rules.ts"
import { allowAnyOrigin } from "../oauth/cross-origin.ts"
import { makePublicDocument, type PublicDocument, rejectNonReadMethod, toDocumentResponse } from "./public-document.ts"

type Response = HttpServerResponse.HttpServerResponse

export const TryPageToken = Context.Reference<Effect.Effect<string | undefined>>(
  "latchkey/transports/public-documents/TryPageToken",
  {
    defaultValue: () => Effect.succeed(undefined)
  }
)

/** Returns undefined if the path is unknown. */
type DocsHandler = (request: HttpServerRequest) => Effect.Effect<Response | undefined>

export const DocsEndpoint = Context.Reference<DocsHandler>("latchkey/transports/public-documents/DocsEndpoint", {
  defaultValue: () => () => Effect.succeed(undefined)
})

const DOCS_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer"
}

/** The page on which readers call the API needs inline styles. */
const TRY_PAGE_HEADERS = {
  ...DOCS_HEADERS,
  "content-security-policy": DOCS_HEADERS["content-security-policy"].replace(
    "style-src 'self'",
    "style-src 'self' 'unsafe-inline'"
  )
}

const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"]

const TRY_PAGE = "try.html"

const redirectPermanently = (location: string): Response =>
  HttpServerResponse.empty({ status: 308, headers: { location, "cache-control": "public, max-age=300" } })

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  mjs: "text/javascript; charset=utf-8",
  json: "application/json",
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8"
}

const findStaticFile = (name: string): { readonly file: string; readonly contentType: string } | undefined => {
  const [folder, base = ""] = name.split("/")
  if (folder === "assets") return SITE_ASSETS.get(base)
  if (folder !== "examples" || !EXAMPLE_FILES.includes(base)) return undefined
  return {
    file: `${DOCS_FOLDER}/examples/${base}`,
    contentType: CONTENT_TYPES[base.split(".").at(-1) ?? ""] ?? "application/octet-stream"
  }
}

const makeDocsHandler = (publicUrl: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const deployment = yield* Deployment
    const tryToken = yield* TryPageToken
    const isAllowedHost = makeHostRule(publicUrl)
    const settings = yield* Effect.cached(
      Effect.map(
        readGuides(DOCS_FOLDER, publicUrl),
        (guides): SiteSettings => ({
          publicUrl,
          docsUrl: `${publicUrl}${DOCS_PATH}`,
          deployment,
          guides,
          apiBaseUrl: `..${REST_PREFIX}`
        })
      ).pipe(Effect.provideService(FileSystem.FileSystem, fs))
    )
    const files = yield* Effect.cached(Effect.map(settings, listSiteFiles))
    const documentCache = new Map<string, PublicDocument>()

    const loadDocument = Effect.fnUntraced(function* (name: string) {
      const cachedDocument = documentCache.get(name)
      if (cachedDocument !== undefined) return cachedDocument
      const [page, asset] = [(yield* files).get(name)?.(), findStaticFile(name)]
      if (page === undefined && asset === undefined) return undefined
      const document =
        page === undefined
          ? makePublicDocument(yield* fs.readFile(asset?.file ?? ""), asset?.contentType ?? "")
          : makePublicDocument(page.text, page.contentType)
      documentCache.set(name, document)
      return document
    })

    /**
     * Shows the token only for direct requests under a local host name. With DNS rebinding, a foreign page can reach
     * this machine, and a proxy may be public.
     */
    const respondTryPage = Effect.fnUntraced(function* ({ headers }: HttpServerRequest) {
      const isDirectLocalRequest =
        isAllowedHost(headers["host"]) && PROXY_HEADERS.every((name) => headers[name] === undefined)
      const token = isDirectLocalRequest ? yield* tryToken : undefined
      const siteSettings = yield* settings
      return HttpServerResponse.text(renderTryPage(listPages(siteSettings), siteSettings, token), {
        contentType: "text/html; charset=utf-8",
        headers: { ...TRY_PAGE_HEADERS, "cache-control": "no-store", "x-content-type-options": "nosniff" }
      })
    })

    return Effect.fnUntraced(function* (request: HttpServerRequest) {
      const path = request.url.split("?", 1)[0] ?? ""
      if (path === "/" || path === DOCS_PATH) return redirectPermanently(`${DOCS_PATH.slice(1)}/`)
      const name = path.slice(DOCS_PATH.length + 1) || "index.html"
      const methodResponse = rejectNonReadMethod(request)
      if (methodResponse !== undefined) return methodResponse
      if (name === TRY_PAGE) return yield* respondTryPage(request)
      const document = yield* loadDocument(name)
      if (document !== undefined) return allowAnyOrigin(toDocumentResponse(document, request, DOCS_HEADERS))
      return (yield* files).has(`${name}.html`)
        ? redirectPermanently(`${name.slice(name.lastIndexOf("/") + 1)}.html`)
        : undefined
    }, Effect.orDie)
  })

export const layerDocs = (publicUrl: string) => Layer.effect(DocsEndpoint, makeDocsHandler(publicUrl))
