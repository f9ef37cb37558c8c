import { Result } from "effect"
import type { OAuthErrorCode } from "../../../contract/errors.ts"
import { CODE_CHALLENGE_LENGTH, OAUTH_RESOURCES_MAX, OAUTH_STATE_LENGTH } from "../../../platform/limits.ts"
import type { OAuthClient } from "./Clients.ts"
import { findProtectedResource } from "./protected-resource.ts"
import { parseScope } from "./scope.ts"

// What an application asks of a host, in the query it sends the browser with (RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2).
// What the service does not know is ignored, and a parameter without a value is none (RFC 6749 3.1).

export type RequestedScope = "read-only" | "writable"

/** Who asks, and where to: nobody is led anywhere before both are known. */
interface AuthorizationTarget {
  readonly clientId: string
  /** Undefined: not named. */
  readonly redirectUri: string | undefined
}

export type AuthorizationTargetError = "no client" | "two clients" | "two addresses"

export interface AuthorizationRequest {
  /** The most that the host may give. */
  readonly scope: RequestedScope
  /** Whether the application named a scope that the service knows. Otherwise the host chooses the scope. */
  readonly isScopeNamed: boolean
  readonly state: string | undefined
  readonly challenge: string | null
  /** As it was named; null: none, or several, which are all of them ours. */
  readonly resource: string | null
}

/** Why there is nothing to consent to, as the application is told (RFC 6749 4.1.2.1). */
export interface AuthorizationError {
  readonly error: OAuthErrorCode
  /** Of the signs that RFC 6749 allows there, and nothing that was sent. */
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

/** What a text becomes that is not UTF-8: it could not be given back to the letter. */
const REPLACEMENT_CHARACTER = "\ufffd"

const isValidState = (state: string): boolean =>
  state.length <= OAUTH_STATE_LENGTH && !state.includes(REPLACEMENT_CHARACTER)

/** What is given back with every answer, as far as it can be; undefined: nothing. */
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

/** Partners may leave it out, as they always could (contract facts 11.3). */
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

/** What SHA-256 gives in base64url without padding. */
const CHALLENGE = new RegExp(`^[A-Za-z0-9_-]{${CODE_CHALLENGE_LENGTH}}$`)

/** No method means `plain` (RFC 7636 4.3), which anybody who sees the request can answer. */
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

/** Checks that a challenge is S256, and that the public client has one. Fails with what is wrong. */
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

/** What there is to consent to, once it is known who asks and where the browser may be led back to. */
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

/** Whether a host may give this where that was asked. */
export const isGrantableScope = (requested: RequestedScope, scope: string | null): scope is RequestedScope =>
  scope === "read-only" || (scope === "writable" && requested === "writable")
