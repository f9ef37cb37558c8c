import { assert, describe, it } from "@effect/vitest"
import {
  describeOperations,
  type OperationDescription
} from "../../../../src/transports/docs/operation-descriptions.ts"
import { findExample } from "../../../../src/transports/docs/operation-examples.ts"
import {
  takesIdempotencyKey,
  toCurlCommand,
  toJavaScript,
  toPython
} from "../../../../src/transports/docs/site/code-examples.ts"

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor

const operationNamed = (name: string): OperationDescription => {
  const operation = describeOperations().find((each) => each.name === name)
  assert(operation !== undefined)
  return operation
}

const URL = "https://api.example.com"
const change = operationNamed("create_transaction")
const REQUEST = { property_id: 6, note: 'It\'s "clean"\ntrue', is_paid: true, shares: [true, null], "a-b": 1 }
const withFields: OperationDescription = {
  ...change,
  fields: Object.keys(REQUEST).map((name) => ({
    name,
    location: "body",
    required: true,
    schema: {},
    isImmutable: false
  }))
}

describe("the examples of an operation", () => {
  it("call with curl", () => {
    assert.strictEqual(
      toCurlCommand(withFields, { note: "It's" }, URL),
      `curl -X POST "https://api.example.com/v3/transactions" \\
  -H "Service-Access-Token: $TOKEN" \\
  -H "Idempotency-Key: $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
  "note": "It'\\''s"
}'`
    )
  })

  it("call with JavaScript", () => {
    assert.strictEqual(
      toJavaScript(withFields, REQUEST, URL),
      `const response = await fetch("https://api.example.com/v3/transactions", {
  method: "POST",
  headers: {
    "Service-Access-Token": process.env.TOKEN,
    "Idempotency-Key": crypto.randomUUID(),
    "Content-Type": "application/json"
  },
  body: JSON.stringify({
    property_id: 6,
    note: "It's \\"clean\\"\\ntrue",
    is_paid: true,
    shares: [
      true,
      null
    ],
    "a-b": 1
  })
})
const { error_code, error_msg, data } = await response.json()
if (error_code !== 0) throw new Error(\`\${error_code}: \${error_msg}\`)
console.log(data)`
    )
  })

  it("call with Python", () => {
    assert.strictEqual(
      toPython(withFields, REQUEST, URL),
      `import os
import uuid

import requests

response = requests.post(
    "https://api.example.com/v3/transactions",
    headers={
        "Service-Access-Token": os.environ["TOKEN"],
        "Idempotency-Key": str(uuid.uuid4()),
    },
    json={
        "property_id": 6,
        "note": "It's \\"clean\\"\\ntrue",
        "is_paid": True,
        "shares": [
            True,
            None
        ],
        "a-b": 1
    },
    timeout=30,
)
result = response.json()
if result["error_code"] != 0:
    raise RuntimeError(f"{result['error_code']}: {result['error_msg']}")
print(result["data"])`
    )
  })

  it("are JavaScript that can be parsed, of every operation", () => {
    for (const operation of describeOperations()) {
      const code = toJavaScript(operation, findExample(operation.name)?.request ?? {}, URL)
      assert.doesNotThrow(() => new AsyncFunction(code), undefined, undefined, `${operation.name}: ${code}`)
    }
  })

  it("send an idempotency key where the operation takes one", () => {
    for (const operation of describeOperations()) {
      for (const toCode of [toCurlCommand, toJavaScript, toPython]) {
        const hasKey = toCode(operation, {}, URL).includes("Idempotency-Key")
        assert.strictEqual(hasKey, takesIdempotencyKey(operation), operation.name)
      }
    }
  })
})
