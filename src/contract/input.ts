import { Effect, identity, Predicate, Schema } from "effect"
import { makeDecoder } from "./decoder.ts"
import { BadRequest, type Unauthenticated, ValidationFailed } from "./errors.ts"
import { makeInputCorrector } from "./input-correction.ts"
import type { Method, RouteSpec } from "./operation.ts"
import { makeUnknownFieldCheck } from "./unknown-fields.ts"

/** The parsed input of a call, without path parameters. */
export type CallInput =
  /** Query parameters or a form: each field is a text, or a list of texts if it may be repeated. */
  | { readonly encoding: "text"; readonly fields: Readonly<Record<string, string | ReadonlyArray<string>>> }
  /** A JSON body: the fields that are not in the path. */
  | { readonly encoding: "body"; readonly fields: unknown }
  /** All fields as JSON values: the arguments of a tool. */
  | { readonly encoding: "json"; readonly fields: unknown }

/** The complete input of a call, before it is parsed. */
export interface ReceivedInput {
  /** Bytes of the body, which the call keeps in memory. Absent without a body. */
  readonly bytes?: number
  /** Parses the input. The call must hold a permit (src/admission/concurrency), because a large body occupies the thread for long. */
  readonly parse: Effect.Effect<CallInput, BadRequest | Unauthenticated>
}

/** Returns the received input of a call whose fields need no parsing. */
export const toReceivedInput = (input: CallInput, bytes = 0): ReceivedInput => ({ parse: Effect.succeed(input), bytes })

/** What is needed of a payload schema to read it: a struct whose fields are known, decodable without services. */
export type PayloadSchema<A> = Schema.ConstraintCodec<A, unknown> & { readonly fields: Schema.Struct.Fields }

/**
 * Decoders of one operation's payload from each encoding, built once. `params` names the payload's fields that stand
 * in the path; they win over fields of the same name elsewhere, and a body may not contradict them.
 */
export const makeInputDecoder = <A>(
  payload: PayloadSchema<A>,
  { method, params, rejectsUnknownFields }: Pick<RouteSpec, "method" | "params" | "rejectsUnknownFields">
) => {
  const isEmpty = Object.keys(payload.fields).length === 0
  const decoderFor = isEmpty ? makeEmptyDecoder : makeDecoder
  const nullIsAbsent = NULL_IS_ABSENT.has(method)
  const correctBody = isEmpty ? identity : makeInputCorrector(payload.ast, nullIsAbsent)
  const correctArguments = isEmpty ? identity : makeInputCorrector(payload.ast, nullIsAbsent, true)
  const checkFields = rejectsUnknownFields === true ? makeUnknownFieldCheck(payload.ast) : () => undefined
  const fromText = decoderFor(Schema.toCodecStringTree(payload))
  const fromJson = decoderFor(Schema.toCodecJson(payload))
  const fromBody = params.length === 0 ? fromJson : decoderFor(Schema.toCodecJson(withTextParams(payload, params)))
  return (
    input: CallInput,
    pathParams: Readonly<Record<string, unknown>>
  ): Effect.Effect<A, BadRequest | ValidationFailed> => {
    switch (input.encoding) {
      case "text":
        return fromText({ ...input.fields, ...pathParams })
      case "json": {
        const unknownField = checkFields(input.fields)
        return unknownField === undefined ? fromJson(correctArguments(input.fields)) : Effect.fail(unknownField)
      }
      case "body": {
        const unknownField = checkFields(input.fields)
        if (unknownField !== undefined) return Effect.fail(unknownField)
        const fields = correctBody(input.fields)
        if (!Predicate.isObject(fields)) {
          return Effect.fail(new BadRequest({ message: "The body must be a JSON object." }))
        }
        const mismatch = findPathMismatch(pathParams, fields, nullIsAbsent)
        return mismatch === undefined ? fromBody({ ...fields, ...pathParams }) : Effect.fail(mismatch)
      }
    }
  }
}

/** A creation and a search say what there is; an edit says what changes, and `null` is a value to change to. */
const NULL_IS_ABSENT: ReadonlySet<Method> = new Set(["GET", "POST"])

/** A body may name the record of the path once more, as one that is sent back whole does, but no other: 422. */
const findPathMismatch = (
  pathParams: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>>,
  nullIsAbsent: boolean
): ValidationFailed | undefined => {
  const isSame = (bodyValue: unknown, pathValue: unknown) =>
    (nullIsAbsent && bodyValue === null) ||
    ((typeof bodyValue === "string" || typeof bodyValue === "number") && `${bodyValue}` === pathValue)
  const field = Object.keys(pathParams).find(
    (name) => Object.hasOwn(body, name) && !isSame(body[name], pathParams[name])
  )
  return field === undefined
    ? undefined
    : new ValidationFailed({ message: `${field}: cannot be changed; it must equal the value in the path.` })
}

/** A struct without fields lets its input through as it is; unknown fields are to be ignored here as everywhere. */
const makeEmptyDecoder: typeof makeDecoder = (codec) => {
  const decode = makeDecoder(codec)
  return () => decode({})
}

/** The same payload, except that the fields of the path are read from text. */
const withTextParams = <A>(
  payload: PayloadSchema<A>,
  params: ReadonlyArray<string>
): Schema.ConstraintCodec<A, unknown> => {
  const fields = Object.entries(payload.fields).map(([name, field]) => [
    name,
    params.includes(name) ? Schema.toCodecStringTree(field) : field
  ])
  // The fields are the payload's own and only some are encoded otherwise, which a mapped record cannot say in types.
  return Schema.Struct(Object.fromEntries(fields)) as unknown as Schema.ConstraintCodec<A, unknown>
}
