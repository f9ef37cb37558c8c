import { Schema } from "effect"
import { Conflict, Forbidden, NotFound, ServerError } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { DisplayName, Email, Password } from "../operators/operator-schemas.ts"

const operation = defineFamily({ category: "meta", since: "3.13.0", openWorld: false })

const consoleOnly =
  "only the main account decides who signs in, and the console asks for its password unless access is only taken away"

const GivenPassword = Password.annotateKey({
  isPassword: true,
  documentation: "New password of the sub-account. An idempotency key never stores it."
})

const SubAccountId = Id.annotateKey({ documentation: "Id of the sub-account." })

export const create_account = operation("create_account", {
  summary: "Create a sub-account",
  payload: {
    email: Email.annotateKey({ documentation: "E-mail address with which the sub-account signs in." }),
    name: Schema.optionalKey(DisplayName).annotateKey({
      documentation: "Name of the sub-account. Default: the e-mail address."
    }),
    password: GivenPassword
  },
  success: Schema.Struct({ account_id: Id.annotateKey({ documentation: "Id of the new sub-account." }) }),
  errors: [Forbidden, Conflict, ServerError],
  exposure: { consoleOnly }
})

export const disable_account = operation("disable_account", {
  summary: "Disable a sub-account; its sessions end and its tokens stop",
  payload: { id: SubAccountId },
  success: Schema.Struct({
    sessions_ended: Schema.Int.annotateKey({ documentation: "Number of sessions that ended." })
  }),
  errors: [Forbidden, NotFound],
  exposure: { consoleOnly, worksWhenSuspended: true }
})

export const enable_account = operation("enable_account", {
  summary: "Enable a disabled sub-account again",
  payload: { id: SubAccountId },
  success: Schema.Struct({}),
  errors: [Forbidden, NotFound],
  exposure: { consoleOnly }
})

export const set_account_password = operation("set_account_password", {
  summary: "Set the password of a sub-account; its sessions end",
  payload: { id: SubAccountId, password: GivenPassword },
  success: Schema.Struct({}),
  errors: [Forbidden, NotFound, ServerError],
  exposure: { consoleOnly }
})

export const AccountOperations = { create_account, disable_account, enable_account, set_account_password }
