import { Schema } from "effect"
import { NotImplemented, RateLimited } from "../../contract/errors.ts"
import { defineFamily } from "../../contract/operation.ts"
import { NOTIFICATION_KINDS } from "./kinds.ts"

const operation = defineFamily({ category: "meta", since: "3.13.0", openWorld: false })

const consoleOnly =
  "each account chooses for itself, and software with an access token must not make the service mail people"

export const update_notifications = operation("update_notifications", {
  summary: "Choose which notifications the calling account gets by mail",
  payload: {
    kinds: Schema.Array(Schema.Literals(NOTIFICATION_KINDS))
      .check(
        Schema.isMaxLength(NOTIFICATION_KINDS.length, { expected: `a list of at most ${NOTIFICATION_KINDS.length}` })
      )
      .annotateKey({
        documentation:
          "The kinds of events that are mailed to the account. The list replaces the previous one, and an empty list turns notifications off. Mails begin when the account's e-mail address is confirmed."
      })
  },
  success: Schema.Struct({}),
  errors: [NotImplemented],
  exposure: { consoleOnly }
})

export const request_email_verification = operation("request_email_verification", {
  summary: "Request a mail with a link that confirms the e-mail address of the calling account",
  payload: {},
  success: Schema.Struct({}),
  errors: [NotImplemented, RateLimited],
  exposure: { consoleOnly }
})

export const NotificationOperations = { update_notifications, request_email_verification }
