import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { DisplayName, TOKEN_SCOPES } from "./operator-schemas.ts"

// Access tokens, as people make and end them on the access page of the console. What gives access is given by people alone: a token
// that could make tokens would outlive its own end.

const operation = defineFamily({ category: "meta", since: "3.13.0", openWorld: false })

export const create_access_token = operation("create_access_token", {
  summary: "Create an access token of one's own account",
  payload: { name: DisplayName, scope: Schema.Literals(TOKEN_SCOPES) },
  success: Schema.Struct({
    token_id: Id,
    token: Schema.optionalKey(Schema.String).annotateKey({
      description: "Shown in this one answer and never again: the answer of a repeated call has none."
    })
  }),
  exposure: { consoleOnly: "a leaked token could create other tokens, which would stay valid after it is deleted" }
})

export const revoke_access_token = operation("revoke_access_token", {
  summary: "End an access token for good",
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: { consoleOnly: "a leaked token must not delete other tokens", worksWhenSuspended: true }
})

export const AccessTokenOperations = { create_access_token, revoke_access_token }
