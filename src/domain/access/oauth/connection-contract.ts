import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"

// The connections of applications, as people end them on the access page of the console. An application ends its own by
// revoke_oauth_authorization.

const operation = defineFamily({ category: "meta", since: "3.13.0", openWorld: false })

export const disconnect_application = operation("disconnect_application", {
  summary: "Disconnect an application; its tokens end, and what it made by the connection",
  payload: { id: Id.annotateKey({ description: "Of the connection." }) },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: { consoleOnly: "an application must not disconnect another", needsNoSubscription: true }
})

export const ConnectionOperations = { disconnect_application }
