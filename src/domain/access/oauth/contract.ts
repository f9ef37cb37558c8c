import { Schema } from "effect"
import { NotImplemented, RateLimited, Unauthenticated } from "../../../contract/errors.ts"
import { textUpTo } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import {
  CLIENT_NAME_LENGTH,
  OAUTH_FIELD_LENGTH,
  OAUTH_RESOURCES_MAX,
  REDIRECT_URI_LENGTH,
  REGISTRATION_LIST_MAX,
  REGISTRATION_REDIRECTS_MAX
} from "../../../platform/limits.ts"

// Where tokens come from and where they end (specification, Webhooks and OAuth; contract facts 11.3). Fields are those of RFC 6749,
// 7009 and 7591. Who calls has no token yet: a client says who it is by its id and secret, or by the verifier of a code.

const Field = textUpTo(OAUTH_FIELD_LENGTH)
const UriText = textUpTo(REDIRECT_URI_LENGTH)

/** Which client calls; a partner may say it by HTTP Basic instead. */
const clientFields = { client_id: Schema.optionalKey(Field), client_secret: Schema.optionalKey(Field) }

const listUpTo = <Element extends Schema.Top>(element: Element, most: number) =>
  Schema.Array(element).check(Schema.isMaxLength(most, { expected: `a list of at most ${most}` }))

/** One address stands for a list of it. */
const Resources = Schema.Union([listUpTo(UriText, OAUTH_RESOURCES_MAX), UriText])

const operation = defineFamily({ category: "meta", since: "3.4.0", openWorld: false })

const anonymousOperation = {
  needsNoToken: true,
  exposure: { notATool: "the specification excludes the OAuth endpoints from the tools" }
} as const

export const create_oauth_authorization = operation("create_oauth_authorization", {
  ...anonymousOperation,
  route: "POST /oauth/authorizations",
  summary: "Exchange an authorization code, or a refresh token, for an access token",
  payload: {
    grant_type: Field.annotateKey({ description: "`authorization_code` or `refresh_token`." }),
    ...clientFields,
    code: Schema.optionalKey(Field),
    redirect_uri: Schema.optionalKey(UriText).annotateKey({
      description: "As it was in the request for the code; a partner may leave it out."
    }),
    code_verifier: Schema.optionalKey(Field).annotateKey({
      description: "Where the request for the code had a code_challenge (RFC 7636)."
    }),
    refresh_token: Schema.optionalKey(Field),
    scope: Schema.optionalKey(Field).annotateKey({ description: "Less than the host gave, for the new access token." }),
    resource: Schema.optionalKey(Resources).annotateKey({
      description: "What the token is to be used at; in a form it may come several times (RFC 8707 2)."
    })
  },
  success: Schema.Struct({
    access_token: Schema.String,
    refresh_token: Schema.String,
    expires_in: Schema.Int.annotateKey({ description: "Seconds." }),
    token_type: Schema.Literal("Bearer"),
    scope: Schema.Literals(["read-only", "writable"])
  }),
  errors: [Unauthenticated, RateLimited]
})

export const revoke_oauth_authorization = operation("revoke_oauth_authorization", {
  ...anonymousOperation,
  route: "POST /oauth/revoke",
  summary: "Disconnect the host that an access token or a refresh token is of",
  payload: {
    ...clientFields,
    token: Field,
    token_type_hint: Schema.optionalKey(Field)
  },
  success: Schema.Struct({}),
  errors: [Unauthenticated, RateLimited]
})

export const create_oauth_registration = operation("create_oauth_registration", {
  ...anonymousOperation,
  // The official MCP client recognizes a refused registration by its HTTP status alone (RFC 7591 3.2.2).
  usesHttpStatus: true,
  route: "POST /oauth/registrations",
  summary: "Register the addresses of an MCP client; it is told the client_id of the public client",
  payload: {
    redirect_uris: listUpTo(UriText, REGISTRATION_REDIRECTS_MAX).check(
      Schema.isMinLength(1, { expected: "a list of at least one address" })
    ),
    client_name: Schema.optionalKey(textUpTo(CLIENT_NAME_LENGTH)),
    token_endpoint_auth_method: Schema.optionalKey(Field).annotateKey({
      description: "`none`, `client_secret_basic` or `client_secret_post`; the answer is always `none`."
    }),
    grant_types: Schema.optionalKey(listUpTo(Field, REGISTRATION_LIST_MAX)),
    response_types: Schema.optionalKey(listUpTo(Field, REGISTRATION_LIST_MAX))
  },
  success: Schema.Struct({
    client_id: Schema.String,
    client_id_issued_at: Schema.Int.annotateKey({ description: "Seconds since 1970." }),
    redirect_uris: Schema.Array(Schema.String),
    token_endpoint_auth_method: Schema.Literal("none"),
    grant_types: Schema.Array(Schema.String),
    response_types: Schema.Array(Schema.String),
    client_name: Schema.optionalKey(Schema.String)
  }),
  errors: [NotImplemented, RateLimited]
})

export const OauthOperations = { create_oauth_authorization, revoke_oauth_authorization, create_oauth_registration }
