import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import { type ApiError, errorCode } from "../../../contract/errors.ts"
import type { OperationName } from "../../../service/Api.ts"
import type { Service } from "../../../service/service.ts"
import type { ActionError } from "../action-outcome.ts"
import { callOperation, idempotencyKeyOf, toPageStatus } from "../operation-call.ts"
import type { SignedInVisit, SubmittedForm } from "../visit.ts"

interface QueryOperation<A> {
  readonly _tag: OperationName
  readonly successSchema: Schema.ConstraintCodec<A, unknown>
}

export const makeQuery = <A>(service: Service["Service"], operation: QueryOperation<A>) => {
  const decodeResult = Schema.decodeUnknownSync(Schema.toCodecJson(operation.successSchema))
  return (visit: SignedInVisit, fields: Schema.JsonObject): Effect.Effect<A, ActionError> =>
    Effect.flatMap(callOperation(service, visit, operation._tag, fields), (outcome) =>
      outcome._tag === "Ok" ? Effect.succeed(decodeResult(outcome.data)) : Effect.fail(outcome)
    )
}

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

export const makeVoidMutation = (service: Service["Service"]) => {
  const mutate = makeMutation(service)
  return (...args: Parameters<typeof mutate>): Effect.Effect<undefined, ActionError> =>
    Effect.as(mutate(...args), undefined)
}

/**
 * Fails if the record has changed since the form showed the state `seen`. If it already has the state `target`, the
 * form was repeated, and `action` runs.
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

export const fingerprint = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16)

export const staleFormError: ActionError = {
  _tag: "Refused",
  status: 409,
  message: "Somebody else has changed this meanwhile. Nothing was saved. Check the current values and try again."
}

export const apiErrorToActionError = (error: ApiError): ActionError => ({
  _tag: "Refused",
  status: toPageStatus(errorCode(error)),
  message: error.message
})
