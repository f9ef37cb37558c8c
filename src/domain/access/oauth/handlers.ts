import { Clock, Effect } from "effect"
import { BadRequest, ValidationFailed } from "../../../contract/errors.ts"
import { anonymousHandler, handleOperations, layerOperations } from "../../operation-handlers.ts"
import { ClientAuthentication } from "./ClientAuthentication.ts"
import { ClientRegistrations } from "./ClientRegistrations.ts"
import { PUBLIC_CLIENT_ID } from "./Clients.ts"
import {
  type create_oauth_authorization,
  type create_oauth_registration,
  OauthOperations,
  type revoke_oauth_authorization
} from "./contract.ts"
import { GRANT_TYPES, toRegistration } from "./registration-rules.ts"
import { type IssuedTokens, TokenIssuer } from "./TokenIssuer.ts"

type Authentication = ClientAuthentication["Service"]

const toTokenResponse = ({ accessToken, refreshToken, expiresIn, scope }: IssuedTokens) => ({
  access_token: accessToken,
  refresh_token: refreshToken,
  expires_in: expiresIn,
  token_type: "Bearer" as const,
  scope
})

const createAuthorization = (authentication: Authentication, tokenIssuer: TokenIssuer["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof create_oauth_authorization.payloadSchema.Type) {
    const { grant_type, client_id: id, client_secret: secret, code, refresh_token: refreshToken } = payload
    const resources = [payload.resource ?? []].flat()
    if (grant_type === "authorization_code") {
      const client = yield* authentication.authenticate({ id, secret })
      if (code === undefined) return yield* toMissingGrantFieldError("code")
      const { redirect_uri: redirectUri, code_verifier: verifier } = payload
      return toTokenResponse(yield* tokenIssuer.exchange({ client, code, verifier, redirectUri, resources }))
    }
    if (grant_type === "refresh_token") {
      const client = yield* authentication.authenticate({ id, secret })
      if (refreshToken === undefined) return yield* toMissingGrantFieldError("refresh_token")
      return toTokenResponse(yield* tokenIssuer.renew({ client, refreshToken, scope: payload.scope, resources }))
    }
    return yield* unknownGrantTypeError
  })

const revokeAuthorization = (authentication: Authentication, tokenIssuer: TokenIssuer["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof revoke_oauth_authorization.payloadSchema.Type) {
    const { client_id: id, client_secret: secret, token } = payload
    yield* tokenIssuer.revoke(yield* authentication.authenticate({ id, secret }), token)
    return {}
  })

const createRegistration = ({ registerRedirectUris: register }: ClientRegistrations["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof create_oauth_registration.payloadSchema.Type) {
    const registration = yield* Effect.fromResult(toRegistration(payload))
    yield* register(registration.redirect_uris)
    const issuedAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    return { client_id: PUBLIC_CLIENT_ID, client_id_issued_at: issuedAt, ...registration }
  })

const toMissingGrantFieldError = (field: string) =>
  new BadRequest({ message: `${field}: is required with this grant_type.`, oauthErrorCode: "invalid_request" })

const unknownGrantTypeError = new ValidationFailed({
  message: `grant_type: must be one of ${GRANT_TYPES.join(", ")}.`,
  oauthErrorCode: "unsupported_grant_type"
})

export const layerOauth = layerOperations(
  Effect.gen(function* () {
    const [authentication, tokenIssuer, registrations] = [
      yield* ClientAuthentication,
      yield* TokenIssuer,
      yield* ClientRegistrations
    ]
    return handleOperations(OauthOperations, {
      create_oauth_authorization: anonymousHandler(createAuthorization(authentication, tokenIssuer)),
      revoke_oauth_authorization: anonymousHandler(revokeAuthorization(authentication, tokenIssuer)),
      create_oauth_registration: anonymousHandler(createRegistration(registrations), registrations.admit)
    })
  })
)
