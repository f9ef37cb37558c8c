import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import { type ApiError, errorCode } from "../../../contract/errors.ts"
import type { OperationName } from "../../../service/Api.ts"
import type { Service } from "../../../service/service.ts"
import type { ActionError } from "../action-outcome.ts"
import { callOperation, idempotencyKeyOf, toPageStatus } from "../operation-call.ts"
import type { SignedInVisit, SubmittedForm } from "../visit.ts"

// What a page reads and does is asked of the API's own operations, as who is signed in.

/** An operation that reads, as its contract says it. */
interface QueryOperation<A> {
  readonly _tag: OperationName
  readonly successSchema: Schema.ConstraintCodec<A, unknown>
}

/** Asks an operation that reads, and reads what it answers. */
export const makeQuery = <A>(service: Service["Service"], operation: QueryOperation<A>) => {
  const decodeResult = Schema.decodeUnknownSync(Schema.toCodecJson(operation.successSchema))
  return (visit: SignedInVisit, fields: Schema.JsonObject): Effect.Effect<A, ActionError> =>
    Effect.flatMap(callOperation(service, visit, operation._tag, fields), (outcome) =>
      outcome._tag === "Ok" ? Effect.succeed(decodeResult(outcome.data)) : Effect.fail(outcome)
    )
}

/** Has an operation do what a form says, and answers what it answered. */
export const makeMutation =
  (service: Service["Service"]) =>
  (
    visit: SignedInVisit,
    form: SubmittedForm,
    operation: OperationName,
    fields: Schema.JsonObject
  ): Effect.Effect<Schema.Json, ActionError> =>
    Effect.flatMap(callOperation(service, visit, operation, fields, idempotencyKeyOf(form, fields)), (outcome) =>
      outcome._tag === "Ok" ? Effect.succeed(outcome.data) : Effect.fail(outcome)
    )

/** The same where nothing of the answer is needed: the page is shown again. */
export const makeVoidMutation = (service: Service["Service"]) => {
  const mutate = makeMutation(service)
  return (...args: Parameters<typeof mutate>): Effect.Effect<undefined, ActionError> =>
    Effect.as(mutate(...args), undefined)
}

/**
 * A button that leads from one standing to the next, of a window that was opened before somebody else led it on, undoes nothing: the
 * form says in `seen` how it stood. Pressed again once it was done, it is done.
 */
export const failIfStale = <A, R>(
  {
    current,
    seen,
    target
  }: { readonly current: string | undefined; readonly seen: string | null; readonly target: string | undefined },
  action: Effect.Effect<A, ActionError, R>
): Effect.Effect<A, ActionError, R> =>
  current === undefined || seen === null || current === seen || current === target
    ? action
    : Effect.fail(staleFormError)

/** Tells how something stood, for a form's `seen`, without telling it. */
export const fingerprint = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16)

export const staleFormError: ActionError = {
  _tag: "Refused",
  status: 409,
  message: "It stands otherwise by now: somebody was faster. Nothing was changed; look how it stands, and press again."
}

/** What a service that is no operation refuses, as a page tells it. */
export const apiErrorToActionError = (error: ApiError): ActionError => ({
  _tag: "Refused",
  status: toPageStatus(errorCode(error)),
  message: error.message
})
