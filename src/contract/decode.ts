import { Effect, Schema, type SchemaAST, type SchemaIssue } from "effect"
import { FIELDS_TOLD } from "../platform/limits.ts"
import { BadRequest, ValidationFailed } from "./errors.ts"
import { toldName } from "./told-name.ts"

/** What kept an input from being read: which field, in which words, and whether it is 400 or 422. */
interface Finding {
  readonly field: string
  readonly text: string
  readonly code: 400 | 422
  /** Whether the words are the field's own (see fields.ts), and not those of the library's number parsing. */
  readonly own?: true
}

/**
 * A decoder of unknown input whose failures speak to the caller: BadRequest for a missing field, a wrong type or an
 * unreadable value; ValidationFailed for a readable value that breaks a rule. All wrong fields are told at once, what
 * cannot be read at all before what breaks a rule; the first decides the code. Unknown fields are ignored (contract
 * facts 0.1).
 */
export const decoderOf = <A>(codec: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownEffect(codec, { errors: "first", reportInput: true })
  const decodeAll = Schema.decodeUnknownEffect(codec, { errors: "all", reportInput: true })
  return (input: unknown): Effect.Effect<A, BadRequest | ValidationFailed> =>
    decode(input).pipe(
      // Finding everything that is wrong with a large input would hold up all others; of that the first is told.
      Effect.catch((first) =>
        partsIn(input, ALL_TOLD_PARTS) > ALL_TOLD_PARTS ? Effect.fail(first) : decodeAll(input)
      ),
      Effect.mapError((error) => toApiError(findingsOf(error.issue, []))),
      Effect.flatMap((value) => {
        const spoilt = unstorableIn(value)
        return spoilt.length === 0 ? Effect.succeed(value) : Effect.fail(toApiError(spoilt))
      })
    )
}

/** Fields and elements of an input of which all that is wrong is told. */
export const ALL_TOLD_PARTS = 1_000

/** Fields and elements of a value, however deep; no further than one more than `most`. */
const partsIn = (value: unknown, most: number): number => {
  if (typeof value !== "object" || value === null) return 0
  let parts = 0
  for (const each of Object.values(value)) {
    parts += 1 + partsIn(each, most - parts)
    if (parts > most) return most + 1
  }
  return parts
}

const NUL = "\u0000"

/** The database cannot store U+0000, nor one half of a pair of UTF-16 without the other. */
const isUnstorable = (text: string): boolean => text.includes(NUL) || !text.isWellFormed()

const unstorable = (field: string, text: string): Finding => ({
  field,
  text: `must not contain ${text.includes(NUL) ? "the character U+0000" : "half of a surrogate pair"}`,
  code: 422
})

/** The first unstorable text of each field. */
const unstorableIn = (value: unknown): ReadonlyArray<Finding> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([field, each]) => {
    const spoilt = spoiltIn(each)
    return spoilt === undefined ? [] : [unstorable(fieldOf([field, ...spoilt.path]), spoilt.text)]
  })
}

interface Spoilt {
  readonly path: ReadonlyArray<PropertyKey>
  readonly text: string
}

/** The first unstorable text and where it is, be it the name of a field. Whatever is sound costs no path. */
const spoiltIn = (value: unknown): Spoilt | undefined => {
  if (typeof value === "string") return isUnstorable(value) ? { path: [], text: value } : undefined
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, each] of Object.entries(value)) {
    const found = spoiltIn(key) ?? spoiltIn(each)
    if (found !== undefined)
      return { path: [Array.isArray(value) ? Number(key) : key, ...found.path], text: found.text }
  }
  return undefined
}

