import { Predicate, Schema } from "effect"
import { makeInputCorrector } from "../../src/contract/input-correction.ts"
import { routeOf } from "../../src/contract/operation.ts"
import type { ApiOperation } from "../../src/service/Api.ts"
import { sampled, seedOfRun, valuesOf } from "../attacks/inputs.ts"
import { WRONG_TYPES } from "../attacks/odd-values.ts"
import { payloadFieldsOf } from "./operation-samples.ts"

/** Values that are generated from the schema of each field, beside those of another type. */
const GENERATED_VALUES = 6
const seed = seedOfRun()
console.log(`the contract test's inputs: ATTACK_SEED=${seed}`)

/** A field and a value that it does not take. */
export interface MalformedField {
  readonly field: string
  readonly value: unknown
}

/** Returns values that the fields of an operation do not take: those of another type, and those of this run's generator. */
export const listMalformedFields = (operation: ApiOperation): ReadonlyArray<MalformedField> =>
  payloadFieldsOf(operation).flatMap(([field, schema]) =>
    [...WRONG_TYPES, ...sampled(valuesOf(schema), GENERATED_VALUES, seed)]
      .filter((value) => !isTaken(operation, field, schema, value))
      .map((value) => ({ field, value }))
  )

/** Whether the field takes the value, as it is or corrected: `null` may mean "not given", a text may be a whole number. */
const isTaken = (operation: ApiOperation, field: string, schema: Schema.Top, value: unknown): boolean => {
  const { method } = routeOf(operation)
  const correct = makeInputCorrector(operation.payloadSchema.ast, method === "GET" || method === "POST")
  const correctedFields = correct({ [field]: value })
  if (!Predicate.hasProperty(correctedFields, field)) return true
  const correctedValue = correctedFields[field]
  return Schema.is(schema)(correctedValue) || Schema.is(Schema.toEncoded(schema))(correctedValue)
}
