import { HttpServerResponse } from "effect/http"

type Response = HttpServerResponse.HttpServerResponse

// Pages of anybody's origin may ask who gives out tokens, and get some (Fetch, CORS): clients that run in a browser are no others, and
// what they know they were told by their user. No cookie counts there, so none is let in.

const ANY_ORIGIN = { "access-control-allow-origin": "*" } as const

/** Seconds for which a browser need not ask again. */
const MAX_AGE = "86400"

/** An answer that pages of any origin may read. */
export const allowAnyOrigin = (response: Response): Response => HttpServerResponse.setHeaders(response, ANY_ORIGIN)

/** What a browser is told that asks whether a page may call. */
export const preflightResponse = (methods: string): Response =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      ...ANY_ORIGIN,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": "content-type, authorization, mcp-protocol-version",
      "access-control-max-age": MAX_AGE
    }
  })