const toApiError = (findings: ReadonlyArray<Finding>): BadRequest | ValidationFailed => {
  const ranked = [...findings.filter(({ code }) => code === 400), ...findings.filter(({ code }) => code === 422)]
  // The first of each list's elements, and each field of the payload once before others within it are told.
  const ofEach = firstBy(ranked, ({ field }) => field.replace(/\[.*$/, ""))
  const ofFields = firstBy(ofEach, ({ field }) => field.replace(/[.[].*$/, ""))
  const all = [...ofFields, ...ofEach.filter((finding) => !ofFields.includes(finding))]
  const told = all.slice(0, FIELDS_TOLD).map(sentenceOf)
  const more = all.length > FIELDS_TOLD ? [`And ${all.length - FIELDS_TOLD} more.`] : []
  const message = [...told, ...more].join(" ")
  return all[0]?.code === 422 ? new ValidationFailed({ message }) : new BadRequest({ message })
}

/** Of those with the same key the first, in order. */
const firstBy = (findings: ReadonlyArray<Finding>, key: (finding: Finding) => string): ReadonlyArray<Finding> => {
  const first = new Map<string, Finding>()
  for (const finding of findings) if (!first.has(key(finding))) first.set(key(finding), finding)
  return Array.from(first.values())
}

const sentenceOf = ({ field, text }: Finding): string =>
  field === "" ? `${text.charAt(0).toUpperCase()}${text.slice(1)}.` : `${field}: ${text}.`

const fieldOf = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${toldName(String(key))}`))
    .join("")

const findingsOf = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Finding> => {
  switch (issue._tag) {
    case "Pointer":
      return findingsOf(issue.issue, [...path, ...issue.path])
    case "Composite":
      return issue.issues.flatMap((each) => findingsOf(each, path))
    case "Filter":
      return issue.issue._tag === "InvalidValue"
        ? [filterFinding(issue, issue.issue, path)]
        : findingsOf(issue.issue, path)
    case "Encoding":
      // The text of a query parameter that is not the number or boolean it should be.
      return findingsOf(issue.issue, path).map((each) =>
        each.own === true ? each : { ...each, text: `must be ${named(issue.ast)}`, code: 400 }
      )
    case "AnyOf":
      return anyOfFindings(issue, path)
    case "MissingKey":
      return [{ field: fieldOf(path), text: "is required", code: 400 }]
    case "InvalidType":
      return [{ field: fieldOf(path), text: `must be ${named(issue.ast)}`, code: 400 }]
    default:
      return [{ field: fieldOf(path), text: "cannot be read", code: 400 }]
  }
}

const filterFinding = (
  { filter, input }: SchemaIssue.Filter,
  { annotations }: SchemaIssue.InvalidValue,
  path: ReadonlyArray<PropertyKey>
): Finding => {
  const field = fieldOf(path)
  // One rule for every text, whatever else is asked of it.
  if (typeof input === "string" && isUnstorable(input)) return { ...unstorable(field, input), own: true }
  const text =
    annotations?.message ?? filter.annotations?.message ?? `must be ${filter.annotations?.expected ?? "valid"}`
  return filter.annotations?.unreadable === true ? { field, text, code: 400, own: true } : { field, text, code: 422 }
}

const anyOfFindings = (issue: SchemaIssue.AnyOf, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Finding> => {
  const choices = literalsOf(issue.ast)
  const closest = issue.issues.at(-1)
  if (choices.length > 0) {
    const sameType = choices.some((choice) => typeof choice === typeof issue.input)
    const { expected } = issue.ast.annotations ?? {}
    if (typeof expected !== "string") {
      return [{ field: fieldOf(path), text: `must be one of ${choices.join(", ")}`, code: sameType ? 422 : 400 }]
    }
    // Words beside something else, such as an hour or FLEXIBLE, say so themselves.
    const code = sameType ? 422 : closest === undefined ? 400 : (findingsOf(closest, path)[0]?.code ?? 400)
    return [{ field: fieldOf(path), text: `must be ${expected}`, code }]
  }
  // Of a union such as "a record or null" the closest member speaks: the one that got furthest into the value.
  return closest === undefined
    ? [{ field: fieldOf(path), text: `must be ${named(issue.ast)}`, code: 400 }]
    : findingsOf(closest, path)
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string | number | boolean | bigint> =>
  ast._tag === "Literal" ? [ast.literal] : ast._tag === "Union" ? ast.types.flatMap(literalsOf) : []

const NAMES: Partial<Record<SchemaAST.AST["_tag"], string>> = {
  String: "a text",
  Number: "a number",
  Boolean: "true or false",
  Objects: "an object",
  Arrays: "an array",
  Null: "null"
}

const named = (ast: SchemaAST.AST): string => {
  const known = NAMES[ast._tag]
  if (known !== undefined) return known
  const expected = ast.annotations?.expected
  if (typeof expected === "string") return expected
  return ast._tag === "Union" ? ast.types.map(named).join(" or ") : "of another type"
}
