import { HttpServerResponse } from "effect/http"
import type { ApiResponse } from "../http/api-http.ts"

type Response = HttpServerResponse.HttpServerResponse

// Any origin is allowed, because clients may run in a browser (Fetch, CORS). Cookies have no effect at these paths.

export const ANY_ORIGIN = { "access-control-allow-origin": "*" } as const

const MAX_AGE = "86400"

export const allowAnyOrigin = (response: Response): Response => HttpServerResponse.setHeaders(response, ANY_ORIGIN)

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
