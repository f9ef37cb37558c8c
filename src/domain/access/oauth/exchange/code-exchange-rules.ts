import { Schema } from "effect"
import { BadRequest, Unauthenticated } from "../../../../contract/errors.ts"
import { matchesChallenge } from "../pkce.ts"
import { findProtectedResource } from "../protected-resource.ts"
import type { CodeExchangeRequest } from "../token-requests.ts"

/** A code as it is kept, with its client. */
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
  /** What came of it. */
  grantId: Schema.NullOr(Schema.Int)
})
export type StoredCode = typeof StoredCode.Type

type CodeExchangeVerdict =
  | { readonly _tag: "Good"; readonly code: StoredCode }
  /** The code dies of it. */
  | { readonly _tag: "WrongVerifier"; readonly code: StoredCode }
  /** It was used before: somebody has it who should not, and nobody knows which of the two. What came of it ends. */
  | { readonly _tag: "UsedTwice"; readonly code: StoredCode }
  | { readonly _tag: "Refused"; readonly error: BadRequest | Unauthenticated }

const errorVerdict = (error: BadRequest | Unauthenticated): CodeExchangeVerdict => ({ _tag: "Refused", error })

const toInvalidGrantError = (message: string) => new Unauthenticated({ message, oauthErrorCode: "invalid_grant" })
const toInvalidRequestError = (message: string) => new BadRequest({ message, oauthErrorCode: "invalid_request" })

/** One wording for all: whoever tries codes learns nothing of them. */
export const unknownCodeError = toInvalidGrantError("code: is unknown, expired or already used.")
export const wrongVerifierError = toInvalidGrantError(
  "code_verifier: does not match the code_challenge of the authorization request."
)
export const clientDisabledError = new Unauthenticated({
  message: "client_id: this client is disabled.",
  oauthErrorCode: "invalid_client"
})

/**
 * What is to be done with a code that its client gives (RFC 6749 4.1.3). Another client's code is as if there were none: it can
 * neither use it nor end what came of it.
 */
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
 * Whether a used code comes from the client that it was for. A partner has proved that by its secret. The public client's id is
 * everybody's, and used codes lie in the histories of browsers: there only the verifier tells.
 */
const isOwnCode = ({ challenge }: StoredCode, { client, verifier }: CodeExchangeRequest): boolean =>
  !client.isPublic || (challenge !== null && verifier !== undefined && matchesChallenge(verifier, challenge))

/** It may be left out, as contract facts 11.3 show: what it would prove, a secret or a verifier proves. */
const findRedirectUriError = ({ redirectUri }: StoredCode, request: CodeExchangeRequest) =>
  request.redirectUri === undefined || request.redirectUri === redirectUri
    ? undefined
    : toInvalidGrantError("redirect_uri: must equal the redirect_uri of the authorization request.")

/** It may say again what the consent was for (RFC 8707 2.2), and where that named none, which of ours it wants. */
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

/** A verifier without a challenge is refused: somebody took the challenge out on its way (RFC 9700 4.8.2). */
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
