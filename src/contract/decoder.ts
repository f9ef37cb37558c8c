import { Effect, type Schema, type SchemaAST, type SchemaIssue, SchemaParser } from "effect"
import { REPORTED_FIELDS_MAX } from "../platform/limits.ts"
import { BadRequest, ValidationFailed } from "./errors.ts"
import { toPrintableName } from "./printable-name.ts"

interface InputProblem {
  readonly field: string
  readonly text: string
  readonly code: 400 | 422
  readonly isOwnText?: true
}

/**
 * Returns a decoder that fails with BadRequest for unreadable values, and with ValidationFailed for values that break a
 * rule. One message reports all fields. Unknown fields are ignored (contract facts 0.1).
 */
export const makeDecoder = <A>(codec: Schema.ConstraintDecoder<A>) => {
  const decodeToFirstError = SchemaParser.decodeUnknownEffect(codec, { errors: "first", reportInput: true })
  const decode = SchemaParser.decodeUnknownEffect(codec, { errors: "all", reportInput: true })
  return (input: unknown): Effect.Effect<A, BadRequest | ValidationFailed> =>
    // Finding all errors of a large input would block the thread for long.
    (countParts(input, FULL_REPORT_PARTS) > FULL_REPORT_PARTS ? decodeToFirstError : decode)(input).pipe(
      Effect.mapError((issue) => toApiError(toProblems(issue, []))),
      Effect.flatMap((value) => {
        const unstorableFields = findUnstorableFields(value)
        return unstorableFields.length === 0 ? Effect.succeed(value) : Effect.fail(toApiError(unstorableFields))
      })
    )
}

export const FULL_REPORT_PARTS = 1_000

const countParts = (value: unknown, maxParts: number): number => {
  if (typeof value !== "object" || value === null) return 0
  if (Array.isArray(value) && value.length > maxParts) return maxParts + 1
  let parts = 0
  for (const each of Object.values(value)) {
    parts += 1 + countParts(each, maxParts - parts)
    if (parts > maxParts) return maxParts + 1
  }
  return parts
}

const NUL = "\u0000"

/** PostgreSQL stores neither U+0000 nor half of a surrogate pair. */
const isUnstorable = (text: string): boolean => text.includes(NUL) || !text.isWellFormed()

const toUnstorableProblem = (field: string, text: string): InputProblem => ({
  field,
  text: `must not contain ${text.includes(NUL) ? "the character U+0000" : "half of a surrogate pair"}`,
  code: 422
})

const findUnstorableFields = (value: unknown): ReadonlyArray<InputProblem> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([field, each]) => {
    const unstorableText = findUnstorableText(each)
    return unstorableText === undefined
      ? []
      : [toUnstorableProblem(formatFieldPath([field, ...unstorableText.path]), unstorableText.text)]
  })
}

interface UnstorableText {
  readonly path: ReadonlyArray<PropertyKey>
  readonly text: string
}

const findUnstorableText = (value: unknown): UnstorableText | undefined => {
  if (typeof value === "string") return isUnstorable(value) ? { path: [], text: value } : undefined
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, each] of Object.entries(value)) {
    const unstorableText = findUnstorableText(key) ?? findUnstorableText(each)
    if (unstorableText !== undefined)
      return { path: [Array.isArray(value) ? Number(key) : key, ...unstorableText.path], text: unstorableText.text }
  }
  return undefined
}

