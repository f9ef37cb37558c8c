import { Context, Effect, FileSystem, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Deployment } from "../../platform/installation.ts"
import { ASSETS, GUIDES_FOLDER } from "../docs/site/assets.ts"
import { EXAMPLE_FILES, readGuides } from "../docs/site/guides.ts"
import { pagesOf, type SiteSettings, siteFiles, tryPage } from "../docs/site/site.ts"
import { DOCS_PATH } from "../http/docs-path.ts"
import { REST_PREFIX } from "../http/rest-prefix.ts"
import { hostRule } from "../mcp/access.ts"
import { forAnyOrigin } from "../oauth/cross-origin.ts"
import { notReading, type PublicDocument, publicDocument, served } from "./public-document.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The token that the page for trying has filled in, where there is one to be had. */
export const TryToken = Context.Reference<Effect.Effect<string | undefined>>("latchkey/adapters/TryToken", {
  defaultValue: () => Effect.succeed(undefined)
})

/** What answers at {@link DOCS_PATH} and below; undefined: nothing, as at any path that nobody knows. */
export type DocsDoor = (request: HttpServerRequest) => Effect.Effect<Response | undefined>

/** The documentation, where the process has it. */
export const Docs = Context.Reference<DocsDoor>("latchkey/adapters/Docs", {
  defaultValue: () => () => Effect.succeed(undefined)
})

const SAFE = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer"
}

/** The console draws with styles in its elements, and with fonts and pictures of its own style sheet. */
const TRYING = {
  ...SAFE,
  "content-security-policy": SAFE["content-security-policy"].replace(
    "style-src 'self'",
    "style-src 'self' 'unsafe-inline'"
  )
}

/** What proxies say of whom they speak for. */
const PASSED_ON = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"]

const TRY_PAGE = "try.html"

/** Where a page is that is asked for without its ending, and the first page. */
const moved = (to: string): Response =>
  HttpServerResponse.empty({ status: 308, headers: { location: to, "cache-control": "public, max-age=300" } })

const TYPES: Readonly<Record<string, string>> = {
  mjs: "text/javascript; charset=utf-8",
  json: "application/json"
}

/** Below `assets/` and `examples/`: files as they lie there. */
const fileOf = (name: string): { readonly file: string; readonly contentType: string } | undefined => {
  const [folder, base = ""] = name.split("/")
  if (folder === "assets") return ASSETS.get(base)
  if (folder !== "examples" || !EXAMPLE_FILES.includes(base)) return undefined
  return {
    file: `${GUIDES_FOLDER}/examples/${base}`,
    contentType: TYPES[base.split(".").at(-1) ?? ""] ?? "application/octet-stream"
  }
}

const makeDocs = (publicUrl: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const deployment = yield* Deployment
    const tryToken = yield* TryToken
    const isMeant = hostRule(publicUrl)
    const settings = yield* Effect.cached(
      Effect.map(
        readGuides(GUIDES_FOLDER, publicUrl),
        (guides): SiteSettings => ({
          publicUrl,
          docsUrl: `${publicUrl}${DOCS_PATH}`,
          deployment,
          guides,
          server: `..${REST_PREFIX}`
        })
      ).pipe(Effect.provideService(FileSystem.FileSystem, fs))
    )
    const files = yield* Effect.cached(Effect.map(settings, siteFiles))
    const kept = new Map<string, PublicDocument>()

    const written = Effect.fnUntraced(function* (name: string) {
      const known = kept.get(name)
      if (known !== undefined) return known
      const [page, asset] = [(yield* files).get(name)?.(), fileOf(name)]
      if (page === undefined && asset === undefined) return undefined
      const document =
        page === undefined
          ? publicDocument(yield* fs.readFile(asset?.file ?? ""), asset?.contentType ?? "")
          : publicDocument(page.text, page.contentType)
      kept.set(name, document)
      return document
    })

    /**
     * Who came to this page by another name gets no token: a page elsewhere may have given its name to this machine. Nor does who
     * came through a proxy, which may stand at the door of the whole world.
     */
    const trying = Effect.fnUntraced(function* ({ headers }: HttpServerRequest) {
      const isHere = isMeant(headers["host"]) && PASSED_ON.every((name) => headers[name] === undefined)
      const token = isHere ? yield* tryToken : undefined
      const all = yield* settings
      return HttpServerResponse.text(tryPage(pagesOf(all), all, token), {
        contentType: "text/html; charset=utf-8",
        headers: { ...TRYING, "cache-control": "no-store", "x-content-type-options": "nosniff" }
      })
    })

    return Effect.fnUntraced(function* (request: HttpServerRequest) {
      const path = request.url.split("?", 1)[0] ?? ""
      if (path === "/" || path === DOCS_PATH) return moved(`${DOCS_PATH.slice(1)}/`)
      const name = path.slice(DOCS_PATH.length + 1) || "index.html"
      const other = notReading(request)
      if (other !== undefined) return other
      if (name === TRY_PAGE) return yield* trying(request)
      const document = yield* written(name)
      if (document !== undefined) return forAnyOrigin(served(document, request, SAFE))
      return (yield* files).has(`${name}.html`) ? moved(`${name.slice(name.lastIndexOf("/") + 1)}.html`) : undefined
    }, Effect.orDie)
  })

export const layerDocs = (publicUrl: string) => Layer.effect(Docs, makeDocs(publicUrl))
