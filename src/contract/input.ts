import { Effect, identity, Predicate, Schema } from "effect"
import { makeDecoder } from "./decoder.ts"
import { BadRequest, type Unauthenticated, ValidationFailed } from "./errors.ts"
import { makeInputCorrector } from "./input-correction.ts"
import type { Method, RouteSpec } from "./operation.ts"
import { makeUnknownFieldCheck } from "./unknown-fields.ts"

export type CallInput =
  | { readonly encoding: "text"; readonly fields: Readonly<Record<string, string | ReadonlyArray<string>>> }
  /** `fields` lacks the path parameters. */
  | { readonly encoding: "body"; readonly fields: unknown }
  | { readonly encoding: "json"; readonly fields: unknown }

export interface ReceivedInput {
  readonly bytes?: number
  /** Requires a concurrency permit, because parsing a large body occupies the thread for long. */
  readonly parse: Effect.Effect<CallInput, BadRequest | Unauthenticated>
}

export const toReceivedInput = (input: CallInput, bytes = 0): ReceivedInput => ({ parse: Effect.succeed(input), bytes })

export type PayloadSchema<A> = Schema.ConstraintCodec<A, unknown> & { readonly fields: Schema.Struct.Fields }

type InputRules = Pick<RouteSpec, "method" | "params" | "rejectsUnknownFields">

/** A call without the other field of a `requiredUnless` must also have the fields that this makes required. */
export const makeInputDecoder = <A>(payload: PayloadSchema<A>, rules: InputRules) => {
  const decode = makePayloadDecoder(payload, rules)
  const { otherFields, fields } = toStrictFields(payload)
  if (otherFields.length === 0) return decode
  const checkRequiredFields = makePayloadDecoder(toPayloadSchema<unknown>(fields), rules)
  return (input: CallInput, pathParams: Readonly<Record<string, unknown>>) =>
    otherFields.every((name) => hasField(input.fields, name))
      ? decode(input, pathParams)
      : Effect.andThen(checkRequiredFields(input, pathParams), decode(input, pathParams))
}

const hasField = (fields: unknown, name: string): boolean =>
  Predicate.hasProperty(fields, name) && fields[name] !== undefined && fields[name] !== null

const toStrictFields = (payload: { readonly fields: Schema.Struct.Fields }) => {
  const conditions = Object.entries(payload.fields).map(([name, field]) => ({
    name,
    field,
    requirement: Schema.resolveAnnotationsKey(field)?.requiredUnless
  }))
  return {
    otherFields: conditions.flatMap(({ requirement }) => (requirement === undefined ? [] : [requirement.otherField])),
    fields: Object.fromEntries(conditions.map(({ name, field, requirement }) => [name, requirement?.field ?? field]))
  }
}

/**
 * Path parameters override query fields of the same name. A body field must equal its path parameter, else the decoder
 * fails with 422.
 */
const makePayloadDecoder = <A>(payload: PayloadSchema<A>, { method, params, rejectsUnknownFields }: InputRules) => {
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

/** In an edit (PATCH, PUT), `null` is a value to set. */
const NULL_IS_ABSENT: ReadonlySet<Method> = new Set(["GET", "POST"])

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

/** Ignores the input, because an empty struct would return it with its unknown fields. */
const makeEmptyDecoder: typeof makeDecoder = (codec) => {
  const decode = makeDecoder(codec)
  return () => decode({})
}

const withTextParams = <A>(
  payload: PayloadSchema<A>,
  params: ReadonlyArray<string>
): Schema.ConstraintCodec<A, unknown> => {
  const fields = Object.entries(payload.fields).map(([name, field]) => [
    name,
    params.includes(name) ? Schema.toCodecStringTree(field) : field
  ])
  return toPayloadSchema(Object.fromEntries(fields))
}

/** Types cannot express that only some fields of a payload, or only their encoding, differ. */
const toPayloadSchema = <A>(fields: Schema.Struct.Fields): PayloadSchema<A> =>
  Schema.Struct(fields) as unknown as Schema.ConstraintCodec<A, unknown> & { readonly fields: Schema.Struct.Fields }
