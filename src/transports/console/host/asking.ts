import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import { type ApiError, errorCode } from "../../../contract/errors.ts"
import type { OperationName } from "../../../service/Api.ts"
import type { Service } from "../../../service/service.ts"
import { callAs, idempotencyKeyOf, statusOf } from "../calling.ts"
import type { Refused } from "../outcome.ts"
import type { Form, SignedInVisit } from "../visit.ts"

// What a page reads and does is asked of the API's own operations, as who is signed in.

/** An operation that reads, as its contract says it. */
interface Reading<A> {
  readonly _tag: OperationName
  readonly successSchema: Schema.ConstraintCodec<A, unknown>
}

/** Asks an operation that reads, and reads what it answers. */
export const reading = <A>(service: Service["Service"], operation: Reading<A>) => {
  const decode = Schema.decodeUnknownSync(Schema.toCodecJson(operation.successSchema))
  return (visit: SignedInVisit, fields: Schema.JsonObject): Effect.Effect<A, Refused> =>
    Effect.flatMap(callAs(service, visit, operation._tag, fields), (came) =>
      came._tag === "Ok" ? Effect.succeed(decode(came.data)) : Effect.fail(came)
    )
}

/** Has an operation do what a form says, and answers what it answered. */
export const making =
  (service: Service["Service"]) =>
  (
    visit: SignedInVisit,
    form: Form,
    operation: OperationName,
    fields: Schema.JsonObject
  ): Effect.Effect<Schema.Json, Refused> =>
    Effect.flatMap(callAs(service, visit, operation, fields, idempotencyKeyOf(form, fields)), (came) =>
      came._tag === "Ok" ? Effect.succeed(came.data) : Effect.fail(came)
    )

/** The same where nothing of the answer is needed: the page is shown again. */
export const doing = (service: Service["Service"]) => {
  const make = making(service)
  return (...asked: Parameters<typeof make>): Effect.Effect<undefined, Refused> => Effect.as(make(...asked), undefined)
}

/**
 * A button that leads from one standing to the next, of a window that was opened before somebody else led it on, undoes nothing: the
 * form says in `seen` how it stood. Pressed again once it was done, it is done.
 */
export const unlessOvertaken = <A, R>(
  {
    now,
    seen,
    wanted
  }: { readonly now: string | undefined; readonly seen: string | null; readonly wanted: string | undefined },
  act: Effect.Effect<A, Refused, R>
): Effect.Effect<A, Refused, R> =>
  now === undefined || seen === null || now === seen || now === wanted ? act : Effect.fail(overtaken)

/** Tells how something stood, for a form's `seen`, without telling it. */
export const markOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16)

export const overtaken: Refused = {
  _tag: "Refused",
  status: 409,
  words: "It stands otherwise by now: somebody was faster. Nothing was changed; look how it stands, and press again."
}

/** What a service that is no operation refuses, as a page tells it. */
export const refusedAs = (error: ApiError): Refused => ({
  _tag: "Refused",
  status: statusOf(errorCode(error)),
  words: error.message
})
