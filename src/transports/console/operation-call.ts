import { hash } from "node:crypto"
import { Context, Effect, Option, type Schema } from "effect"
import type { ServiceResponse } from "../../contract/envelope.ts"
import { REPLAYED_HEADER } from "../../contract/idempotency-key.ts"
import { toReceivedInput } from "../../contract/input.ts"
import { releasePermitForExternalAct } from "../../contract/permit-release.ts"
import type { OperationName } from "../../service/Api.ts"
import type { Service } from "../../service/service.ts"
import type { ActionError } from "./action-outcome.ts"
import { SUDO_FIELD } from "./sudo.ts"
import { FORM_KEY_FIELD, FORM_TOKEN_FIELD, type SignedInVisit, type SubmittedForm } from "./visit.ts"

// What the API does, a page asks of the API: by who is signed in, and under the rules that tokens are under.

/** What an operation answered. */
interface OperationSuccess {
  readonly _tag: "Ok"
  readonly data: Schema.Json
}

/**
 * Calls an operation as the signed-in account, with its fields as JSON values. The page releases its concurrency permit while the call has
 * one (src/admission/concurrency): otherwise pages that hold all permits of an operator would wait for one more. With an idempotency
 * key, a change is made once (contract/idempotency-key.ts).
 */
export const callOperation = (
  service: Service["Service"],
  visit: SignedInVisit,
  operation: OperationName,
  fields: Schema.JsonObject,
  idempotencyKey?: string
): Effect.Effect<OperationSuccess | ActionError> =>
  releasePermitForExternalAct(
    service.call(operation, {
      transport: "console",
      headers: {},
      params: {},
      trustedAccount: visit.session.person,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey: { field: FORM_KEY_FIELD, value: idempotencyKey } }),
      receive: Effect.succeed(toReceivedInput({ encoding: "json", fields }))
    })
  ).pipe(
    Effect.tap((response) => (idempotencyKey === undefined ? Effect.void : countChange(response))),
    Effect.map(toOperationOutcome)
  )

/** The calls under an idempotency key that a submitted form has made, and how many of them got the result of an earlier call. */
class SubmissionReplays extends Context.Service<SubmissionReplays, { changes: number; replays: number }>()(
  "latchkey/transports/console/SubmissionReplays"
) {}

/** Runs the action of a form. `isReplay`: an earlier submission has made all of its changes. */
export const runSubmission = <A, E, R>(action: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const calls = { changes: 0, replays: 0 }
    return Effect.map(Effect.provideService(action, SubmissionReplays, calls), (result) => ({
      result,
      isReplay: calls.replays > 0 && calls.replays === calls.changes
    }))
  })

const countChange = ({ headers }: ServiceResponse): Effect.Effect<void> =>
  Effect.map(Effect.serviceOption(SubmissionReplays), (submission) => {
    if (Option.isNone(submission)) return
    submission.value.changes += 1
    if (headers[REPLAYED_HEADER] !== undefined) submission.value.replays += 1
  })

/** Fields of a form that do not affect the change. */
const EXCLUDED_FIELDS: ReadonlySet<string> = new Set([FORM_TOKEN_FIELD, SUDO_FIELD])

/**
 * Returns the idempotency key of a submitted form, or undefined if its page has none. The key covers the key of the page, which is
 * new each time the page is shown, and the fields of the form. So a form that is sent twice runs once, and a form with other
 * values is a new call. `fields`: the new value of a list that the form changes in part, which another user may have changed too.
 */
export const idempotencyKeyOf = (form: SubmittedForm, fields: Schema.JsonObject = {}): string | undefined => {
  const pageKey = form.get(FORM_KEY_FIELD) ?? ""
  if (pageKey === "") return undefined
  const submittedFields = Array.from(form).filter(([name]) => !EXCLUDED_FIELDS.has(name))
  return `console-${hash("sha256", JSON.stringify([submittedFields, fields]), "base64url")}`
}

const toOperationOutcome = ({ envelope, headers }: ServiceResponse): OperationSuccess | ActionError => {
  if (envelope.error_code === 0) return { _tag: "Ok", data: envelope.data }
  const seconds = Number(headers["retry-after"])
  return {
    _tag: "Refused",
    status: toPageStatus(envelope.error_code),
    message: envelope.error_msg,
    ...(Number.isSafeInteger(seconds) && seconds > 0 ? { retryAfter: seconds } : {})
  }
}

/**
 * The status of a page for an error_code. HTTP has no 420, and its 401 asks a browser for credentials that would not help: who is
 * signed in is known and may not, which is 403.
 */
export const toPageStatus = (errorCode: number): ActionError["status"] => {
  switch (errorCode) {
    case 400:
    case 403:
    case 404:
    case 409:
    case 422:
    case 429:
    case 501:
    case 502:
    case 503:
    case 504:
      return errorCode
    case 401:
    case 420:
      return 403
    default:
      return 500
  }
}
