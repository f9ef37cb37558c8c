import { assert, describe, it } from "@effect/vitest"
import type { JsonSchema } from "../../../../src/transports/docs/operation-descriptions.ts"
import { toSchemaText } from "../../../../src/transports/docs/site/schema-text.ts"

const TEXTS: ReadonlyArray<readonly [text: string, schema: JsonSchema]> = [
  ["whole number, at least 1", { type: "integer", minimum: 1 }],
  ["whole number, 1 to 100, default 20", { type: "integer", minimum: 1, maximum: 100, default: 20 }],
  ["number, at most 5, above 0", { type: "number", exclusiveMinimum: 0, maximum: 5 }],
  ["text, at least 1 character", { type: "string", minLength: 1 }],
  ["text, 1 to 100 characters", { type: "string", minLength: 1, maxLength: 100 }],
  [
    "list of whole number (at least 1), 1 to 100 elements",
    { type: "array", items: { type: "integer", minimum: 1 }, minItems: 1, maxItems: 100 }
  ],
  [
    "list of text (`YYYY-MM-DD`), at most 1097 elements",
    { type: "array", items: { type: "string", format: "date" }, maxItems: 1097 }
  ],
  ["list of text", { type: "array", items: { type: "string" } }]
]

describe("the text of a schema", () => {
  for (const [text, schema] of TEXTS) it(text, () => assert.strictEqual(toSchemaText(schema), text))
})
