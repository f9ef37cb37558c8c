import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { Predicate } from "effect"
import { errorSchemas, toResponseSchema } from "../../../../../src/transports/docs/openapi/responses.ts"
import {
  describeOperations,
  type JsonSchema,
  type OperationDescription
} from "../../../../../src/transports/docs/operation-descriptions.ts"

// Whether an answer is one that the OpenAPI document says there may be.

// Formats are words for people here; what a text must look like is the schema's to say.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
const components = { schemas: errorSchemas() }

const isRecord = (value: unknown): value is JsonSchema => Predicate.isObject(value)

/** The schema of an answer whose rows have only what `fields` asked for: the same, but that no field must be there. */
const narrowSchema = (response: JsonSchema, list: string): JsonSchema => {
  const { properties } = response
  if (!isRecord(properties)) return response
  const rows = properties[list]
  const items = isRecord(rows) && isRecord(rows["items"]) ? rows["items"] : {}
  return { ...response, properties: { ...properties, [list]: { ...Object(rows), items: { ...items, required: [] } } } }
}

const compileValidator = (operation: OperationDescription): ValidateFunction =>
  ajv.compile({ ...toResponseSchema(operation), components })

const validators = new Map<string, ValidateFunction>()

const findValidator = (name: string, isNarrowed: boolean): ValidateFunction | undefined => {
  const operation = describeOperations().find((each) => each.name === name)
  if (operation === undefined) return undefined
  const { resultSchema, selectableList } = operation
  const effectiveOperation =
    isNarrowed && selectableList !== undefined
      ? { ...operation, resultSchema: narrowSchema(resultSchema, selectableList) }
      : operation
  const key = `${name} ${effectiveOperation === operation}`
  const validator = validators.get(key) ?? compileValidator(effectiveOperation)
  validators.set(key, validator)
  return validator
}

/** What is wrong with an envelope that an operation answered; undefined: nothing. `isNarrowed`: it was asked for some fields alone. */
export const findSchemaViolation = (name: string, envelope: unknown, isNarrowed: boolean): string | undefined => {
  const validate = findValidator(name, isNarrowed)
  if (validate === undefined) return "there is no such operation"
  if (validate(envelope)) return undefined
  const errors = validate.errors ?? []
  return errors
    .filter(({ keyword }) => keyword !== "oneOf" && keyword !== "const")
    .slice(0, 3)
    .map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`)
    .join("; ")
}
