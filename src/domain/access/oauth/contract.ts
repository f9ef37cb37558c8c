import { Schema } from "effect"
import { NotImplemented, RateLimited, Unauthenticated } from "../../../contract/errors.ts"
import { textUpTo } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import {
  CLIENT_NAME_LENGTH,
  FAILED_SECRET_CHECKS_MAX,
  GRANT_RENEWALS_MAX,
  GRANT_TOKENS_MAX,
  OAUTH_CODE_MS,
  OAUTH_CONNECTIONS_MAX,
  OAUTH_FIELD_LENGTH,
  OAUTH_RESOURCES_MAX,
  OAUTH_TOKEN_MS,
  REDIRECT_URI_LENGTH,
  REFRESH_GRACE_MS,
  REFRESH_TOKEN_MS,
  REGISTERED_REDIRECTS_MAX,
  REGISTRATION_LIST_MAX,
  REGISTRATION_REDIRECTS_MAX,
  REGISTRATIONS_A_MINUTE
} from "../../../platform/limits.ts"

// Specification, "Webhooks and OAuth"; contract facts 11.3. The fields are those of RFC 6749, RFC 7009 and RFC 7591.

const DAY_MS = 24 * 60 * 60 * 1000

const Field = textUpTo(OAUTH_FIELD_LENGTH)
const UriText = textUpTo(REDIRECT_URI_LENGTH)

const clientFields = {
  client_id: Schema.optionalKey(Field).annotateKey({
    documentation:
      "Id of the client. `service_mcp` is the public client. A partner can send its credentials by HTTP Basic instead. Missing credentials return 401."
  }),
  client_secret: Schema.optionalKey(Field).annotateKey({
    documentation:
      "Secret of a partner, from the administrator. Send it here or by HTTP Basic: a secret in both places returns 400. The public client has none, and a sent secret returns 401."
  })
}

const listUpTo = <Element extends Schema.Top>(element: Element, maxElements: number) =>
  Schema.Array(element).check(Schema.isMaxLength(maxElements, { expected: `a list of at most ${maxElements}` }))

const Resources = Schema.Union([listUpTo(UriText, OAUTH_RESOURCES_MAX), UriText])

const operation = defineFamily({ category: "meta", since: "3.4.0", openWorld: false })

const FORMS_DETAILS =
  "The body is JSON or `application/x-www-form-urlencoded`. The response is the envelope, with the standard's fields also at its top level. JSON requests get HTTP 200 and the result in `error_code`. Form requests get the HTTP status of the standard. An error has `error` and `error_description`."

const anonymousOperation = {
  needsNoToken: true,
  exposure: { notATool: "the specification excludes the OAuth endpoints from the tools" }
} as const

export const create_oauth_authorization = operation("create_oauth_authorization", {
  ...anonymousOperation,
  route: "POST /oauth/authorizations",
  summary: "Exchange an authorization code or a refresh token for an access token",
  details: `${FORMS_DETAILS}

- A code is valid for ${OAUTH_CODE_MS / 1000} seconds and for one use. A second use by its client ends the connection.
- A wrong \`code_verifier\` returns 401 and ends the code. A missing one returns 400, and the code stays usable.
- After ${FAILED_SECRET_CHECKS_MAX} wrong secrets or verifiers of a client within 10 minutes, its further calls return 429 until the window ends. The public client is counted per account.
- A client can repeat a renewal within ${REFRESH_GRACE_MS / 1000} seconds and gets the same tokens. Later, a used refresh token ends the connection.
- A connection can be renewed ${GRANT_RENEWALS_MAX} times an hour, then the call returns 429 with \`Retry-After\`. It has at most ${GRANT_TOKENS_MAX} valid access tokens.
- An account has at most ${OAUTH_CONNECTIONS_MAX} connected applications. One more returns 400 \`invalid_grant\`.`,
  payload: {
    grant_type: Field.annotateKey({
      documentation:
        "`authorization_code` exchanges `code`. `refresh_token` renews the tokens. Other values return 422."
    }),
    ...clientFields,
    code: Schema.optionalKey(Field).annotateKey({
      documentation: "Code from the redirect of the authorization page. Required with `authorization_code`."
    }),
    redirect_uri: Schema.optionalKey(UriText).annotateKey({
      documentation:
        "May be omitted. If sent, it must equal the `redirect_uri` of the authorization request; another address returns 401."
    }),
    code_verifier: Schema.optionalKey(Field).annotateKey({
      documentation:
        "PKCE verifier (RFC 7636). Required if the authorization request had a `code_challenge`, which the public client always needs. Otherwise it returns 401."
    }),
    refresh_token: Schema.optionalKey(Field).annotateKey({
      documentation: "The latest refresh token of the connection. Required with `refresh_token`. It can be used once."
    }),
    scope: Schema.optionalKey(Field).annotateKey({
      documentation:
        "Scope of the new access token in a renewal, `read-only` or `writable`. Default: the scope that the host granted. A wider one returns 400 `invalid_scope`. Unknown scopes are ignored."
    }),
    resource: Schema.optionalKey(Resources).annotateKey({
      documentation: `Addresses of this service at which the token will be used (RFC 8707), at most ${OAUTH_RESOURCES_MAX}. A form repeats the field. An unknown address returns \`invalid_target\`.`
    })
  },
  success: Schema.Struct({
    access_token: Schema.String.annotateKey({
      documentation: "Bearer token for REST and MCP. It stops within five seconds after it is revoked."
    }),
    refresh_token: Schema.String.annotateKey({
      documentation: `Token for the next renewal, valid for ${REFRESH_TOKEN_MS / DAY_MS} days. Each renewal returns a new one.`
    }),
    expires_in: Schema.Int.annotateKey({
      documentation: `Lifetime of the access token in seconds, ${OAUTH_TOKEN_MS / 1000} (${OAUTH_TOKEN_MS / DAY_MS} days).`
    }),
    token_type: Schema.Literal("Bearer").annotateKey({ documentation: "Always `Bearer`." }),
    scope: Schema.Literals(["read-only", "writable"]).annotateKey({
      documentation: "Scope of the access token. `writable` includes reading."
    })
  }),
  errors: [Unauthenticated, RateLimited]
})

