import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { DisplayName, TOKEN_SCOPES } from "./operator-schemas.ts"

const operation = defineFamily({ category: "meta", since: "3.13.0", openWorld: false })

export const create_access_token = operation("create_access_token", {
  summary: "Create an access token of the own account",
  payload: {
    name: DisplayName.annotateKey({ documentation: "Name of the token, which the activity log shows." }),
    scope: Schema.Literals(TOKEN_SCOPES).annotateKey({
      documentation: "`read-only` or `writable`. The scope of a token cannot change later."
    })
  },
  success: Schema.Struct({
    token_id: Id.annotateKey({ documentation: "Id of the new token." }),
    token: Schema.optionalKey(Schema.String).annotateKey({
      documentation: "The token, shown once. The response of a repeated call has none."
    })
  }),
  exposure: { consoleOnly: "a leaked token could create other tokens, which would stay valid after it is deleted" }
})

export const revoke_access_token = operation("revoke_access_token", {
  summary: "Delete an access token",
  payload: { id: Id.annotateKey({ documentation: "Id of the token." }) },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: { consoleOnly: "a leaked token must not delete other tokens", worksWhenSuspended: true }
})

export const AccessTokenOperations = { create_access_token, revoke_access_token }
