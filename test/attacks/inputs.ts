import { Predicate, Schema } from "effect"
import fc from "fast-check"
import { DATES, INSTANTS, NUMBERS, ODD_KEYS, STRUCTURES, TEXTS } from "./odd-values.ts"

// The one generator of inputs: grown from the schema of what an operation takes, so that a new field is attacked the
// moment it exists. It reads the JSON Schema that Effect derives, where every check of the contract shows its numbers;
// Effect's own arbitraries can only make values a check accepts, and here half of them must be refused.

/** Seed of a run: ATTACK_SEED, or one by chance. Who uses it prints it. */
export const seedOfRun = (): number => {
  const given = Number(process.env.ATTACK_SEED ?? "")
  return Number.isSafeInteger(given) && given !== 0 ? given : 1 + Math.floor(Math.random() * 2 ** 31)
}

type Node = Readonly<Record<string, unknown>>

/** What a field is given: the world's own value, or this one. */
export type Given = { readonly world: true } | { readonly value: unknown }

/** Fields by name; a map, because `__proto__` is a name like any other. */
export type Input = ReadonlyMap<string, Given>

const numberOf = (node: Node, keyword: string): number | undefined => {
  const value = node[keyword]
  return typeof value === "number" ? value : undefined
}

const nodeOf = (value: unknown): Node => (Predicate.isObject(value) ? { ...value } : {})

const nodesOf = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.map(nodeOf) : [])

const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(...TEXTS).chain((part) => fc.constantFrom(3, 200, 3_000).map((times) => part.repeat(times)))
)

const junk: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom(...NUMBERS),
  fc.constantFrom(...STRUCTURES),
  fc.constantFrom(...DATES),
  fc.jsonValue({ maxDepth: 3, stringUnit: "binary" })
)

/** A text of so many characters; some characters are two units of UTF-16, and one counts once all the same. */
const textOf = (characters: number): fc.Arbitrary<string> =>
  fc.constantFrom("a", "é", "😀", "字").map((character) => character.repeat(Math.max(0, characters)))

const around = (bound: number | undefined): ReadonlyArray<number> =>
  bound === undefined ? [] : [bound - 1, bound, bound + 1]

const someOf = <Value>(first: Value, ...more: ReadonlyArray<Value>): fc.Arbitrary<Value> =>
  fc.constantFrom(first, ...more)

const texts = (node: Node): fc.Arbitrary<unknown> => {
  if (node.format === "date") return fc.oneof(someOf("2027-05-01", ...DATES), fc.date({ noInvalidDate: true }).map(day))
  if (node.format === "date-time") return someOf("2027-05-07T10:00:00Z", ...INSTANTS, ...DATES)
  const lengths = [...around(numberOf(node, "minLength")), ...around(numberOf(node, "maxLength"))]
  const pattern = typeof node.pattern === "string" ? [fc.stringMatching(new RegExp(node.pattern))] : []
  // Where nothing bounds a text, it is tried long: the bound must then be in the operation.
  const tried = lengths.length > 0 ? lengths : [1, 100, 101, 10_000, 100_000]
  return fc.oneof(text, someOf(0, ...tried).chain(textOf), ...pattern)
}

const day = (date: Date): string => date.toISOString().slice(0, 10)

const numbers = (node: Node): fc.Arbitrary<unknown> => {
  const bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
  const edges = bounds.flatMap((keyword) => around(numberOf(node, keyword)))
  return fc.oneof(someOf(0, ...edges, ...NUMBERS), fc.integer(), fc.nat(1_000), fc.double({ noNaN: true }))
}

const LONGEST_LIST = 1_100

const lists = (node: Node): fc.Arbitrary<unknown> => {
  const item = grown(nodeOf(node.items))
  const counts = [...around(numberOf(node, "minItems")), ...around(numberOf(node, "maxItems"))]
  const possible = counts.filter((count) => count >= 0 && count <= LONGEST_LIST)
  const sized = someOf(0, ...possible).chain((count) => item.map((value) => Array.from({ length: count }, () => value)))
  const numbered = someOf(1, ...possible).map((count) => Array.from({ length: count }, (_, index) => index + 1))
  return fc.oneof(fc.array(fc.oneof(item, junk), { maxLength: 5 }), sized, numbered)
}

const objects = (node: Node): fc.Arbitrary<unknown> => {
  const fields = Object.entries(nodeOf(node.properties)).map(([name, each]) => [name, grown(nodeOf(each))] as const)
  const known = fc.record(Object.fromEntries(fields), { requiredKeys: [] })
  const value = Predicate.isObject(node.additionalProperties) ? grown(nodeOf(node.additionalProperties)) : junk
  const others = fc.dictionary(fc.oneof(text, fc.constantFrom(...ODD_KEYS)), value, { maxKeys: 4 })
  const many = value.map((each) => Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`n${n}`, each])))
  return fc.oneof(
    fc.tuple(known, others).map(([one, other]) => ({ ...other, ...one })),
    others,
    many
  )
}

