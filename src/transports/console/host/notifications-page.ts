import { Effect } from "effect"
import { NOTIFICATION_KINDS } from "../../../domain/notifications/kinds.ts"
import { MailEnabled } from "../../../platform/mail/Mailer.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { TEXTS } from "../console-texts.ts"
import { NotificationChoices, type OwnChoices } from "../queries/NotificationChoices.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeVoidMutation } from "./api-operations.ts"
import { actionForm, checkboxGroup, makeMultiFieldFiller } from "./form-fields.ts"
import { type ActionRedirect, type FailedSubmission, makeHostPage } from "./host-page.ts"
import { badge, section } from "./page-parts.ts"
import { NOTIFICATIONS_PATH } from "./urls.ts"

const { notifications: texts } = TEXTS

const KINDS_FIELD = "kinds"
const CHOOSE_ACTION = "choose_notifications"
const BACK_TO_NOTIFICATIONS: ActionRedirect = { _tag: "GoOn", url: NOTIFICATIONS_PATH }

const addressSection = (visit: SignedInVisit, { email, is_verified }: OwnChoices): Html =>
  section(
    texts.address,
    html`<p>${email} ${is_verified ? badge(texts.verified, "good") : badge(texts.unverified, "wait")}</p>
${
  is_verified
    ? nothing
    : html`<p>${texts.verificationExplanation}</p>
${actionForm(visit, { action: "verify_address", label: texts.requestVerification })}`
}`
  )

/** Choices can be made before the address is confirmed. They take effect afterwards. */
const choicesSection = (visit: SignedInVisit, { kinds }: OwnChoices, failedSubmission?: FailedSubmission): Html =>
  section(
    texts.choices,
    html`${actionForm(visit, {
      action: CHOOSE_ACTION,
      label: texts.save,
      fields: checkboxGroup({
        name: KINDS_FIELD,
        legend: texts.choices,
        options: NOTIFICATION_KINDS.map((kind) => ({ value: kind, label: texts.kinds[kind] })),
        selected: makeMultiFieldFiller(failedSubmission, CHOOSE_ACTION)(KINDS_FIELD, kinds)
      })
    })}<p class="soft">${texts.gatheringNote}</p>
`
  )

export const makeNotificationsPage = Effect.gen(function* () {
  const [choices, isEnabled, service] = [yield* NotificationChoices, yield* MailEnabled, yield* Service]
  const mutate = makeVoidMutation(service)
  return makeHostPage({
    path: NOTIFICATIONS_PATH,
    show: (visit, failedSubmission) =>
      isEnabled
        ? Effect.map(choices.load, (own) => ({
            title: texts.title,
            body: html`${addressSection(visit, own)}${choicesSection(visit, own, failedSubmission)}`
          }))
        : Effect.succeed({ title: texts.title, body: html`<p>${texts.mailDisabled}</p>` }),
    actions: {
      verify_address: {
        doneMessage: texts.verificationRequested,
        run: (visit, form) => Effect.as(mutate(visit, form, "request_email_verification", {}), BACK_TO_NOTIFICATIONS)
      },
      [CHOOSE_ACTION]: {
        doneMessage: texts.saved,
        run: (visit, form) =>
          Effect.as(
            mutate(visit, form, "update_notifications", { kinds: form.getAll(KINDS_FIELD) }),
            BACK_TO_NOTIFICATIONS
          )
      }
    },
    doneMessages: { [EMAIL_VERIFIED_DONE]: TEXTS.verification.verified }
  })
})

/** The query parameter `done` of the redirect after a mailed link. */
export const EMAIL_VERIFIED_DONE = "email_verified"
