import type { ActionError } from "../action-outcome.ts"
import { describeProblem, describeSentence } from "./field-problems.ts"
import { toFieldLabel } from "./field-words.ts"

/** A problem of a form in the host's words. `field` is the API's field, without its index: `price` of `ranges[0].price`. */
export interface FieldError {
  readonly field: string | undefined
  readonly text: string
}

// The API reports each field as `field: problem.` (contract/decoder.ts), and some problems as `one, other: problem.`

const FIELD_PATH = String.raw`[a-z][a-z0-9_]*(?:[.[][^\s:]*)?`
/** The keys of custom fields are the host's own texts, which may contain spaces and colons. */
const CUSTOM_FIELD_PATH = String.raw`custom_fields\.[^]*?(?=: (?:must|is|cannot)\b)`
const FIELD_PATHS = `(?:${CUSTOM_FIELD_PATH}|${FIELD_PATH}(?:, ${FIELD_PATH})*)`
const FIELD_SENTENCE = new RegExp(String.raw`^(${FIELD_PATHS}): ([^]+?)\.?$`)
const SENTENCE_START = new RegExp(String.raw`(?<=\.) (?=${FIELD_PATHS}: |And \d+ more\.$)`)

/** Returns the problems of an API error message, in its order. */
export const toFieldErrors = (message: string): ReadonlyArray<FieldError> =>
  message.split(SENTENCE_START).map((sentence) => {
    const [, path, problem = ""] = FIELD_SENTENCE.exec(sentence) ?? []
    if (path === undefined) return { field: undefined, text: describeSentence(sentence) }
    const fields = path.startsWith("custom_fields.") ? ["custom_fields"] : path.split(", ").map(toFieldName)
    const [field = "", ...otherFields] = fields
    return otherFields.length === 0
      ? { field, text: describeProblem(field, problem) }
      : { field: undefined, text: `Fill in at least one of: ${fields.map(toFieldLabel).join(", ")}.` }
  })

export const formatActionError = ({ message }: ActionError): string =>
  Array.from(new Set(toFieldErrors(message).map(({ text }) => text))).join(" ")

/** One field of a form makes these objects. */
const OBJECT_FIELDS = ["arrival_at", "departure_at", "custom_fields", "category_ratings", "trigger"]

/** `ranges[0].price` is the form's price, and `property_ids[2]` one of its properties. */
const toFieldName = (path: string): string => {
  const parts = path.replaceAll(/\[[^\]]*\]/g, "").split(".")
  return OBJECT_FIELDS.find((each) => parts.includes(each)) ?? parts.at(-1) ?? path
}
