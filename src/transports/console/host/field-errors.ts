import type { ActionError } from "../action-outcome.ts"
import { FIELD_WORDS } from "./field-words.ts"

/** A problem of a form in the host's words. `field` is the API's field, without its index: `price` of `ranges[0].price`. */
export interface FieldError {
  readonly field: string | undefined
  readonly text: string
}

/** The API reports each field as `field: problem.` (contract/decoder.ts). */
const FIELD_SENTENCE = /^([a-z][a-z0-9_]*(?:[.[][^\s:]*)?): (.+?)\.?$/s
const SENTENCE_START = /(?<=\.) (?=[a-z][a-z0-9_]*(?:[.[][^\s:]*)?: )/

/** Returns the problems of an API error message, in its order. */
export const toFieldErrors = (message: string): ReadonlyArray<FieldError> =>
  message.split(SENTENCE_START).map((sentence) => {
    const [, path, problem = ""] = FIELD_SENTENCE.exec(sentence) ?? []
    if (path === undefined) return { field: undefined, text: sentence }
    const field = toFieldName(path)
    return { field, text: describeProblem(field, problem) }
  })

export const formatActionError = ({ message }: ActionError): string =>
  Array.from(new Set(toFieldErrors(message).map(({ text }) => text))).join(" ")

/** `ranges[0].price` is the form's price, and `property_ids[2]` one of its properties. */
const toFieldName = (path: string): string =>
  path
    .replaceAll(/\[\d*\]/g, "")
    .split(".")
    .at(-1) ?? path

const toLabel = (field: string): string => FIELD_WORDS[field]?.label ?? capitalize(field.replaceAll("_", " "))

const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const toSubject = (field: string): string => FIELD_WORDS[field]?.noun ?? toLabel(field).toLowerCase()

const describeMissing = (field: string): string => FIELD_WORDS[field]?.missing ?? `Fill in “${toLabel(field)}”.`

const DECIMALS = ["no decimals", "one decimal", "two decimals", "three decimals", "four decimals"]

const describeDecimals = (currency: string): string => {
  const decimals = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits
  return `Amounts in ${currency} have ${DECIMALS[decimals ?? 2] ?? `${decimals} decimals`}.`
}

interface ProblemRule {
  readonly pattern: RegExp
  readonly describe: (field: string, groups: ReadonlyArray<string>) => string
}

const PROBLEM_RULES: ReadonlyArray<ProblemRule> = [
  { pattern: /^is required\b/, describe: describeMissing },
  { pattern: /^must not be empty$/, describe: describeMissing },
  { pattern: /^must be a (?:date|day)\b/, describe: describeMissing },
  {
    pattern: /^must be an? (?:amount|number) from (\S+) to \S+$/,
    describe: (field, [least = ""]) => `Enter ${toSubject(field)} of at least ${least}.`
  },
  {
    pattern: /^must be a whole number from (\S+) to (\S+)$/,
    describe: (field, [least = "", most = ""]) => `${toLabel(field)}: a whole number from ${least} to ${most}.`
  },
  {
    pattern: /^has more decimals than ([A-Z]{3}) has$/,
    describe: (_field, [currency = ""]) => describeDecimals(currency)
  },
  { pattern: /^must be after check_in_date$/, describe: () => "Check-out must be after check-in." },
  {
    pattern: /^is already used by another (.+)$/,
    describe: (_field, [noun = "record"]) => `You already have a ${noun} with this name.`
  },
  {
    pattern: /^must have at most (\S+) characters$/,
    describe: (field, [most = ""]) => `${toLabel(field)}: ${Number(most).toLocaleString("en")} characters max.`
  },
  { pattern: /^no such (.+)$/, describe: (_field, [noun = "record"]) => `This ${noun} does not exist any more.` }
]

const describeProblem = (field: string, problem: string): string => {
  for (const { pattern, describe } of PROBLEM_RULES) {
    const match = pattern.exec(problem)
    if (match !== null) return describe(field, match.slice(1))
  }
  return `${toLabel(field)}: ${replaceFieldNames(problem)}.`
}

/** Other fields in a problem are shown by their labels. */
const replaceFieldNames = (problem: string): string =>
  problem.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => toLabel(name))
