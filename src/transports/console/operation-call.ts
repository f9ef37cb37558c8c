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

interface OperationSuccess {
  readonly _tag: "Ok"
  readonly data: Schema.Json
}

/**
 * Calls an operation as the signed-in account. The page releases its own permit meanwhile, because the call acquires a
 * permit of the API.
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

/** Counts a form's calls with an idempotency key, and how many of them replayed an earlier result. */
class SubmissionReplays extends Context.Service<SubmissionReplays, { changes: number; replays: number }>()(
  "latchkey/transports/console/SubmissionReplays"
) {}

/** `isReplay` is true if an earlier submission made all changes of the form. */
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

const EXCLUDED_FIELDS: ReadonlySet<string> = new Set([FORM_TOKEN_FIELD, SUDO_FIELD])

/**
 * Returns a hash of the form, or undefined if the page has no key. The page's key is new for each display. So a form
 * that is sent twice runs once, and a form with other values is a new call.
 *
 * The hash covers `fields` too, because they can contain lists that were read after the form was sent.
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

/** Maps 401 and 420 to 403: the caller is signed in, so a request for credentials would not help. */
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
