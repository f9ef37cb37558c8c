import { Effect, Result } from "effect"
import {
  type AuthorizationError,
  type AuthorizationRequest,
  type AuthorizationTargetError,
  findReturnableState,
  parseAuthorizationRequest,
  parseAuthorizationTarget
} from "../../../domain/access/oauth/authorization-request.ts"
import { Clients, type OAuthClient } from "../../../domain/access/oauth/Clients.ts"
import { parseRedirectTarget, type RedirectTarget } from "../../../domain/access/oauth/redirect-uri.ts"
import { PENDING_AUTHORIZATION_REQUEST_LENGTH } from "../../../platform/limits.ts"
import { SIGN_IN_PATH } from "../host/urls.ts"
import type { Visit } from "../visit.ts"

/** Path to which applications send a host's browser (contract facts 11.3). */
export const AUTHORIZATION_PATH = "/authorization"

export interface AuthorizationClient {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly redirectTarget: RedirectTarget
  readonly state: string | undefined
}

export type ConsentRequest =
  /** No valid client and redirect target were found, so the browser must not be redirected. */
  | {
      readonly _tag: "Wrong"
      readonly problem: AuthorizationTargetError | "unknown client" | "no address" | "wrong address" | "too long"
    }
  | {
      readonly _tag: "Refused"
      readonly authorizationClient: AuthorizationClient
      readonly refusal: AuthorizationError
    }
  | {
      readonly _tag: "Asked"
      readonly authorizationClient: AuthorizationClient
      readonly authorizationRequest: AuthorizationRequest
    }

/** Encodes the query again, because the sign-in page accepts only some characters in `next`. */
export const authorizationUrl = ({ query }: Pick<Visit, "query">): string => `${AUTHORIZATION_PATH}?${query.toString()}`

export const signInUrl = (visit: Pick<Visit, "query">): string =>
  `${SIGN_IN_PATH}?${new URLSearchParams({ next: authorizationUrl(visit) }).toString()}`

/** A request may omit the redirect URI if a partner's client has registered only one. */
const singleRedirectUri = ({ isPublic, redirectUris }: OAuthClient): string | undefined =>
  isPublic || redirectUris.length !== 1 ? undefined : redirectUris[0]

const makeInvalidRequest = (problem: Extract<ConsentRequest, { _tag: "Wrong" }>["problem"]): ConsentRequest => ({
  _tag: "Wrong",
  problem
})

export const makeConsentRequestReader = Effect.fnUntraced(function* (publicUrl: string) {
  const clients = yield* Clients
  return Effect.fnUntraced(function* (visit: Visit) {
    if (signInUrl(visit).length > PENDING_AUTHORIZATION_REQUEST_LENGTH) return makeInvalidRequest("too long")
    const clientParams = parseAuthorizationTarget(visit.query)
    if (Result.isFailure(clientParams)) return makeInvalidRequest(clientParams.failure)
    const client = yield* clients.find(clientParams.success.clientId)
    if (client === undefined) return makeInvalidRequest("unknown client")
    const redirectUri = clientParams.success.redirectUri ?? singleRedirectUri(client)
    if (redirectUri === undefined) return makeInvalidRequest("no address")
    const redirectTarget = parseRedirectTarget(redirectUri)
    if (redirectTarget === undefined || !(yield* clients.mayRedirectTo(client, redirectUri)))
      return makeInvalidRequest("wrong address")
    const authorizationClient: AuthorizationClient = {
      client,
      redirectUri,
      redirectTarget,
      state: findReturnableState(visit.query)
    }
    return Result.match(parseAuthorizationRequest(visit.query, client, publicUrl), {
      onFailure: (refusal): ConsentRequest => ({ _tag: "Refused", authorizationClient, refusal }),
      onSuccess: (authorization): ConsentRequest => ({
        _tag: "Asked",
        authorizationClient,
        authorizationRequest: authorization
      })
    })
  })
})
