import { Predicate } from "effect"
import type { ServiceResponse } from "../../contract/envelope.ts"
import { type ApiError, errorCode, type OAuthErrorCode } from "../../contract/errors.ts"
import { type ApiResponse, toJsonResponse } from "../http/api-http.ts"
import { NO_STORE } from "../http/caching.ts"

// The response has the envelope for API clients, and the standard fields for OAuth libraries (RFC 6749 5.1 and 5.2, RFC
// 7591 3.2).

/** `form` is for OAuth libraries, which rely on the HTTP status. */
type ResponseFormat = "form" | "envelope"

const FORM_CONTENT_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

export const toResponseFormat = (contentType: string | undefined): ResponseFormat =>
  contentType !== undefined && FORM_CONTENT_TYPE.test(contentType) ? "form" : "envelope"

/** `fallback` applies to invalid requests without a specific OAuth code. */
export const toOauthError = (error: ApiError, fallback: OAuthErrorCode): OAuthErrorCode => {
  switch (error._tag) {
    case "BadRequest":
    case "ValidationFailed":
      return error.oauthErrorCode ?? fallback
    case "Unauthenticated":
      return error.oauthErrorCode ?? "invalid_client"
    case "RateLimited":
    case "Upstream":
      return "temporarily_unavailable"
    case "ServerError":
      return error.retryAfter === undefined ? "server_error" : "temporarily_unavailable"
    // OAuth has no code for disabled registration. The request itself is valid.
    case "NotImplemented":
      return "access_denied"
    case "Forbidden":
    case "NotFound":
    case "Conflict":
    case "SubscriptionRequired":
      return "invalid_request"
  }
}

/** Returns 401 only for an unknown client (RFC 6749 5.2). */
export const toHttpStatus = (error: ApiError, oauth: OAuthErrorCode): number => {
  if (oauth === "invalid_client") return 401
  const code = errorCode(error)
  return code === 429 || code >= 500 ? code : 400
}

/** Restricts the text to the characters of an error_description (RFC 6749 5.2). */
export const toErrorDescription = (message: string): string =>
  message
    .replaceAll('"', "'")
    .replaceAll("\\", "/")
    .replace(/[^\x20-\x7e]/gu, "?")

const NO_CACHE = { ...NO_STORE, pragma: "no-cache" } as const
const CHALLENGE = { "www-authenticate": 'Basic realm="latchkey"' } as const

export const toOauthResponse = (
  answer: ServiceResponse,
  responseFormat: ResponseFormat,
  fallback: OAuthErrorCode
): ApiResponse => {
  const { envelope, error } = answer
  const oauth = error === undefined ? undefined : toOauthError(error, fallback)
  const oauthFields =
    oauth === undefined
      ? toObjectFields(envelope.data)
      : { error: oauth, error_description: toErrorDescription(envelope.error_msg) }
  const status =
    responseFormat === "envelope" || error === undefined || oauth === undefined ? 200 : toHttpStatus(error, oauth)
  const headers = {
    ...NO_CACHE,
    ...answer.headers,
    ...(status === 401 ? CHALLENGE : {}),
    "x-request-id": envelope.request_id
  }
  return toJsonResponse(JSON.stringify({ ...oauthFields, ...envelope }), headers, status)
}

const toObjectFields = (data: unknown): object => (Predicate.isObject(data) ? data : {})
