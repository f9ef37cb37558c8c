import { createHash } from "node:crypto"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { type Deployment, openApiDocument } from "../documents/openapi/document.ts"
import { forAnyOrigin, preflight } from "./oauth/cross-origin.ts"
import { namesIt } from "./pages/if-none-match.ts"
import { REST_PREFIX } from "./rest-prefix.ts"

/** Where the documents are (specification, Machine-readable resources): below `/v3`, and yet no operations. */
const PATHS: ReadonlyMap<string, Deployment> = new Map([
  [`${REST_PREFIX}/config.json`, "international"],
  [`${REST_PREFIX}/config.cn.json`, "regional"]
])

const METHODS = "GET, HEAD, OPTIONS"

/** Seconds a copy is good without being asked about: the document changes with a release alone. */
const FRESH_SECONDS = 300

export const isOpenApiPath = (path: string): boolean => PATHS.has(path)

interface Served {
  readonly text: string
  readonly etag: string
}

const servedOf = (deployment: Deployment, publicUrl: string): Served => {
  const text = JSON.stringify(openApiDocument(deployment, publicUrl))
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"` }
}

/**
 * The service as OpenAPI: raw, for anybody, with HTTP's own status. Each deployment's document is written when it is first asked
 * for and kept. Undefined: nothing is there.
 */
export const makeOpenApi = (publicUrl: string) => {
  const kept = new Map<Deployment, Served>()
  const servedAs = (deployment: Deployment): Served => {
    const served = kept.get(deployment) ?? servedOf(deployment, publicUrl)
    kept.set(deployment, served)
    return served
  }
  return ({ method, url, headers }: HttpServerRequest): HttpServerResponse.HttpServerResponse | undefined => {
    const deployment = PATHS.get(url.split("?", 1)[0] ?? "")
    if (deployment === undefined) return undefined
    if (method === "OPTIONS") return preflight(METHODS)
    if (method !== "GET" && method !== "HEAD") return forAnyOrigin(wrongMethod)
    const { text, etag } = servedAs(deployment)
    const about = { etag, "cache-control": `public, max-age=${FRESH_SECONDS}`, "x-content-type-options": "nosniff" }
    return forAnyOrigin(
      namesIt(headers["if-none-match"] ?? "", etag)
        ? HttpServerResponse.empty({ status: 304, headers: about })
        : HttpServerResponse.text(text, { contentType: "application/json", headers: about })
    )
  }
}

const wrongMethod = HttpServerResponse.text(`This address takes ${METHODS}.\n`, {
  status: 405,
  headers: { allow: METHODS, "cache-control": "no-store" }
})