const toApiError = (problems: ReadonlyArray<InputProblem>): BadRequest | ValidationFailed => {
  const problemsByCode = [
    ...problems.filter(({ code }) => code === 400),
    ...problems.filter(({ code }) => code === 422)
  ]
  const firstOfEachField = firstBy(problemsByCode, ({ field }) => field.replace(/\[.*$/, ""))
  const firstOfTopLevelField = firstBy(firstOfEachField, ({ field }) => field.replace(/[.[].*$/, ""))
  const orderedProblems = [
    ...firstOfTopLevelField,
    ...firstOfEachField.filter((problem) => !firstOfTopLevelField.includes(problem))
  ]
  const sentences = orderedProblems.slice(0, REPORTED_FIELDS_MAX).map(toSentence)
  const remainder =
    orderedProblems.length > REPORTED_FIELDS_MAX ? [`And ${orderedProblems.length - REPORTED_FIELDS_MAX} more.`] : []
  const message = [...sentences, ...remainder].join(" ")
  return orderedProblems[0]?.code === 422 ? new ValidationFailed({ message }) : new BadRequest({ message })
}

const firstBy = (
  problems: ReadonlyArray<InputProblem>,
  key: (problem: InputProblem) => string
): ReadonlyArray<InputProblem> => {
  const first = new Map<string, InputProblem>()
  for (const problem of problems) if (!first.has(key(problem))) first.set(key(problem), problem)
  return Array.from(first.values())
}

const toSentence = ({ field, text }: InputProblem): string =>
  field === "" ? `${text.charAt(0).toUpperCase()}${text.slice(1)}.` : `${field}: ${text}.`

const formatFieldPath = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((key, index) =>
      typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${toPrintableName(String(key))}`
    )
    .join("")

const toProblems = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<InputProblem> => {
  switch (issue._tag) {
    case "Pointer":
      return toProblems(issue.issue, [...path, ...issue.path])
    case "Composite":
      return issue.issues.flatMap((each) => toProblems(each, path))
    case "Filter":
      return issue.issue._tag === "InvalidValue"
        ? [toFilterProblem(issue, issue.issue, path)]
        : toProblems(issue.issue, path)
    case "Encoding":
      // A query parameter is not the expected number or boolean.
      return toProblems(issue.issue, path).map((each) =>
        each.isOwnText === true ? each : { ...each, text: `must be ${describeType(issue.ast)}`, code: 400 }
      )
    case "AnyOf":
      return toAnyOfProblems(issue, path)
    case "MissingKey":
      return [{ field: formatFieldPath(path), text: "is required", code: 400 }]
    case "InvalidType":
      return [{ field: formatFieldPath(path), text: `must be ${describeType(issue.ast)}`, code: 400 }]
    default:
      return [{ field: formatFieldPath(path), text: "cannot be read", code: 400 }]
  }
}

const toFilterProblem = (
  { filter, input }: SchemaIssue.Filter,
  { annotations }: SchemaIssue.InvalidValue,
  path: ReadonlyArray<PropertyKey>
): InputProblem => {
  const field = formatFieldPath(path)
  if (typeof input === "string" && isUnstorable(input)) return { ...toUnstorableProblem(field, input), isOwnText: true }
  const text =
    annotations?.message ?? filter.annotations?.message ?? `must be ${filter.annotations?.expected ?? "valid"}`
  return filter.annotations?.unreadable === true
    ? { field, text, code: 400, isOwnText: true }
    : { field, text, code: 422 }
}

const toAnyOfProblems = (issue: SchemaIssue.AnyOf, path: ReadonlyArray<PropertyKey>): ReadonlyArray<InputProblem> => {
  const literals = literalsOf(issue.ast)
  const closestIssue = issue.issues.at(-1)
  if (literals.length > 0) {
    const sameType = literals.some((choice) => typeof choice === typeof issue.input)
    const { expected } = issue.ast.annotations ?? {}
    if (typeof expected !== "string") {
      return [
        { field: formatFieldPath(path), text: `must be one of ${literals.join(", ")}`, code: sameType ? 422 : 400 }
      ]
    }
    // The union has words and another type, such as FLEXIBLE or an hour. Its `expected` describes both.
    const code = sameType ? 422 : closestIssue === undefined ? 400 : (toProblems(closestIssue, path)[0]?.code ?? 400)
    return [{ field: formatFieldPath(path), text: `must be ${expected}`, code }]
  }
  // Effect puts the member of the union that matched most of the value last.
  return closestIssue === undefined
    ? [{ field: formatFieldPath(path), text: `must be ${describeType(issue.ast)}`, code: 400 }]
    : toProblems(closestIssue, path)
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string | number | boolean | bigint> =>
  ast._tag === "Literal" ? [ast.literal] : ast._tag === "Union" ? ast.types.flatMap(literalsOf) : []

const TYPE_NAMES: Partial<Record<SchemaAST.AST["_tag"], string>> = {
  String: "a text",
  Number: "a number",
  Boolean: "true or false",
  Objects: "an object",
  Arrays: "an array",
  Null: "null"
}

const describeType = (ast: SchemaAST.AST): string => {
  const typeName = TYPE_NAMES[ast._tag]
  if (typeName !== undefined) return typeName
  const expected = ast.annotations?.expected
  if (typeof expected === "string") return expected
  return ast._tag === "Union" ? ast.types.map(describeType).join(" or ") : "of another type"
}
