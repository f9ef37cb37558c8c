import { assert, layer } from "@effect/vitest"
import { Effect, Option, Predicate, Schema } from "effect"
import { TestClock } from "effect/testing"
import { isImmutableField } from "../src/contract/immutable-fields.ts"
import type { ApiOperation } from "../src/service/Api.ts"
import { layerTest } from "./support/harness.ts"
import {
  COMPANION_FIELDS,
  callAsOwner,
  everyOperation,
  loadTableContents,
  makeSampleFields,
  payloadFieldsOf
} from "./support/operation-samples.ts"
import {
  type BoundedPart,
  LIST_ELEMENT,
  listBoundedParts,
  type PathStep,
  RECORD_KEY,
  RECORD_VALUE,
  type SchemaKeywords
} from "./support/payload-bounds.ts"
import { findSampleValue, makeSampleWorld, type SampleWorld } from "./support/sample-world.ts"

// Nothing a caller sends is unbounded: every text has a length, every list and record a size, every number an end, and
// each is tried as large as it may be and one larger.

layer(layerTest)("every operation", (it) => {
  for (const operation of everyOperation) {
    // What an edit cannot change it takes with no other value than there is, and keeps none.
    const fields = payloadFieldsOf(operation).filter(([, field]) => !isImmutableField(field))
    const parts = listBoundedParts(operation).filter(({ path: [name] }) => fields.some(([field]) => field === name))
    it(`${operation._tag} says how large its fields may be`, () => {
      const open = parts
        .filter(({ maximum: most }) => most === "none")
        .map((part) => `${part.kind} ${nameOf(part.path)}`)
      assert.deepStrictEqual(open, [])
      const named = new Set(parts.map(({ path: [field] }) => field))
      for (const [field, schema] of fields) {
        assert.isTrue(named.has(field) || Schema.is(schema)(true), `${field} was not looked at`)
      }
    })

    const sized = parts.flatMap((part) => (typeof part.maximum === "number" ? [{ part, most: part.maximum }] : []))
    if (sized.length === 0) continue
    it.effect(`${operation._tag} takes each field as large as that and no larger`, () =>
      Effect.gen(function* () {
        const world = yield* makeSampleWorld
        const before = yield* loadTableContents(world)
        const refusals: Array<string> = []
        for (const each of sized) {
          const { part, most } = each
          const { error_code, error_msg } = yield* send(operation, world, each, most + 1)
          assert.include([400, 422], error_code, `${nameOf(part.path)}: ${error_msg}`)
          assert.match(error_msg, new RegExp(`^${part.path[0]}\\b`))
          refusals.push(error_msg)
        }
        assert.deepStrictEqual(yield* loadTableContents(world), before)
        for (const [index, each] of sized.entries()) {
          const { part, most } = each
          const { error_code, error_msg } = yield* send(operation, world, each, most)
          assert.notStrictEqual(error_code, 500, nameOf(part.path))
          // Refused for another reason at most.
          assert.notStrictEqual(error_msg, refusals[index], `${nameOf(part.path)} of ${most}`)
        }
      })
    )
  }
})

/** A call that is valid but for one part, which has this size, in a form that fits as far as `most`. */
const send = Effect.fnUntraced(function* (
  operation: ApiOperation,
  world: SampleWorld,
  { part, most }: Sized,
  size: number
) {
  // The tightest window lets 60 calls a minute through.
  yield* TestClock.adjust("1 second")
  const [field] = part.path
  const own = makeSampleFields(operation, world, [...COMPANION_FIELDS, field])
  const schema = payloadFieldsOf(operation).find(([name]) => name === field)?.[1] ?? Schema.Never
  const element = firstOf(valueAt(part.path.slice(1), findSampleValue(world, operation, field)))
  const made = (length: number) =>
    candidates(part, length, element).map((value) => placed(part.path.slice(1), value, own[field]))
  const form = made(most).findIndex((value) => Schema.is(Schema.toEncoded(schema))(value) && accepts(schema, value))
  return yield* callAsOwner(world, operation, { ...own, [field]: made(size)[Math.max(0, form)] })
})

const accepts = (schema: Schema.Top, value: unknown): boolean =>
  // The payloads decode without services, which a field taken out of one no longer says in its type.
  Option.isSome(
    Schema.decodeUnknownOption(Schema.toCodecJson(schema) as unknown as Schema.ConstraintDecoder<unknown>)(value)
  )

interface Sized {
  readonly part: BoundedPart
  readonly most: number
}

/** What a value has at the end of a path. */
const valueAt = (path: ReadonlyArray<PathStep>, value: unknown): unknown => {
  const [step, ...further] = path
  if (step === undefined) return value
  if (step === LIST_ELEMENT) return valueAt(further, firstOf(value))
  return valueAt(further, Predicate.isString(step) && Predicate.hasProperty(value, step) ? value[step] : undefined)
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined)

/** Values of exactly that size, of every form a field may ask for: the first that fits is sent. */
const candidates = ({ kind, schema }: BoundedPart, size: number, element: unknown): ReadonlyArray<unknown> => {
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

/** The smallest value a schema takes. */
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

/** A value at the end of a path; what stands beside it on the way is taken from `around`, or small. */
const placed = (path: ReadonlyArray<PathStep>, value: unknown, around: unknown): unknown => {
  const [step, ...further] = path
  if (step === undefined) return value
  if (step === LIST_ELEMENT) return [placed(further, value, Array.isArray(around) ? around[0] : around)]
  if (step === RECORD_KEY) return { [String(value)]: "a" }
  if (step === RECORD_VALUE) return { a: placed(further, value, undefined) }
  const beside: SchemaKeywords = Predicate.isObject(around) ? { ...around } : { hour: 1, minute: 1 }
  return { ...beside, [step]: placed(further, value, beside[step]) }
}

const nameOf = (path: ReadonlyArray<PathStep>): string =>
  path.map((step) => (typeof step === "symbol" ? `[${step.description}]` : step)).join(".")