/** Values of the kind a schema asks for: some that fit, and those at its edges. */
const grown = (node: Node): fc.Arbitrary<unknown> => {
  if (Array.isArray(node.enum)) return someOf<unknown>("none of them", ...node.enum)
  const parts = [...nodesOf(node.anyOf), ...nodesOf(node.oneOf)]
  if (parts.length > 0) return fc.oneof(...parts.map(grown))
  switch (node.type) {
    case "string":
      return texts(node)
    case "integer":
    case "number":
      return numbers(node)
    case "boolean":
      return someOf<unknown>(true, false, 0, 1, "true", "false")
    case "array":
      return lists(node)
    case "object":
      return objects(node)
    case "null":
      return fc.constant(null)
    default:
      return junk
  }
}

const nodeOfSchema = (schema: Schema.Constraint): Node => {
  const document = Schema.toJsonSchemaDocument(schema, { referencePolicy: () => undefined })
  return flat(nodeOf(document.schema))
}

/** Checks added to a schema may stand in `allOf`; their numbers belong to the schema itself. */
const flat = (node: Node): Node => {
  const parts = nodesOf(node.allOf).map(flat)
  const nested = Object.entries(node).map(([keyword, value]): readonly [string, unknown] =>
    keyword === "properties"
      ? [keyword, Object.fromEntries(Object.entries(nodeOf(value)).map(([name, each]) => [name, flat(nodeOf(each))]))]
      : keyword === "anyOf" || keyword === "oneOf"
        ? [keyword, nodesOf(value).map(flat)]
        : keyword === "items" || (keyword === "additionalProperties" && Predicate.isObject(value))
          ? [keyword, flat(nodeOf(value))]
          : [keyword, value]
  )
  return Object.assign({}, Object.fromEntries(nested), ...parts)
}

/** Anything one field may be given: what it asks for, its edges, and what nobody should send. */
export const valuesOf = (field: Schema.Constraint): fc.Arbitrary<unknown> => wild(nodeOfSchema(field))

const wild = (node: Node): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 3, arbitrary: grown(node) }, { weight: 2, arbitrary: junk })

const world: Given = { world: true }

/** A field as a good call has it: the world's value, often left out where it may be. */
const tame = (required: boolean): fc.Arbitrary<Given | undefined> =>
  required
    ? fc.constant(world)
    : fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant(world) })

const extras = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.dictionary(fc.oneof(fc.constantFrom(...ODD_KEYS), text), junk, { maxKeys: 3 }) }
)

/**
 * Inputs of an operation: most differ from a good call in one or two fields, so that the others lead deep into it; some
 * in all. Fields may be missing and there may be unknown ones.
 */
export const inputsOf = (payload: Schema.Constraint): fc.Arbitrary<Input> => {
  const node = nodeOfSchema(payload)
  const required = new Set(Array.isArray(node.required) ? node.required : [])
  const fields = Object.entries(nodeOf(node.properties))
  const names = fields.map(([name]) => name)
  const odd = fc.oneof(
    { weight: 4, arbitrary: fc.subarray(names, { maxLength: Math.min(2, names.length) }) },
    { weight: 1, arbitrary: fc.subarray(names) }
  )
  const values = fields.map(([name, each]) =>
    fc.record({
      tame: tame(required.has(name)),
      wild: fc.option(
        wild(nodeOf(each)).map((value): Given => ({ value })),
        { freq: 8, nil: undefined }
      )
    })
  )
  return fc.record({ odd, extras, values: fc.tuple(...values) }).map((made) => {
    const input = new Map<string, Given>(Object.entries(made.extras).map(([name, value]) => [name, { value }]))
    for (const [index, name] of names.entries()) {
      const given = made.odd.includes(name) ? made.values[index]?.wild : made.values[index]?.tame
      if (given === undefined) input.delete(name)
      else input.set(name, given)
    }
    return input
  })
}

/** The same `count` inputs for the same seed. */
export const sampled = <Value>(from: fc.Arbitrary<Value>, count: number, seed: number): ReadonlyArray<Value> =>
  fc.sample(from, { numRuns: count, seed })

/** The fields as they are sent; `inWorld` knows what the world has. */
export const settled = (input: Input, inWorld: (field: string) => unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Array.from(input, ([name, given]) => [name, "world" in given ? inWorld(name) : given.value] as const).filter(
      ([, value]) => value !== undefined
    )
  )
