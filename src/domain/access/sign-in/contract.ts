import { Schema } from "effect"
import { Conflict, Forbidden, NotFound, ServerError } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { DisplayName, Email, Password } from "../operators/operator-schemas.ts"

// The main account of an operator manages the sub-accounts on the people page of the console. Each sub-account has its own password.

const operation = defineFamily({ category: "meta", since: "3.13.0", openWorld: false })

const consoleOnly =
  "only the main account decides who signs in, and the console asks for its password unless access is only taken away"

/** The main account sets this password for another account. An idempotency key never stores it. */
const GivenPassword = Password.annotateKey({ isPassword: true })

export const create_account = operation("create_account", {
  summary: "Create a sub-account",
  payload: {
    email: Email.annotateKey({ description: "The sub-account signs in with it." }),
    name: Schema.optionalKey(DisplayName).annotateKey({ description: "Default: the e-mail address." }),
    password: GivenPassword
  },
  success: Schema.Struct({ account_id: Id }),
  errors: [Forbidden, Conflict, ServerError],
  exposure: { consoleOnly }
})

export const disable_account = operation("disable_account", {
  summary: "Disable a sub-account; its sessions end and its tokens stop",
  payload: { id: Id },
  success: Schema.Struct({ sessions_ended: Schema.Int }),
  errors: [Forbidden, NotFound],
  exposure: { consoleOnly, worksWhenSuspended: true }
})

export const enable_account = operation("enable_account", {
  summary: "Enable a disabled sub-account again",
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [Forbidden, NotFound],
  exposure: { consoleOnly }
})

export const set_account_password = operation("set_account_password", {
  summary: "Give a sub-account another password; its sessions end",
  payload: { id: Id, password: GivenPassword },
  success: Schema.Struct({}),
  errors: [Forbidden, NotFound, ServerError],
  exposure: { consoleOnly }
})

export const AccountOperations = { create_account, disable_account, enable_account, set_account_password }
