import { Effect, Option, Schema } from "effect"
import type { CurrentActor } from "../../../../contract/actor.ts"
import { test_webhook } from "../../../../domain/webhooks/delivery-log/contract.ts"
import type { OperationName } from "../../../../service/Api.ts"
import { Service } from "../../../../service/service.ts"
import type { ActionError, ActionOutcome } from "../../action-outcome.ts"
import { TEXTS } from "../../console-texts.ts"
import { callOperation, idempotencyKeyOf } from "../../operation-call.ts"
import type { WebhookDetails } from "../../queries/Webhooks.ts"
import { makeSudo } from "../../sudo.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { testEventResult } from "./delivery-attempts.ts"
import { newSecretMessage, webhookUrl } from "./webhook-parts.ts"

const WEBHOOK_TEXTS = TEXTS.access.webhooks

export const CHANGE_WEBHOOK_ACTION = "change_webhook"

type WebhookAction = (
  visit: SignedInVisit,
  form: SubmittedForm,
  webhook: WebhookDetails
) => Effect.Effect<ActionOutcome, never, CurrentActor>

type DoneMessageKey = keyof typeof TEXTS.access.done

const makeActionDone = (messageKey: DoneMessageKey): ActionOutcome => ({ _tag: "Done", messageKey })

const removalNotConfirmedError: ActionError = {
  _tag: "Refused",
  status: 422,
  message: WEBHOOK_TEXTS.removalNotConfirmed
}

const RESEND_MESSAGES = {
  healthy: "delivery_sent_again",
  failing: "delivery_sent_again",
  resting: "delivery_waits_for_rest",
  probing: "delivery_waits_for_rest",
  paused: "delivery_waits_for_resume"
} as const

type ErrorTexts = Partial<Record<ActionError["status"], string>>

const withErrorText = (error: ActionError, texts: ErrorTexts): ActionError => ({
  ...error,
  message: texts[error.status] ?? error.message
})

const decodeTestResult = Schema.decodeUnknownSync(Schema.toCodecJson(test_webhook.successSchema))

const makeOperationAction =
  (service: Service["Service"]) =>
  (
    operation: OperationName,
    toFields: (form: SubmittedForm, webhook: WebhookDetails) => Schema.JsonObject,
    toOutcome: (data: Schema.Json, webhook: WebhookDetails) => ActionOutcome,
    texts: ErrorTexts = {}
  ): WebhookAction =>
  (visit, form, webhook) =>
    Effect.map(callOperation(service, visit, operation, toFields(form, webhook), idempotencyKeyOf(form)), (outcome) =>
      outcome._tag === "Ok"
        ? toOutcome(outcome.data, webhook)
        : withErrorText(outcome, { 404: WEBHOOK_TEXTS.noSuch, ...texts })
    )

const toIdField = (_form: SubmittedForm, { id }: WebhookDetails) => ({ id })

const makePlainActions = (makeAction: ReturnType<typeof makeOperationAction>) => {
  const removeWebhook = makeAction("delete_webhook", toIdField, () => makeActionDone("webhook_deleted"))
  return {
    pause_webhook: makeAction("pause_webhook", toIdField, () => makeActionDone("webhook_paused"), {
      409: WEBHOOK_TEXTS.alreadyPaused
    }),
    resume_webhook: makeAction("update_webhook", toIdField, () => makeActionDone("webhook_resumed")),
    delete_webhook: (...[visit, form, webhook]: Parameters<WebhookAction>) =>
      form.get("sure") === "yes" ? removeWebhook(visit, form, webhook) : Effect.succeed(removalNotConfirmedError),
    test_webhook: makeAction(
      "test_webhook",
      toIdField,
      (data, { url }) => ({ _tag: "Shown", html: testEventResult(decodeTestResult(data), url) }),
      { 429: WEBHOOK_TEXTS.testTooMany }
    ),
    replay_delivery: makeAction(
      "replay_webhook_delivery",
      (form) => ({ id: form.get("delivery") ?? "" }),
      (_data, { health }) => makeActionDone(RESEND_MESSAGES[health.state]),
      { 404: WEBHOOK_TEXTS.notReplayable, 409: WEBHOOK_TEXTS.notReplayable }
    )
  }
}

export const makeWebhookActions = Effect.gen(function* () {
  const [makeAction, sudo] = [makeOperationAction(yield* Service), yield* makeSudo]

  /** Requires the password, because `action` can send events to another URL or change the signing secret. */
  const withPassword =
    (action: WebhookAction): WebhookAction =>
    (visit, form, webhook) =>
      Effect.flatMap(sudo.checkPassword(visit, form), (passwordError) =>
        Option.isSome(passwordError) ? Effect.succeed(passwordError.value) : action(visit, form, webhook)
      )

  const changeWebhook = makeAction(
    "update_webhook",
    (form, { id }) => ({ id, url: form.get("url") ?? "", events: form.getAll("events") }),
    () => makeActionDone("webhook_changed")
  )
  const rotateSecret = makeAction("rotate_webhook_secret", toIdField, (data, { id }) => ({
    _tag: "Shown",
    html: newSecretMessage(data, WEBHOOK_TEXTS.rotatedSecretMessage, webhookUrl(id))
  }))
  return new Map<string, WebhookAction>([
    [CHANGE_WEBHOOK_ACTION, withPassword(changeWebhook)],
    ["rotate_webhook_secret", withPassword(rotateSecret)],
    ...Object.entries(makePlainActions(makeAction))
  ])
})
