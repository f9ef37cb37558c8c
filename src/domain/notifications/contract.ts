import { Schema } from "effect"
import { NotImplemented, RateLimited } from "../../contract/errors.ts"
import { defineFamily } from "../../contract/operation.ts"
import { NOTIFICATION_KINDS } from "./kinds.ts"

const operation = defineFamily({ category: "meta", since: "3.13.0", openWorld: false })

const consoleOnly = "each account chooses for itself, and a token must not send mails to people"

export const update_notifications = operation("update_notifications", {
  summary: "Choose the notifications of the own account",
  payload: {
    kinds: Schema.Array(Schema.Literals(NOTIFICATION_KINDS))
      .check(Schema.isMaxLength(NOTIFICATION_KINDS.length))
      .annotateKey({
        documentation: "The kinds of events that are mailed to the account. An empty list turns notifications off."
      })
  },
  success: Schema.Struct({}),
  errors: [NotImplemented],
  exposure: { consoleOnly }
})

export const request_email_verification = operation("request_email_verification", {
  summary: "Request a mail that confirms the own e-mail address",
  payload: {},
  success: Schema.Struct({}),
  errors: [NotImplemented, RateLimited],
  exposure: { consoleOnly }
})

export const NotificationOperations = { update_notifications, request_email_verification }
