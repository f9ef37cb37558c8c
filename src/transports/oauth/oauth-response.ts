import { Predicate } from "effect"
import type { ServiceResponse } from "../../contract/envelope.ts"
import { type ApiError, errorCode, type OAuthErrorCode } from "../../contract/errors.ts"
import { type ApiResponse, toJsonResponse } from "../http/api-http.ts"
import { NO_STORE } from "../http/caching.ts"

// What an operation without a token answers: the envelope, and beside its fields those that the standards have (RFC 6749 5.1 and 5.2,
// RFC 7591 3.2), so that clients of this API and libraries for OAuth both read it.

/** In which manner a request was sent, and is answered: a form as libraries send it, by HTTP status; anything else by the envelope. */
type ResponseFormat = "form" | "envelope"

const FORM_CONTENT_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

export const toResponseFormat = (contentType: string | undefined): ResponseFormat =>
  contentType !== undefined && FORM_CONTENT_TYPE.test(contentType) ? "form" : "envelope"

/** What a failure is in the words of OAuth; `fallback` where the failure has no word of its own: what was sent is wrong. */
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
    // That nobody may register is the server's own will, and no fault of the request: of all the words this says it.
    case "NotImplemented":
      return "access_denied"
    case "Forbidden":
    case "NotFound":
    case "Conflict":
    case "SubscriptionRequired":
      return "invalid_request"
  }
}

/** HTTP status of a failure, for those who go by it (RFC 6749 5.2): 401 says that the client was not known, and nothing else does. */
export const toHttpStatus = (error: ApiError, oauth: OAuthErrorCode): number => {
  if (oauth === "invalid_client") return 401
  const code = errorCode(error)
  return code === 429 || code >= 500 ? code : 400
}

/** A text of the characters that an error_description may have (RFC 6749 5.2). */
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
