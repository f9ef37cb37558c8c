import { Schema } from "effect"
import { BadRequest, Unauthenticated } from "../../../../contract/errors.ts"
import { matchesChallenge } from "../pkce.ts"
import { findProtectedResource } from "../protected-resource.ts"
import type { CodeExchangeRequest } from "../token-requests.ts"

export const StoredCode = Schema.Struct({
  operatorId: Schema.Int,
  accountId: Schema.Int,
  clientId: Schema.String,
  clientDisabled: Schema.Boolean,
  scope: Schema.Literals(["read-only", "writable"]),
  redirectUri: Schema.String,
  challenge: Schema.NullOr(Schema.String),
  resource: Schema.NullOr(Schema.String),
  expiresAt: Schema.Date,
  usedAt: Schema.NullOr(Schema.Date),
  deadAt: Schema.NullOr(Schema.Date),
  grantId: Schema.NullOr(Schema.Int)
})
export type StoredCode = typeof StoredCode.Type

type CodeExchangeVerdict =
  | { readonly _tag: "Good"; readonly code: StoredCode }
  /** The caller must invalidate the code. */
  | { readonly _tag: "WrongVerifier"; readonly code: StoredCode }
  /** The code may be stolen. The caller must end the grant. */
  | { readonly _tag: "UsedTwice"; readonly code: StoredCode }
  | { readonly _tag: "Refused"; readonly error: BadRequest | Unauthenticated }

const errorVerdict = (error: BadRequest | Unauthenticated): CodeExchangeVerdict => ({ _tag: "Refused", error })

const toInvalidGrantError = (message: string) => new Unauthenticated({ message, oauthErrorCode: "invalid_grant" })
const toInvalidRequestError = (message: string) => new BadRequest({ message, oauthErrorCode: "invalid_request" })

/** One message for all these cases, so that guessing reveals nothing. */
export const unknownCodeError = toInvalidGrantError("code: is unknown, expired or already used.")
export const wrongVerifierError = toInvalidGrantError(
  "code_verifier: does not match the code_challenge of the authorization request."
)
export const clientDisabledError = new Unauthenticated({
  message: "client_id: this client is disabled.",
  oauthErrorCode: "invalid_client"
})

export const judgeCode = (
  code: StoredCode | undefined,
  request: CodeExchangeRequest,
  publicUrl: string,
  now: Date
): CodeExchangeVerdict => {
  if (code === undefined || code.clientId !== request.client.id) return errorVerdict(unknownCodeError)
  if (code.usedAt !== null)
    return isOwnCode(code, request) ? { _tag: "UsedTwice", code } : errorVerdict(unknownCodeError)
  if (code.deadAt !== null || code.expiresAt <= now) return errorVerdict(unknownCodeError)
  if (code.clientDisabled) return errorVerdict(clientDisabledError)
  const error = findRedirectUriError(code, request) ?? findResourceError(code, request, publicUrl)
  return error === undefined ? judgeVerifier(code, request.verifier) : errorVerdict(error)
}

/**
 * Returns whether the client that got the code sent the request. A partner has proved this by its secret. The public
 * client must prove it by the verifier, because its id is no secret and used codes remain in browser histories.
 */
const isOwnCode = ({ challenge }: StoredCode, { client, verifier }: CodeExchangeRequest): boolean =>
  !client.isPublic || (challenge !== null && verifier !== undefined && matchesChallenge(verifier, challenge))

/** `redirect_uri` is optional (contract facts 11.3). */
const findRedirectUriError = ({ redirectUri }: StoredCode, request: CodeExchangeRequest) =>
  request.redirectUri === undefined || request.redirectUri === redirectUri
    ? undefined
    : toInvalidGrantError("redirect_uri: must equal the redirect_uri of the authorization request.")

/**
 * The request may repeat the consented resource (RFC 8707 2.2). If the host consented to none, the request may choose
 * one.
 */
const findResourceError = ({ resource }: StoredCode, request: CodeExchangeRequest, publicUrl: string) => {
  const consentedResource = resource === null ? undefined : findProtectedResource(publicUrl, resource)
  const areResourcesGranted = request.resources
    .map((each) => findProtectedResource(publicUrl, each))
    .every((requested) => requested !== undefined && (resource === null || requested === consentedResource))
  return areResourcesGranted
    ? undefined
    : new BadRequest({
        message: "resource: must equal the resource of the authorization request.",
        oauthErrorCode: "invalid_target"
      })
}

/** Rejects a verifier without a challenge, because an attacker may have removed the challenge (RFC 9700 4.8.2). */
const judgeVerifier = (code: StoredCode, verifier: string | undefined): CodeExchangeVerdict => {
  if (code.challenge === null) {
    return verifier === undefined
      ? { _tag: "Good", code }
      : errorVerdict(
          toInvalidGrantError(
            "code_verifier: must be left out, because the authorization request had no code_challenge."
          )
        )
  }
  if (verifier === undefined) return errorVerdict(toInvalidRequestError("code_verifier: required."))
  return { _tag: matchesChallenge(verifier, code.challenge) ? "Good" : "WrongVerifier", code }
}
