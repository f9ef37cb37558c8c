import { DateTime, Effect, Option, Redacted } from "effect"
import { accessError } from "../../../../admission/gate/token-access.ts"
import { type Bucket, windowOf } from "../../../../admission/windows/rate-window.ts"
import type { CurrentActor } from "../../../../contract/actor.ts"
import { type ApiError, errorCode } from "../../../../contract/errors.ts"
import { TestEvents } from "../../../../domain/webhooks/deliveries/TestEvents.ts"
import {
  type HostWebhook,
  HostWebhooks,
  notReplayableError
} from "../../../../domain/webhooks/subscriptions/HostWebhooks.ts"
import { BUSY_RETRY_SECONDS, WEBHOOK_TESTS_A_MINUTE } from "../../../../platform/limits.ts"
import { Service } from "../../../../service/service.ts"
import { makeRateLimiter } from "../../../pages/rate-limiter.ts"
import type { ActionError, ActionOutcome } from "../../action-outcome.ts"
import { TEXTS } from "../../console-texts.ts"
import { callOperation, idempotencyKeyOf, toPageStatus } from "../../operation-call.ts"
import { makeSudo } from "../../sudo.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { testEventResult } from "./delivery-attempts.ts"
import { repeatedSecretMessage, secretMessage, webhookUrl } from "./webhook-parts.ts"

const WEBHOOK_TEXTS = TEXTS.access.webhooks

/** The name of the form of its settings. */
export const CHANGE_WEBHOOK_ACTION = "change_webhook"

/** What a form of the page does with the webhook that the page is of, which who sent it may see. */
export type WebhookAction = (
  visit: SignedInVisit,
  form: SubmittedForm,
  webhook: HostWebhook
) => Effect.Effect<ActionOutcome, never, CurrentActor>

const makeActionError = (status: ActionError["status"], message: string, retryAfter?: number): ActionError => ({
  _tag: "Refused",
  status,
  message,
  ...(retryAfter === undefined ? {} : { retryAfter })
})

/** Returns the console's text for a failure. */
const toErrorMessage = (error: ApiError): string => {
  if (error._tag === "NotFound") return WEBHOOK_TEXTS.noSuch
  return error.message === notReplayableError.message ? WEBHOOK_TEXTS.notReplayable : error.message
}

const toActionError = (error: ApiError): Effect.Effect<ActionOutcome> =>
  Effect.succeed(makeActionError(toPageStatus(errorCode(error)), toErrorMessage(error)))

const makeActionDone = (messageKey: keyof typeof TEXTS.access.done): ActionOutcome => ({ _tag: "Done", messageKey })

const testEventBucket = (operatorId: number): Bucket => ({
  key: `{op:${operatorId}}:webhook_test`,
  scope: "webhook_test",
  window: windowOf("1m"),
  max: WEBHOOK_TESTS_A_MINUTE
})

/** What becomes of a delivery that is to be sent again, by how its webhook stands: not all of them are sent to now. */
const RESEND_MESSAGES = {
  healthy: "delivery_sent_again",
  failing: "delivery_sent_again",
  resting: "delivery_waits_for_rest",
  probing: "delivery_waits_for_rest",
  paused: "delivery_waits_for_resume"
} as const

/** What the account may not do by the API, as it stands, it may not do here. */
const runIfEntitled = <E>({ session: { person } }: SignedInVisit, action: Effect.Effect<ActionOutcome, never, E>) =>
  Effect.flatMap(DateTime.now, (now) => {
    const { caller, status, subscriptionUntil } = person
    const accountStatus = { ...caller, status, subscriptionUntil }
    const accountError = accessError(accountStatus, { isRead: false, now: DateTime.toEpochMillis(now) })
    return Option.isSome(accountError)
      ? Effect.succeed<ActionOutcome>(makeActionError(403, accountError.value.message))
      : action
  })

