import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { parseConnectorId, toConnectorName } from "../../../src/connectors/http/connector-names.ts"

it("a connector elsewhere is named by its id, and nothing else has such a name", () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 1e15 }), (id) => parseConnectorId(toConnectorName(id)) === id))
  for (const other of [
    "sandbox",
    "",
    "http:",
    "http:0",
    "http:01",
    "http:1x",
    "http:-1",
    "http:1.5",
    "HTTP:1",
    " http:1"
  ]) {
    assert.isUndefined(parseConnectorId(other), other)
  }
})
