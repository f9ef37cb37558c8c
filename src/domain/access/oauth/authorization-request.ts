import { Result } from "effect"
import type { OAuthError } from "../../../contract/errors.ts"
import { OAUTH_RESOURCES, OAUTH_STATE } from "../../../platform/limits.ts"
import type { Client } from "./Clients.ts"
import { resourceOf } from "./resource.ts"
import { scopeIn } from "./scope.ts"

// What an application asks of a host, in the query it sends the browser with (RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2).
// What the service does not know is ignored, and a parameter without a value is none (RFC 6749 3.1).

export type Scope = "read-only" | "writable"

/** Who asks, and where to: nobody is led anywhere before both are known. */
export interface Asker {
  readonly clientId: string
  /** Undefined: not named. */
  readonly redirectUri: string | undefined
}

export type NoAsker = "no client" | "two clients" | "two addresses"

export interface Asked {
  /** The most that the host may give. */
  readonly scope: Scope
  /** Whether the application named a scope that the service knows. Otherwise the host chooses the scope. */
  readonly isScopeNamed: boolean
  readonly state: string | undefined
  readonly challenge: string | null
  /** As it was named; null: none, or several, which are all of them ours. */
  readonly resource: string | null
}

/** Why there is nothing to consent to, as the application is told (RFC 6749 4.1.2.1). */
export interface Refusal {
  readonly error: OAuthError
  /** Of the signs that RFC 6749 allows there, and nothing that was sent. */
  readonly description: string
}

type Query = URLSearchParams

const given = (query: Query, name: string): string | undefined => query.get(name) || undefined

const isTwice = (query: Query, name: string): boolean => query.getAll(name).length > 1

export const askerOf = (query: Query): Result.Result<Asker, NoAsker> => {
  const clientId = given(query, "client_id")
  if (isTwice(query, "client_id")) return Result.fail("two clients")
  if (clientId === undefined) return Result.fail("no client")
  if (isTwice(query, "redirect_uri")) return Result.fail("two addresses")
  return Result.succeed({ clientId, redirectUri: given(query, "redirect_uri") })
}

const refused = (error: OAuthError, description: string): Result.Result<never, Refusal> =>
  Result.fail({ error, description })

const REPEATABLE = "resource"

const nothingTwice = (query: Query): Result.Result<void, Refusal> =>
  Array.from(query.keys()).some((name) => name !== REPEATABLE && isTwice(query, name))
    ? refused("invalid_request", "Only the parameter resource may be repeated; send each other parameter once.")
    : Result.void

/** What a text becomes that is not UTF-8: it could not be given back to the letter. */
const UNREADABLE = "\ufffd"

const isState = (state: string): boolean => state.length <= OAUTH_STATE && !state.includes(UNREADABLE)

/** What is given back with every answer, as far as it can be; undefined: nothing. */
export const stateOf = (query: Query): string | undefined => {
  const state = given(query, "state")
  return state !== undefined && !isTwice(query, "state") && isState(state) ? state : undefined
}

const stateAsked = (query: Query): Result.Result<string | undefined, Refusal> => {
  const state = given(query, "state")
  return state === undefined || isState(state)
    ? Result.succeed(state)
    : refused("invalid_request", `state: must be UTF-8 of at most ${OAUTH_STATE} characters.`)
}

/** Partners may leave it out, as they always could (contract facts 11.3). */
const responseAsked = (query: Query, { isPublic }: Client): Result.Result<void, Refusal> => {
  const type = given(query, "response_type")
  if (type === undefined && isPublic) return refused("invalid_request", "response_type: must be code.")
  if (type !== undefined && type !== "code") return refused("unsupported_response_type", "response_type: must be code.")
  const mode = given(query, "response_mode")
  return mode === undefined || mode === "query"
    ? Result.void
    : refused("invalid_request", "response_mode: must be query.")
}

/** What SHA-256 gives in base64url without padding. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** No method means `plain` (RFC 7636 4.3), which anybody who sees the request can answer. */
const challengeAsked = (query: Query, { isPublic }: Client): Result.Result<string | null, Refusal> => {
  const challenge = given(query, "code_challenge")
  const method = given(query, "code_challenge_method")
  if (challenge === undefined && method !== undefined) {
    return refused("invalid_request", "code_challenge: is required with code_challenge_method.")
  }
  if (challenge === undefined) {
    return isPublic
      ? refused("invalid_request", "code_challenge: is required, with code_challenge_method S256.")
      : Result.succeed(null)
  }
  if (method !== "S256") return refused("invalid_request", "code_challenge_method: must be S256.")
  return CHALLENGE.test(challenge)
    ? Result.succeed(challenge)
    : refused("invalid_request", "code_challenge: must be 43 characters of base64url.")
}

const scopeAsked = (query: Query): Pick<Asked, "scope" | "isScopeNamed"> => {
  const named = scopeIn(given(query, "scope"))
  return { scope: named ?? "writable", isScopeNamed: named !== undefined }
}

const resourceAsked = (query: Query, publicUrl: string): Result.Result<string | null, Refusal> => {
  const named = query.getAll("resource").filter((name) => name !== "")
  if (named.length > OAUTH_RESOURCES) {
    return refused("invalid_target", `resource: must be sent at most ${OAUTH_RESOURCES} times.`)
  }
  const known = new Set(named.map((name) => resourceOf(publicUrl, name)))
  if (known.has(undefined)) return refused("invalid_target", "resource: must be an address of this service.")
  return Result.succeed(known.size === 1 ? (named[0] ?? null) : null)
}

/** What there is to consent to, once it is known who asks and where the browser may be led back to. */
export const askedOf = (query: Query, client: Client, publicUrl: string): Result.Result<Asked, Refusal> =>
  Result.gen(function* () {
    yield* nothingTwice(query)
    const state = yield* stateAsked(query)
    yield* responseAsked(query, client)
    const challenge = yield* challengeAsked(query, client)
    const resource = yield* resourceAsked(query, publicUrl)
    return { ...scopeAsked(query), state, challenge, resource }
  })

/** Whether a host may give this where that was asked. */
export const mayBeGiven = (asked: Scope, scope: string | null): scope is Scope =>
  scope === "read-only" || (scope === "writable" && asked === "writable")
