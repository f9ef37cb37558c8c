import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { routeOf, toolMetadataOf } from "../../../../src/contract/operation.ts"
import { CURRENT_VERSION } from "../../../../src/contract/releases.ts"
import { operations } from "../../../../src/service/Api.ts"
import { openApiDocument } from "../../../../src/transports/docs/openapi/openapi-document.ts"
import { describeOperations } from "../../../../src/transports/docs/operation-descriptions.ts"
import { TOOL_CATALOGUE } from "../../../support/transports/mcp/tool-catalogue.ts"

const URL = "https://api.example.org"
const document = openApiDocument("international", URL)

type Json = Readonly<Record<string, unknown>>
const at = (value: unknown, ...path: ReadonlyArray<string>): Json => {
  const found = path.reduce<unknown>(
    (each, name) => (Predicate.isObject(each) ? Reflect.get(each, name) : undefined),
    value
  )
  return Predicate.isObject(found) ? { ...found } : assert.fail(`nothing at ${path.join(" ")}`)
}

/** Each operation by its id, with where it stands. */
const written = new Map(
  Object.entries(at(document, "paths")).flatMap(([path, item]) =>
    Object.entries(at(item)).map(([method, operation]) => [
      String(at(operation)["operationId"]),
      { path, method, operation: at(operation) }
    ])
  )
)

describe("the OpenAPI document", () => {
  it("gives each field of a request a type, also a field that cannot change", () => {
    const untyped = describeOperations().flatMap(({ name, fields }) =>
      fields
        .filter(
          ({ schema: { anyOf } }) => Array.isArray(anyOf) && anyOf.some((each) => each.description === "JSON value")
        )
        .map((field) => `${name} ${field.name}`)
    )
    assert.deepStrictEqual(untyped, [])
    const { fields } = describeOperations().find(({ name }) => name === "update_transaction") ?? assert.fail()
    const direction = fields.find(({ name }) => name === "direction")
    assert.strictEqual(direction?.schema["type"], "string")
    assert.deepStrictEqual(direction?.schema["enum"], ["income", "expense"])
  })

  it("has every operation once, at its method and path", () => {
    assert.sameMembers(
      Array.from(written.keys()),
      operations.map(({ _tag }) => _tag)
    )
    for (const each of operations) {
      const { method, path } = routeOf(each)
      const found = written.get(each._tag)
      assert.strictEqual(found?.method, method.toLowerCase())
      if (found?.path !== "/reservations/{code}") assert.strictEqual(found?.path, path)
    }
  })

  it("has one path item for the two routes that differ only in the name of their parameter, and says which each wants", () => {
    const names = ["update_reservation_basic", "cancel_reservation"].map((name) => {
      const { path, operation } = written.get(name) ?? assert.fail(name)
      assert.strictEqual(path, "/reservations/{code}")
      const parameters = operation["parameters"]
      return Array.isArray(parameters) ? String(parameters[0].description) : ""
    })
    assert.match(names[0] ?? "", /stay_code/)
    assert.match(names[1] ?? "", /reservation_code/)
  })

  it("tells of each how the tool endpoint shows it, as the catalogue has it", () => {
    for (const row of TOOL_CATALOGUE) {
      const { description, intent_examples, ...block } = at(written.get(row.name)?.operation, "x-mcp")
      assert.deepStrictEqual(block, {
        exposed: true,
        tool_name: row.name,
        category: row.category,
        read_only: row.readOnly,
        requires_confirmation: row.requiresConfirmation,
        since_version: row.since
      })
      assert.isNotEmpty(description)
      assert.isNotEmpty(intent_examples)
    }
    for (const each of operations.filter((one) => toolMetadataOf(one) === undefined)) {
      assert.deepStrictEqual(at(written.get(each._tag)?.operation, "x-mcp"), { exposed: false })
    }
  })

  it("answers 200 with the envelope of the result or of any error the operation has", () => {
    for (const { name, errors } of describeOperations()) {
      const { oneOf } = at(written.get(name)?.operation, "responses", "200", "content", "application/json", "schema")
      const choices = Array.isArray(oneOf) ? oneOf : []
      assert.deepStrictEqual(
        choices.slice(1).map((each) => String(each.$ref)),
        errors.map((code) => `#/components/schemas/Error${code}`)
      )
      assert.strictEqual(at(choices[0], "properties", "error_code")["const"], 0)
    }
  })

  it("refers to nothing that is not there", () => {
    for (const [, name = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g))
      at(document, ...name.split("/"))
  })

  it("has the fields of a DELETE in the query, or in a body in its place", () => {
    const { operation } = written.get("remove_reservation_tag") ?? assert.fail()
    const schema = at(operation, "requestBody", "content", "application/json", "schema")
    assert.deepStrictEqual([Object.keys(at(schema, "properties")), schema["required"]], [["tag_name"], ["tag_name"]])
    const parameters: ReadonlyArray<Json> = Array.isArray(operation["parameters"]) ? operation["parameters"] : []
    const named = parameters
      .filter((each) => each["in"] !== undefined)
      .map((each) => [each["name"], each["in"], each["required"]])
    assert.deepStrictEqual(named, [
      ["stay_code", "path", true],
      ["tag_name", "query", false]
    ])
    assert.notProperty(at(written.get("delete_task")?.operation), "requestBody")
  })

  it("states its release, its server and its deployment", () => {
    const regional = openApiDocument("regional", URL)
    assert.strictEqual(at(document, "info")["version"], CURRENT_VERSION)
    assert.deepStrictEqual(document["servers"], [{ url: `${URL}/v3`, description: "The international deployment" }])
    const elsewhere = openApiDocument("regional", undefined)
    assert.notProperty(elsewhere, "servers")
    assert.notMatch(JSON.stringify(at(elsewhere, "components", "securitySchemes")), /https?:/)
    assert.match(String(at(document, "info")["description"]), /custom_channel_id 35.*\+<country code> <number>/)
    assert.match(String(at(regional, "info")["description"]), /there is no custom_channel_id 35/)
    assert.notInclude(String(at(regional, "info")["description"]), "+<country code>")
  })
})

it("the regional document has no custom channel 35 and its own form of a mobile number, wherever either is", () => {
  const regional = JSON.stringify(openApiDocument("regional", "https://api.example.com"))
  const international = JSON.stringify(openApiDocument("international", "https://api.example.com"))
  for (const shown of ['"name":"International agency"', "+<country code> <number>, as", '"mobile":"+351']) {
    assert.include(international, shown)
    assert.notInclude(regional, shown)
  }
  assert.include(regional, "a telephone number, as 13800138000")
})
