import { createHash } from "node:crypto"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { toPageResponse } from "../http/api-http.ts"
import { matchesEtag } from "../http/caching.ts"
import { preflightResponse } from "../oauth/cross-origin.ts"

type Response = HttpServerResponse.HttpServerResponse

const READ_METHODS = "GET, HEAD, OPTIONS"

const FRESH_SECONDS = 300

export interface PublicDocument {
  readonly content: string | Uint8Array
  readonly contentType: string
  readonly etag: string
}

export const makePublicDocument = (content: string | Uint8Array, contentType: string): PublicDocument => ({
  content,
  contentType,
  etag: `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`
})

/** Returns undefined for GET and HEAD. */
export const rejectNonReadMethod = ({ method }: HttpServerRequest): Response | undefined => {
  if (method === "OPTIONS") return toPageResponse(preflightResponse(READ_METHODS))
  return method === "GET" || method === "HEAD" ? undefined : methodNotAllowed
}

const methodNotAllowed = HttpServerResponse.text(`This address takes ${READ_METHODS}.\n`, {
  status: 405,
  headers: { allow: READ_METHODS, "cache-control": "no-store" }
})

export const toDocumentResponse = (
  { content, contentType, etag }: PublicDocument,
  { headers }: HttpServerRequest,
  extraHeaders: Readonly<Record<string, string>> = {}
): Response => {
  const cacheHeaders = {
    etag,
    "cache-control": `public, max-age=${FRESH_SECONDS}`,
    "x-content-type-options": "nosniff",
    ...extraHeaders
  }
  if (matchesEtag(headers["if-none-match"] ?? "", etag))
    return HttpServerResponse.empty({ status: 304, headers: cacheHeaders })
  return typeof content === "string"
    ? HttpServerResponse.text(content, { contentType, headers: cacheHeaders })
    : HttpServerResponse.uint8Array(content, { contentType, headers: cacheHeaders })
}
