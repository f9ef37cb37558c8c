import { Effect, Predicate } from "effect"
import { isImmutableField } from "../../src/contract/immutable-fields.ts"
import { makeInputDecoder } from "../../src/contract/input.ts"
import { routeOf } from "../../src/contract/operation.ts"
import type { ApiOperation } from "../../src/service/Api.ts"
import { fieldOfError } from "./error-messages.ts"
import { COMPANION_FIELDS, makeSampleFields, payloadFieldsOf } from "./operation-samples.ts"
import {
  type BoundedPart,
  LIST_ELEMENT,
  listBoundedParts,
  type PathStep,
  RECORD_KEY,
  RECORD_VALUE,
  type SchemaKeywords
} from "./payload-bounds.ts"
import { findSampleValue, type SampleWorld } from "./sample-world.ts"

/** A part of a payload that has a largest size. */
export interface SizedPart extends BoundedPart {
  readonly maximum: number
}

/** Returns the fields of a payload that a call may give any value. An edit takes an immutable field only with the value it has. */
export const listMutableFields = (operation: ApiOperation) =>
  payloadFieldsOf(operation).filter(([, field]) => !isImmutableField(field))

/** Returns the parts of those fields that have a size. */
export const listMutableParts = (operation: ApiOperation): ReadonlyArray<BoundedPart> => {
  const names = new Set(listMutableFields(operation).map(([name]) => name))
  return listBoundedParts(operation).filter(({ path: [name] }) => names.has(name))
}

/** Returns the parts of those fields that have a largest size. */
export const listSizedParts = (operation: ApiOperation): ReadonlyArray<SizedPart> =>
  listMutableParts(operation).flatMap((part) =>
    typeof part.maximum === "number" ? [{ ...part, maximum: part.maximum }] : []
  )

/** Returns a check of the fields of a call: the message with which their schema refuses them, or undefined if a handler gets them. */
export const makeInputCheck = (operation: ApiOperation) => {
  const decode = makeInputDecoder<unknown>(operation.payloadSchema, routeOf(operation))
  return (fields: Readonly<Record<string, unknown>>): string | undefined =>
    Effect.runSync(
      Effect.match(decode({ encoding: "json", fields }, {}), {
        onFailure: ({ message }) => message,
        onSuccess: () => undefined
      })
    )
}

/** Returns a maker of fields that are valid except for the size of one part. The part has a form that the schema takes at its maximum. */
export const makeSizedFields = (
  operation: ApiOperation,
  world: SampleWorld,
  part: SizedPart,
  findInputError: ReturnType<typeof makeInputCheck>
) => {
  const [field, ...path] = part.path
  const own = makeSampleFields(operation, world, [...COMPANION_FIELDS, field])
  const element = firstOf(valueAt(path, findSampleValue(world, operation, field)))
  const listForms = (size: number) =>
    listCandidates(part, size, element).map((value) => ({ ...own, [field]: placeValue(path, value, own[field]) }))
  const isTaken = (fields: Readonly<Record<string, unknown>>) => {
    const error_msg = findInputError(fields)
    return error_msg === undefined || fieldOfError({ error_msg }).split(/[.[]/)[0] !== field
  }
  const form = Math.max(0, listForms(part.maximum).findIndex(isTaken))
  return (size: number): Readonly<Record<string, unknown>> => listForms(size)[form] ?? own
}

/** Returns what a value has at the end of a path. */
const valueAt = (path: ReadonlyArray<PathStep>, value: unknown): unknown => {
  const [step, ...further] = path
  if (step === undefined) return value
  if (step === LIST_ELEMENT) return valueAt(further, firstOf(value))
  return valueAt(further, Predicate.isString(step) && Predicate.hasProperty(value, step) ? value[step] : undefined)
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined)

/** Returns values of exactly that size, one of each form that a field may ask for. */
const listCandidates = ({ kind, schema }: BoundedPart, size: number, element: unknown): ReadonlyArray<unknown> => {
  switch (kind) {
    case "number":
      return [size]
    case "list":
      return [Array.from({ length: size }, () => element ?? exampleOf(schema["items"]))]
    case "record":
      return [
        Object.fromEntries(
          Array.from({ length: size }, (_, index) => [`field ${index}`, exampleOf(schema["additionalProperties"])])
        )
      ]
    case "text":
      return [
        "a".repeat(size),
        "1".padEnd(size),
        "a@".padEnd(size, "b"),
        "https://hooks.example.com/".padEnd(size, "a"),
        "2027-05-07T10:00:00.123456789+02:00".padEnd(size, "0").slice(0, size),
        "2027-05-07T10:00:00.123456+02:00".padEnd(size, "0")
      ]
  }
}

/** Returns the smallest value that a schema takes. */
const exampleOf = (schema: unknown): unknown => {
  const {
    type,
    minimum,
    enum: words,
    anyOf,
    properties,
    format
  }: SchemaKeywords = Predicate.isObject(schema) ? { ...schema } : {}
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0])
  if (Array.isArray(words)) return words[0]
  if (type === "integer" || type === "number") return minimum ?? 1
  if (type === "boolean") return true
  if (type === "object") {
    const fields = Predicate.isObject(properties) ? Object.entries(properties) : []
    return Object.fromEntries(fields.map(([name, each]) => [name, exampleOf(each)]))
  }
  return format === "date" ? "2027-05-07" : "a"
}

/** Returns a value at the end of a path. Its neighbours on the way are those of `around`, or small. */
const placeValue = (path: ReadonlyArray<PathStep>, value: unknown, around: unknown): unknown => {
  const [step, ...further] = path
  if (step === undefined) return value
  if (step === LIST_ELEMENT) return [placeValue(further, value, Array.isArray(around) ? around[0] : around)]
  if (step === RECORD_KEY) return { [String(value)]: "a" }
  if (step === RECORD_VALUE) return { a: placeValue(further, value, undefined) }
  const beside: SchemaKeywords = Predicate.isObject(around) ? { ...around } : { hour: 1, minute: 1 }
  return { ...beside, [step]: placeValue(further, value, beside[step]) }
}

/** Returns the path of a part, for the message of a failed assertion. */
export const formatPath = (path: ReadonlyArray<PathStep>): string =>
  path.map((step) => (typeof step === "symbol" ? `[${step.description}]` : step)).join(".")
