import { HttpServerResponse } from "effect/http"
import type { ApiResponse } from "../http/api-http.ts"

type Response = HttpServerResponse.HttpServerResponse

// Pages of anybody's origin may ask who gives out tokens, and get some (Fetch, CORS): clients that run in a browser are no others, and
// what they know they were told by their user. No cookie counts there, so none is let in.

export const ANY_ORIGIN = { "access-control-allow-origin": "*" } as const

/** Seconds for which a browser need not ask again. */
const MAX_AGE = "86400"

/** An answer that pages of any origin may read. */
export const allowAnyOrigin = (response: Response): Response => HttpServerResponse.setHeaders(response, ANY_ORIGIN)

/** Returns the response to a preflight request (Fetch, CORS) for a path with these methods. */
export const preflightResponse = (methods: string): ApiResponse => ({
  status: 204,
  headers: {
    ...ANY_ORIGIN,
    "access-control-allow-methods": methods,
    "access-control-allow-headers": "content-type, authorization, mcp-protocol-version",
    "access-control-max-age": MAX_AGE
  },
  body: ""
})
