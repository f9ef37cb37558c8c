import { assert, describe, it } from "@effect/vitest"
import { describeOperations } from "../../src/transports/docs/operation-descriptions.ts"
import { toFieldRows } from "../../src/transports/docs/site/schema-text.ts"

// Notes of types, such as "major units", are no sentences. A meaning is one, so it ends with a full stop.

const isMeaning = (text: string): boolean => /\w.*\.$/s.test(text)

describe("the meaning of every field", () => {
  it.each(describeOperations().map((operation) => [operation.name, operation] as const))(
    "of %s is in the contract",
    (_, { fields, resultSchema }) => {
      const payload = {
        type: "object",
        properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))
      }
      const rows = [...toFieldRows(payload), ...toFieldRows(resultSchema)]
      const withoutMeaning = rows.filter(({ description }) => !isMeaning(description)).map(({ path }) => path)
      assert.deepStrictEqual(withoutMeaning, [])
    }
  )
})
