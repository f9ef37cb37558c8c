import { Result } from "effect"
import type { OAuthErrorCode } from "../../../contract/errors.ts"
import { CODE_CHALLENGE_LENGTH, OAUTH_RESOURCES_MAX, OAUTH_STATE_LENGTH } from "../../../platform/limits.ts"
import type { OAuthClient } from "./Clients.ts"
import { findProtectedResource } from "./protected-resource.ts"
import { parseScope } from "./scope.ts"

// The query of an authorization request (RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2). Empty parameters count as missing
// (RFC 6749 3.1).

export type RequestedScope = "read-only" | "writable"

/** The server must not redirect the browser before it has verified both values. */
interface AuthorizationTarget {
  readonly clientId: string
  readonly redirectUri: string | undefined
}

export type AuthorizationTargetError = "no client" | "two clients" | "two addresses"

export interface AuthorizationRequest {
  readonly scope: RequestedScope
  /** False if the request names no known scope. Then the host chooses the scope. */
  readonly isScopeNamed: boolean
  readonly state: string | undefined
  readonly challenge: string | null
  /** As the application sent it. Null if it sent none, or several different ones. */
  readonly resource: string | null
}

/** An error for the application (RFC 6749 4.1.2.1). */
export interface AuthorizationError {
  readonly error: OAuthErrorCode
  /** Contains only characters that RFC 6749 allows, and no request data. */
  readonly description: string
}

type Query = URLSearchParams

const getParameter = (query: Query, name: string): string | undefined => query.get(name) || undefined

const isRepeated = (query: Query, name: string): boolean => query.getAll(name).length > 1

export const parseAuthorizationTarget = (
  query: Query
): Result.Result<AuthorizationTarget, AuthorizationTargetError> => {
  const clientId = getParameter(query, "client_id")
  if (isRepeated(query, "client_id")) return Result.fail("two clients")
  if (clientId === undefined) return Result.fail("no client")
  if (isRepeated(query, "redirect_uri")) return Result.fail("two addresses")
  return Result.succeed({ clientId, redirectUri: getParameter(query, "redirect_uri") })
}

const failAuthorization = (error: OAuthErrorCode, description: string): Result.Result<never, AuthorizationError> =>
  Result.fail({ error, description })

const REPEATABLE_PARAMETER = "resource"

const checkRepetition = (query: Query): Result.Result<void, AuthorizationError> =>
  Array.from(query.keys()).some((name) => name !== REPEATABLE_PARAMETER && isRepeated(query, name))
    ? failAuthorization(
        "invalid_request",
        "Only the parameter resource may be repeated; send each other parameter once."
      )
    : Result.void

/** Stands for invalid UTF-8 in a decoded query. Such a state could not be returned unchanged. */
const REPLACEMENT_CHARACTER = "\ufffd"

const isValidState = (state: string): boolean =>
  state.length <= OAUTH_STATE_LENGTH && !state.includes(REPLACEMENT_CHARACTER)

export const findReturnableState = (query: Query): string | undefined => {
  const state = getParameter(query, "state")
  return state !== undefined && !isRepeated(query, "state") && isValidState(state) ? state : undefined
}

const parseState = (query: Query): Result.Result<string | undefined, AuthorizationError> => {
  const state = getParameter(query, "state")
  return state === undefined || isValidState(state)
    ? Result.succeed(state)
    : failAuthorization("invalid_request", `state: must be UTF-8 of at most ${OAUTH_STATE_LENGTH} characters.`)
}

/** Clients with a secret may omit `response_type` (contract facts 11.3). */
const checkResponseType = (query: Query, { isPublic }: OAuthClient): Result.Result<void, AuthorizationError> => {
  const type = getParameter(query, "response_type")
  if (type === undefined && isPublic) return failAuthorization("invalid_request", "response_type: must be code.")
  if (type !== undefined && type !== "code")
    return failAuthorization("unsupported_response_type", "response_type: must be code.")
  const mode = getParameter(query, "response_mode")
  return mode === undefined || mode === "query"
    ? Result.void
    : failAuthorization("invalid_request", "response_mode: must be query.")
}

/** SHA-256 in base64url without padding. */
const CHALLENGE = new RegExp(`^[A-Za-z0-9_-]{${CODE_CHALLENGE_LENGTH}}$`)

/** A challenge without a method means `plain` (RFC 7636 4.3), which the service rejects. */
const parseChallenge = (query: Query, client: OAuthClient): Result.Result<string | null, AuthorizationError> => {
  const challenge = getParameter(query, "code_challenge")
  const method = getParameter(query, "code_challenge_method")
  if (challenge === undefined && method !== undefined) {
    return failAuthorization("invalid_request", "code_challenge: is required with code_challenge_method.")
  }
  if (challenge !== undefined && method !== "S256")
    return failAuthorization("invalid_request", "code_challenge_method: must be S256.")
  return Result.mapBoth(checkCodeChallenge(challenge, client), {
    onFailure: (description) => ({ error: "invalid_request", description }),
    onSuccess: () => challenge ?? null
  })
}

export const checkCodeChallenge = (
  challenge: string | undefined,
  { isPublic }: OAuthClient
): Result.Result<void, string> => {
  if (challenge === undefined)
    return isPublic ? Result.fail("code_challenge: is required, with code_challenge_method S256.") : Result.void
  return CHALLENGE.test(challenge)
    ? Result.void
    : Result.fail(`code_challenge: must be ${CODE_CHALLENGE_LENGTH} characters of base64url.`)
}

const parseRequestedScope = (query: Query): Pick<AuthorizationRequest, "scope" | "isScopeNamed"> => {
  const requested = parseScope(getParameter(query, "scope"))
  return { scope: requested ?? "writable", isScopeNamed: requested !== undefined }
}

const parseResource = (query: Query, publicUrl: string): Result.Result<string | null, AuthorizationError> => {
  const requested = query.getAll("resource").filter((name) => name !== "")
  if (requested.length > OAUTH_RESOURCES_MAX) {
    return failAuthorization("invalid_target", `resource: must be sent at most ${OAUTH_RESOURCES_MAX} times.`)
  }
  const resources = new Set(requested.map((name) => findProtectedResource(publicUrl, name)))
  if (resources.has(undefined))
    return failAuthorization("invalid_target", "resource: must be an address of this service.")
  return Result.succeed(resources.size === 1 ? (requested[0] ?? null) : null)
}

/** Expects a verified client and redirect address. */
export const parseAuthorizationRequest = (
  query: Query,
  client: OAuthClient,
  publicUrl: string
): Result.Result<AuthorizationRequest, AuthorizationError> =>
  Result.gen(function* () {
    yield* checkRepetition(query)
    const state = yield* parseState(query)
    yield* checkResponseType(query, client)
    const challenge = yield* parseChallenge(query, client)
    const resource = yield* parseResource(query, publicUrl)
    return { ...parseRequestedScope(query), state, challenge, resource }
  })

export const isGrantableScope = (requested: RequestedScope, scope: string | null): scope is RequestedScope =>
  scope === "read-only" || (scope === "writable" && requested === "writable")
