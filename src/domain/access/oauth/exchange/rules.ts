import { Schema } from "effect"
import { BadRequest, Unauthenticated } from "../../../../contract/errors.ts"
import type { GivenCode } from "../issued.ts"
import { proves } from "../pkce.ts"
import { resourceOf } from "../resource.ts"

/** A code as it is kept, with its client. */
export const KnownCode = Schema.Struct({
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
export type KnownCode = typeof KnownCode.Type

export type Exchange =
  | { readonly _tag: "Good"; readonly code: KnownCode }
  /** The code dies of it. */
  | { readonly _tag: "WrongVerifier"; readonly code: KnownCode }
  /** It was used before: somebody has it who should not, and nobody knows which of the two. What came of it ends. */
  | { readonly _tag: "UsedTwice"; readonly code: KnownCode }
  | { readonly _tag: "Refused"; readonly error: BadRequest | Unauthenticated }

const refused = (error: BadRequest | Unauthenticated): Exchange => ({ _tag: "Refused", error })

const invalidGrant = (message: string) => new Unauthenticated({ message, oauth: "invalid_grant" })
const invalidRequest = (message: string) => new BadRequest({ message, oauth: "invalid_request" })

/** One wording for all: whoever tries codes learns nothing of them. */
export const noSuchCode = invalidGrant("code: is unknown, expired or already used.")
export const wrongVerifier = invalidGrant(
  "code_verifier: does not match the code_challenge of the authorization request."
)
export const clientGone = new Unauthenticated({
  message: "client_id: this client is disabled.",
  oauth: "invalid_client"
})

/**
 * What is to be done with a code that its client gives (RFC 6749 4.1.3). Another client's code is as if there were none: it can
 * neither use it nor end what came of it.
 */
export const judged = (known: KnownCode | undefined, given: GivenCode, publicUrl: string, now: Date): Exchange => {
  if (known === undefined || known.clientId !== given.client.id) return refused(noSuchCode)
  if (known.usedAt !== null) return isOwn(known, given) ? { _tag: "UsedTwice", code: known } : refused(noSuchCode)
  if (known.deadAt !== null || known.expiresAt <= now) return refused(noSuchCode)
  if (known.clientDisabled) return refused(clientGone)
  const error = redirectRefusal(known, given) ?? resourceRefusal(known, given, publicUrl)
  return error === undefined ? judgedByVerifier(known, given.verifier) : refused(error)
}

/**
 * Whether a used code comes from the client that it was for. A partner has proved that by its secret. The public client's id is
 * everybody's, and used codes lie in the histories of browsers: there only the verifier tells.
 */
const isOwn = ({ challenge }: KnownCode, { client, verifier }: GivenCode): boolean =>
  !client.isPublic || (challenge !== null && verifier !== undefined && proves(verifier, challenge))

/** It may be left out, as contract facts 11.3 show: what it would prove, a secret or a verifier proves. */
const redirectRefusal = ({ redirectUri }: KnownCode, given: GivenCode) =>
  given.redirectUri === undefined || given.redirectUri === redirectUri
    ? undefined
    : invalidGrant("redirect_uri: must equal the redirect_uri of the authorization request.")

/** It may say again what the consent was for (RFC 8707 2.2), and where that named none, which of ours it wants. */
const resourceRefusal = ({ resource }: KnownCode, given: GivenCode, publicUrl: string) => {
  const consented = resource === null ? undefined : resourceOf(publicUrl, resource)
  const isWithin = given.resources
    .map((each) => resourceOf(publicUrl, each))
    .every((wanted) => wanted !== undefined && (resource === null || wanted === consented))
  return isWithin
    ? undefined
    : new BadRequest({
        message: "resource: must equal the resource of the authorization request.",
        oauth: "invalid_target"
      })
}

/** A verifier without a challenge is refused: somebody took the challenge out on its way (RFC 9700 4.8.2). */
const judgedByVerifier = (code: KnownCode, verifier: string | undefined): Exchange => {
  if (code.challenge === null) {
    return verifier === undefined
      ? { _tag: "Good", code }
      : refused(
          invalidGrant("code_verifier: must be left out, because the authorization request had no code_challenge.")
        )
  }
  if (verifier === undefined) return refused(invalidRequest("code_verifier: required."))
  return { _tag: proves(verifier, code.challenge) ? "Good" : "WrongVerifier", code }
}
