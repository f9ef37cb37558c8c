import { createHash } from "node:crypto"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { preflight } from "../oauth/cross-origin.ts"
import { namesIt } from "../pages/if-none-match.ts"

// What anybody may read, with HTTP's own status: documents that change with a release alone.

type Response = HttpServerResponse.HttpServerResponse

const METHODS = "GET, HEAD, OPTIONS"

/** Seconds a copy is good without being asked about. */
const FRESH_SECONDS = 300

export interface PublicDocument {
  readonly content: string | Uint8Array
  readonly contentType: string
  readonly etag: string
}

export const publicDocument = (content: string | Uint8Array, contentType: string): PublicDocument => ({
  content,
  contentType,
  etag: `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`
})

/** The answer to a method that reads nothing; undefined: it reads. */
export const notReading = ({ method }: HttpServerRequest): Response | undefined => {
  if (method === "OPTIONS") return preflight(METHODS)
  return method === "GET" || method === "HEAD" ? undefined : wrongMethod
}

const wrongMethod = HttpServerResponse.text(`This address takes ${METHODS}.\n`, {
  status: 405,
  headers: { allow: METHODS, "cache-control": "no-store" }
})

/** The document, or that the reader has it already. */
export const served = (
  { content, contentType, etag }: PublicDocument,
  { headers }: HttpServerRequest,
  more: Readonly<Record<string, string>> = {}
): Response => {
  const about = {
    etag,
    "cache-control": `public, max-age=${FRESH_SECONDS}`,
    "x-content-type-options": "nosniff",
    ...more
  }
  if (namesIt(headers["if-none-match"] ?? "", etag)) return HttpServerResponse.empty({ status: 304, headers: about })
  return typeof content === "string"
    ? HttpServerResponse.text(content, { contentType, headers: about })
    : HttpServerResponse.uint8Array(content, { contentType, headers: about })
}
