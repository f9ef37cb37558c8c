import { DateTime, Effect, Option, Redacted } from "effect"
import { refusalOf } from "../../../../admission/gate/entitlement.ts"
import { type Bucket, windowOf } from "../../../../admission/windows/window.ts"
import type { Acting } from "../../../../contract/acting.ts"
import { type ApiError, errorCode } from "../../../../contract/errors.ts"
import { TestEvents } from "../../../../domain/webhooks/deliveries/TestEvents.ts"
import {
  type HostWebhook,
  HostWebhooks,
  notReplayable
} from "../../../../domain/webhooks/subscriptions/HostWebhooks.ts"
import { BUSY_RETRY_SECONDS, WEBHOOK_TESTS_A_MINUTE } from "../../../../platform/limits.ts"
import { Service } from "../../../../service/service.ts"
import { makeCounting } from "../../../pages/counting.ts"
import { callAs, idempotencyKeyOf, statusOf } from "../../calling.ts"
import type { Outcome, Refused } from "../../outcome.ts"
import { makeSudo } from "../../sudo.ts"
import { TEXTS } from "../../texts.ts"
import type { Form, SignedInVisit } from "../../visit.ts"
import { testShown } from "./answers.ts"
import { repeatedSecretMessage, secretShown, webhookAddress } from "./shown.ts"

const WORDS = TEXTS.access.webhooks

/** The name of the form of its settings. */
export const CHANGE_ACT = "change_webhook"

/** What a form of the page does with the webhook that the page is of, which who sent it may see. */
export type Act = (visit: SignedInVisit, form: Form, webhook: HostWebhook) => Effect.Effect<Outcome, never, Acting>

const refused = (status: Refused["status"], words: string, retryAfter?: number): Refused => ({
  _tag: "Refused",
  status,
  words,
  ...(retryAfter === undefined ? {} : { retryAfter })
})

/** Returns the console's text for a failure. */
const textOf = (error: ApiError): string => {
  if (error._tag === "NotFound") return WORDS.noSuch
  return error.message === notReplayable.message ? WORDS.notReplayable : error.message
}

const asRefused = (error: ApiError): Effect.Effect<Outcome> =>
  Effect.succeed(refused(statusOf(errorCode(error)), textOf(error)))

const done = (words: keyof typeof TEXTS.access.done): Outcome => ({ _tag: "Done", done: words })

const testsOf = (operatorId: number): Bucket => ({
  key: `{op:${operatorId}}:webhook_test`,
  scope: "webhook_test",
  window: windowOf("1m"),
  max: WEBHOOK_TESTS_A_MINUTE
})

/** What becomes of a delivery that is to be sent again, by how its webhook stands: not all of them are sent to now. */
const SENT_AGAIN = {
  healthy: "delivery_sent_again",
  failing: "delivery_sent_again",
  resting: "delivery_waits_for_rest",
  probing: "delivery_waits_for_rest",
  paused: "delivery_waits_for_resume"
} as const

/** What the account may not do by the API, as it stands, it may not do here. */
const entitled = <E>({ session: { person } }: SignedInVisit, act: Effect.Effect<Outcome, never, E>) =>
  Effect.flatMap(DateTime.now, (now) => {
    const { caller, status, subscriptionUntil } = person
    const standing = { ...caller, status, subscriptionUntil }
    const refusal = refusalOf(standing, { read: false, now: DateTime.toEpochMillis(now) })
    return Option.isSome(refusal) ? Effect.succeed<Outcome>(refused(403, refusal.value.message)) : act
  })

