import { assert, describe, it } from "@effect/vitest"
import { describeOperations } from "../../src/transports/docs/operation-descriptions.ts"
import { renderOperationPage } from "../../src/transports/docs/site/operation-page.ts"
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

  it.each(describeOperations().map((operation) => [operation.name, operation] as const))(
    "of %s is on its page, also of a field within an object or a list",
    (_, operation) => {
      const visibleFields = operation.fields.filter(({ isImmutable }) => !isImmutable)
      const properties = Object.fromEntries(visibleFields.map(({ name, schema }) => [name, schema]))
      const { markdown } = renderOperationPage(operation, "http://127.0.0.1:8080", undefined)
      const missing = toFieldRows({ type: "object", properties }).filter(
        ({ path }) => !markdown.includes(`| \`${path}\` |`)
      )
      assert.deepStrictEqual(
        missing.map(({ path }) => path),
        []
      )
    }
  )
})
