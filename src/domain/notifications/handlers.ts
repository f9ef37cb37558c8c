import { Effect } from "effect"
import { CurrentCaller } from "../../contract/caller.ts"
import { NotImplemented, RateLimited } from "../../contract/errors.ts"
import { MailEnabled } from "../../platform/mail/Mailer.ts"
import { handleOperations, layerOperations, voidChangeHandler } from "../operation-handlers.ts"
import { NotificationOperations, type update_notifications } from "./contract.ts"
import { NotificationStore } from "./store.ts"

const mailDisabledError = new NotImplemented({
  message: "This installation sends no mail. Its administrator can set SMTP_URL."
})
const tooManyMailsError = new RateLimited({
  message: "The address got several of these mails within the last hour. Use the link of the latest one, or wait.",
  headers: {}
})

const requireMail = <A, E, R>(
  isEnabled: boolean,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | NotImplemented, R> => (isEnabled ? work : mailDisabledError)

const updateNotifications = (store: NotificationStore["Service"], isEnabled: boolean) =>
  Effect.fnUntraced(function* ({ kinds }: typeof update_notifications.payloadSchema.Type) {
    yield* requireMail(isEnabled, store.updateKinds(yield* CurrentCaller, kinds))
  })

const requestEmailVerification = (store: NotificationStore["Service"], isEnabled: boolean) =>
  Effect.fnUntraced(function* () {
    const isQueued = yield* requireMail(isEnabled, store.requestVerification(yield* CurrentCaller))
    if (!isQueued) return yield* tooManyMailsError
  })

export const layerNotifications = layerOperations(
  Effect.map(Effect.all([NotificationStore, MailEnabled]), ([store, isEnabled]) =>
    handleOperations(NotificationOperations, {
      update_notifications: voidChangeHandler(updateNotifications(store, isEnabled)),
      request_email_verification: voidChangeHandler(requestEmailVerification(store, isEnabled))
    })
  )
)