/** What goes through the API, as its caller would. */
const makeChanges = Effect.gen(function* () {
  const [service, sudo] = [yield* Service, yield* makeSudo]

  const changed = (
    visit: SignedInVisit,
    form: Form,
    fields: Parameters<typeof callAs>[3],
    words: keyof typeof TEXTS.access.done
  ) =>
    Effect.map(
      callAs(service, visit, "update_webhook", fields, idempotencyKeyOf(form)),
      (outcome): Outcome => (outcome._tag === "Ok" ? done(words) : outcome)
    )

  /** Asks for the password, as adding a webhook does, because events may go to a new address afterwards. */
  const change: Act = Effect.fnUntraced(function* (visit, form, { id }) {
    const unproven = yield* sudo.check(visit, form)
    if (Option.isSome(unproven)) return unproven.value
    const fields = { id, url: form.get("url") ?? "", events: form.getAll("events") }
    return yield* changed(visit, form, fields, "webhook_changed")
  })

  const resume: Act = (visit, form, { id }) => changed(visit, form, { id }, "webhook_resumed")

  const remove: Act = (visit, form, { id }) =>
    form.get("sure") === "yes"
      ? Effect.map(
          callAs(service, visit, "delete_webhook", { id }, idempotencyKeyOf(form)),
          (outcome): Outcome => (outcome._tag === "Ok" ? done("webhook_deleted") : outcome)
        )
      : Effect.succeed(refused(422, WORDS.removeUnsure))

  return { change, resume, remove }
})

/** What only pages do. */
const makeOwn = Effect.gen(function* () {
  const [webhooks, tests, counted] = [yield* HostWebhooks, yield* TestEvents, yield* makeCounting]
  const sudo = yield* makeSudo

  /** Also of an account that may do nothing else: what it gives out can always be stopped. */
  const pause: Act = (visit, _form, { id }) =>
    Effect.map(webhooks.pause(visit.session.person.caller, id), (paused) =>
      paused ? done("webhook_paused") : refused(409, WORDS.alreadyPaused)
    )

  /** Not by the API, where any change resumes: a pause is ended by nothing but what says so. */
  const rotate: Act = (visit, form, { id }) =>
    entitled(
      visit,
      Effect.gen(function* () {
        const refusal = yield* sudo.check(visit, form)
        if (Option.isSome(refusal)) return refusal.value
        const secret = yield* webhooks.rotate(visit.session.person.caller, id, idempotencyKeyOf(form))
        const outcome: Outcome = {
          _tag: "Shown",
          html: Option.match(secret, {
            onNone: () => repeatedSecretMessage,
            onSome: (made) => secretShown(Redacted.value(made), WORDS.rotated, webhookAddress(id))
          })
        }
        return outcome
      }).pipe(Effect.catch(asRefused))
    )

  const test: Act = (visit, _form, { id, url }) =>
    entitled(
      visit,
      Effect.gen(function* () {
        const { operatorId } = visit.session.person.caller
        const ended = yield* tests.send({ operatorId, id }, counted(testsOf(operatorId)))
        switch (ended._tag) {
          case "Tried":
            return { _tag: "Shown", html: testShown(ended, url) }
          case "Gone":
            return refused(404, WORDS.noSuch)
          case "TooMany":
            return refused(429, WORDS.testTooMany, ended.seconds)
          case "Busy":
            return refused(503, WORDS.testBusy, BUSY_RETRY_SECONDS)
        }
      })
    )

  const sendAgain: Act = (visit, form, webhook) =>
    entitled(
      visit,
      webhooks
        .sendAgain(visit.session.person.caller, webhook, form.get("delivery") ?? "", idempotencyKeyOf(form))
        .pipe(Effect.as(done(SENT_AGAIN[webhook.health.state])), Effect.catch(asRefused))
    )

  return { pause, rotate, test, sendAgain }
})

/** The forms of the page of a webhook, by what their button says. */
export const makeActs = Effect.gen(function* () {
  const [{ change, resume, remove }, { pause, rotate, test, sendAgain }] = [yield* makeChanges, yield* makeOwn]
  return new Map<string, Act>([
    [CHANGE_ACT, change],
    ["pause_webhook", pause],
    ["resume_webhook", resume],
    ["rotate_webhook_secret", rotate],
    ["delete_webhook", remove],
    ["test_webhook", test],
    ["replay_delivery", sendAgain]
  ])
})