export const revoke_oauth_authorization = operation("revoke_oauth_authorization", {
  ...anonymousOperation,
  route: "POST /oauth/revoke",
  summary: "End the connection of an access token or a refresh token",
  details: `${FORMS_DETAILS}

The connection ends with its tokens, webhooks, automation rules and property feeds. Calendars that the application imported stay. Tokens stop within five seconds.

An unknown token, or one of another client, succeeds and changes nothing (RFC 7009).`,
  payload: {
    ...clientFields,
    token: Field.annotateKey({
      documentation: "Any access token or refresh token of the connection, used and expired ones included."
    }),
    token_type_hint: Schema.optionalKey(Field).annotateKey({
      documentation: "Accepted for RFC 7009 and ignored."
    })
  },
  success: Schema.Struct({}),
  errors: [Unauthenticated, RateLimited]
})

export const create_oauth_registration = operation("create_oauth_registration", {
  ...anonymousOperation,
  // The official MCP client recognizes a refused registration by its HTTP status alone (RFC 7591 3.2.2).
  usesHttpStatus: true,
  route: "POST /oauth/registrations",
  summary: "Register redirect addresses of the public client",
  details: `Every caller gets the same public client without a secret (RFC 7591). The response has HTTP 200, and a failed registration the HTTP status of the standard, also for JSON requests.

- A network can register ${REGISTRATIONS_A_MINUTE} times a minute, then the call returns 429.
- An installation without a public client returns 501.
- The service keeps ${REGISTERED_REDIRECTS_MAX.toLocaleString("en")} addresses. It deletes the oldest ones first to which no host consented.`,
  payload: {
    redirect_uris: listUpTo(UriText, REGISTRATION_REDIRECTS_MAX)
      .check(Schema.isMinLength(1, { expected: "a list of at least one address" }))
      .annotateKey({
        documentation: `1 to ${REGISTRATION_REDIRECTS_MAX} addresses: \`https\`, \`http\` on a loopback host with any port, or the scheme of an application. A query must not name \`code\`, \`state\`, \`iss\`, \`error\`, \`error_description\` or \`error_uri\`.`
      }),
    client_name: Schema.optionalKey(textUpTo(CLIENT_NAME_LENGTH)).annotateKey({
      documentation: "Name of the client. It is returned and not stored."
    }),
    token_endpoint_auth_method: Schema.optionalKey(Field).annotateKey({
      documentation: "`none`, `client_secret_basic` or `client_secret_post`. The response always has `none`."
    }),
    grant_types: Schema.optionalKey(listUpTo(Field, REGISTRATION_LIST_MAX)).annotateKey({
      documentation: "If sent, it must contain `authorization_code`. Unknown grant types are ignored."
    }),
    response_types: Schema.optionalKey(listUpTo(Field, REGISTRATION_LIST_MAX)).annotateKey({
      documentation: "If sent, it must contain `code`."
    })
  },
  success: Schema.Struct({
    client_id: Schema.String.annotateKey({ documentation: "Always `service_mcp`, the id of the public client." }),
    client_id_issued_at: Schema.Int.annotateKey({ documentation: "Time of the registration, in seconds since 1970." }),
    redirect_uris: Schema.Array(Schema.String).annotateKey({
      documentation: "The registered addresses, as they were sent."
    }),
    token_endpoint_auth_method: Schema.Literal("none").annotateKey({
      documentation: "Always `none`, because the public client has no secret."
    }),
    grant_types: Schema.Array(Schema.String).annotateKey({
      documentation: "`authorization_code` and `refresh_token`, or those of them that were sent."
    }),
    response_types: Schema.Array(Schema.String).annotateKey({ documentation: "Always `code`." }),
    client_name: Schema.optionalKey(Schema.String).annotateKey({
      documentation: "The name that was sent. Absent if none was sent."
    })
  }),
  errors: [NotImplemented, RateLimited]
})

export const OauthOperations = { create_oauth_authorization, revoke_oauth_authorization, create_oauth_registration }