/** What goes through the API, as its caller would. */
const makeOperationActions = Effect.gen(function* () {
  const [service, sudo] = [yield* Service, yield* makeSudo]

  const updateWebhook = (
    visit: SignedInVisit,
    form: SubmittedForm,
    fields: Parameters<typeof callOperation>[3],
    messageKey: keyof typeof TEXTS.access.done
  ) =>
    Effect.map(
      callOperation(service, visit, "update_webhook", fields, idempotencyKeyOf(form)),
      (outcome): ActionOutcome => (outcome._tag === "Ok" ? makeActionDone(messageKey) : outcome)
    )

  /** Asks for the password, as adding a webhook does, because events may go to a new address afterwards. */
  const changeWebhook: WebhookAction = Effect.fnUntraced(function* (visit, form, { id }) {
    const passwordError = yield* sudo.checkPassword(visit, form)
    if (Option.isSome(passwordError)) return passwordError.value
    const fields = { id, url: form.get("url") ?? "", events: form.getAll("events") }
    return yield* updateWebhook(visit, form, fields, "webhook_changed")
  })

  const resumeWebhook: WebhookAction = (visit, form, { id }) => updateWebhook(visit, form, { id }, "webhook_resumed")

  const deleteWebhook: WebhookAction = (visit, form, { id }) =>
    form.get("sure") === "yes"
      ? Effect.map(
          callOperation(service, visit, "delete_webhook", { id }, idempotencyKeyOf(form)),
          (outcome): ActionOutcome => (outcome._tag === "Ok" ? makeActionDone("webhook_deleted") : outcome)
        )
      : Effect.succeed(makeActionError(422, WEBHOOK_TEXTS.removalNotConfirmed))

  return { change: changeWebhook, resume: resumeWebhook, remove: deleteWebhook }
})

/** What only pages do. */
const makeDirectActions = Effect.gen(function* () {
  const [webhooks, tests, checkRateLimit] = [yield* HostWebhooks, yield* TestEvents, yield* makeRateLimiter]
  const sudo = yield* makeSudo

  /** Also of an account that may do nothing else: what it gives out can always be stopped. */
  const pauseWebhook: WebhookAction = (visit, _form, { id }) =>
    Effect.map(webhooks.pause(visit.session.person.caller, id), (isPaused) =>
      isPaused ? makeActionDone("webhook_paused") : makeActionError(409, WEBHOOK_TEXTS.alreadyPaused)
    )

  /** Not by the API, where any change resumes: a pause is ended by nothing but what says so. */
  const rotateSecret: WebhookAction = (visit, form, { id }) =>
    runIfEntitled(
      visit,
      Effect.gen(function* () {
        const passwordError = yield* sudo.checkPassword(visit, form)
        if (Option.isSome(passwordError)) return passwordError.value
        const secret = yield* webhooks.rotate(visit.session.person.caller, id, idempotencyKeyOf(form))
        const outcome: ActionOutcome = {
          _tag: "Shown",
          html: Option.match(secret, {
            onNone: () => repeatedSecretMessage,
            onSome: (newSecret) =>
              secretMessage(Redacted.value(newSecret), WEBHOOK_TEXTS.rotatedSecretMessage, webhookUrl(id))
          })
        }
        return outcome
      }).pipe(Effect.catch(toActionError))
    )

  const sendTestEvent: WebhookAction = (visit, _form, { id, url }) =>
    runIfEntitled(
      visit,
      Effect.gen(function* () {
        const { operatorId } = visit.session.person.caller
        const testOutcome = yield* tests.send({ operatorId, id }, checkRateLimit(testEventBucket(operatorId)))
        switch (testOutcome._tag) {
          case "Tried":
            return { _tag: "Shown", html: testEventResult(testOutcome, url) }
          case "Gone":
            return makeActionError(404, WEBHOOK_TEXTS.noSuch)
          case "TooMany":
            return makeActionError(429, WEBHOOK_TEXTS.testTooMany, testOutcome.seconds)
          case "Busy":
            return makeActionError(503, WEBHOOK_TEXTS.testBusy, BUSY_RETRY_SECONDS)
        }
      })
    )

  const resendDelivery: WebhookAction = (visit, form, webhook) =>
    runIfEntitled(
      visit,
      webhooks
        .sendAgain(visit.session.person.caller, webhook, form.get("delivery") ?? "", idempotencyKeyOf(form))
        .pipe(Effect.as(makeActionDone(RESEND_MESSAGES[webhook.health.state])), Effect.catch(toActionError))
    )

  return { pause: pauseWebhook, rotate: rotateSecret, test: sendTestEvent, sendAgain: resendDelivery }
})

/** The forms of the page of a webhook, by what their button says. */
export const makeWebhookActions = Effect.gen(function* () {
  const [{ change, resume, remove }, { pause, rotate, test, sendAgain }] = [
    yield* makeOperationActions,
    yield* makeDirectActions
  ]
  return new Map<string, WebhookAction>([
    [CHANGE_WEBHOOK_ACTION, change],
    ["pause_webhook", pause],
    ["resume_webhook", resume],
    ["rotate_webhook_secret", rotate],
    ["delete_webhook", remove],
    ["test_webhook", test],
    ["replay_delivery", sendAgain]
  ])
})
