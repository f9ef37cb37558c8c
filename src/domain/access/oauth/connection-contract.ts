import { Schema } from "effect"
import { NotFound, RateLimited } from "../../../contract/errors.ts"
import { Id, textUpTo } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { CODE_CHALLENGE_LENGTH, OAUTH_FIELD_LENGTH, REDIRECT_URI_LENGTH } from "../../../platform/limits.ts"

const operation = defineFamily({ category: "meta", since: "3.13.0", openWorld: false })

export const connect_application = operation("connect_application", {
  summary: "Grant an application access to the account",
  payload: {
    client_id: textUpTo(OAUTH_FIELD_LENGTH),
    redirect_uri: textUpTo(REDIRECT_URI_LENGTH).annotateKey({
      description: "An address that the client registered, to which the browser goes with the code."
    }),
    scope: Schema.Literals(["read-only", "writable"]),
    code_challenge: Schema.optionalKey(textUpTo(CODE_CHALLENGE_LENGTH)).annotateKey({
      description: "S256 of the verifier (RFC 7636). Required for the public client."
    }),
    resource: Schema.optionalKey(textUpTo(REDIRECT_URI_LENGTH)).annotateKey({
      description: "An address of this service at which the token is to be used (RFC 8707)."
    })
  },
  success: Schema.Struct({
    code: Schema.optionalKey(Schema.String).annotateKey({
      description:
        "The authorization code, which the client exchanges for tokens. Shown once: the answer of a repeated call has none."
    })
  }),
  errors: [NotFound, RateLimited],
  exposure: { consoleOnly: "only a signed-in person can consent for the operator" }
})

export const disconnect_application = operation("disconnect_application", {
  summary: "Disconnect an application; its tokens end, and what it made by the connection",
  payload: { id: Id.annotateKey({ description: "Of the connection." }) },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: { consoleOnly: "an application must not disconnect other applications", worksWhenSuspended: true }
})

export const ConnectionOperations = { connect_application, disconnect_application }
