import { assert, describe, it } from "@effect/vitest"
import { describeOperations } from "../../../../src/transports/docs/operation-descriptions.ts"
import { findSchemaViolation } from "../../../support/transports/docs/openapi/response-validation.ts"

const answered = (code: number, data: unknown, message = code === 0 ? "" : "no") => ({
  request_id: "RT20270101000000ABCDEFGH",
  error_code: code,
  error_msg: message,
  data
})

describe("the schemas of answers", () => {
  it("take what an operation answers, and each error that it has", () => {
    const groups = answered(0, { groups: [], total: 0 })
    assert.isUndefined(findSchemaViolation("search_property_groups", groups, false))
    for (const { name, errors } of describeOperations()) {
      for (const code of errors)
        assert.isUndefined(findSchemaViolation(name, answered(code, {}), false), `${name} ${code}`)
    }
  })

  it("refuse another's answer, an error it has not, and a field that is missing or of another type", () => {
    assert.isDefined(findSchemaViolation("search_property_groups", answered(0, { tags: [] }), false))
    assert.isDefined(findSchemaViolation("search_property_groups", answered(404, {}), false))
    assert.isDefined(findSchemaViolation("search_property_groups", answered(418, {}), false))
    assert.isDefined(findSchemaViolation("create_property", answered(0, { property_id: "1" }), false))
    assert.isDefined(
      findSchemaViolation("create_property", { error_code: 0, error_msg: "", data: { property_id: 1 } }, false)
    )
    assert.isUndefined(findSchemaViolation("create_property", answered(0, { property_id: 1 }), false))
  })

  it("let fields of a row be missing where some alone were asked for, and there alone", () => {
    const some = answered(0, { properties: [{ id: 1 }], total: 1 })
    assert.isUndefined(findSchemaViolation("search_properties", some, true))
    assert.isDefined(findSchemaViolation("search_properties", some, false))
    assert.isDefined(
      findSchemaViolation("search_properties", answered(0, { properties: [{ id: "1" }], total: 1 }), true)
    )
    assert.isDefined(findSchemaViolation("search_properties", answered(0, { properties: [{ id: 1 }] }), true))
  })
})
