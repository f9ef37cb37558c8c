import { Result } from "effect"
import { ValidationFailed } from "../../../contract/errors.ts"
import type { create_oauth_registration } from "./contract.ts"
import { validateRedirectUri } from "./redirect-uri.ts"

type RegistrationRequest = typeof create_oauth_registration.payloadSchema.Type

export const GRANT_TYPES = ["authorization_code", "refresh_token"] as const
const RESPONSE_TYPE = "code"
const NO_SECRET = "none"
/** The response always contains `none`, because only partners have a secret. */
export const AUTH_METHODS: ReadonlyArray<string> = [NO_SECRET, "client_secret_basic", "client_secret_post"]

interface Registration {
  readonly redirect_uris: ReadonlyArray<string>
  readonly token_endpoint_auth_method: typeof NO_SECRET
  readonly grant_types: ReadonlyArray<string>
  readonly response_types: ReadonlyArray<string>
  readonly client_name?: string
}

/** A client that asks for a secret gets {@link NO_SECRET} instead, which RFC 7591 3.2.1 allows. */
export const toRegistration = (request: RegistrationRequest): Result.Result<Registration, ValidationFailed> => {
  const { redirect_uris, token_endpoint_auth_method: method = NO_SECRET, client_name } = request
  const error = findInvalidRedirectUri(redirect_uris) ?? findUnsupportedMetadata(request, method)
  if (error !== undefined) return Result.fail(error)
  return Result.succeed({
    redirect_uris,
    token_endpoint_auth_method: NO_SECRET,
    grant_types: GRANT_TYPES.filter((each) => request.grant_types?.includes(each) ?? true),
    response_types: [RESPONSE_TYPE],
    ...(client_name === undefined ? {} : { client_name })
  })
}

const findInvalidRedirectUri = (uris: RegistrationRequest["redirect_uris"]): ValidationFailed | undefined => {
  for (const [index, uri] of uris.entries()) {
    const checked = validateRedirectUri(uri, "public")
    if (Result.isFailure(checked)) {
      const message = `redirect_uris[${index}]: ${checked.failure}`
      return new ValidationFailed({ message, oauthErrorCode: "invalid_redirect_uri" })
    }
  }
  return undefined
}

const findUnsupportedMetadata = (
  { grant_types, response_types }: RegistrationRequest,
  method: string
): ValidationFailed | undefined => {
  if (!AUTH_METHODS.includes(method)) {
    return toInvalidMetadataError(`token_endpoint_auth_method: must be one of ${AUTH_METHODS.join(", ")}.`)
  }
  if (grant_types?.includes("authorization_code") === false) {
    return toInvalidMetadataError("grant_types: must have authorization_code among them.")
  }
  return response_types?.includes(RESPONSE_TYPE) === false
    ? toInvalidMetadataError("response_types: must have code among them.")
    : undefined
}

const toInvalidMetadataError = (message: string) =>
  new ValidationFailed({ message, oauthErrorCode: "invalid_client_metadata" })
