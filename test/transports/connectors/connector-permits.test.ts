import { assert, describe, it } from "@effect/vitest"
import { CONNECTOR_BODY_PROTECTED_MS } from "../../../src/platform/limits.ts"
import { chooseBodyToEvict, type MessageSource } from "../../../src/transports/connectors/connector-permits.ts"

const NOW = 10_000

const from = (connectorId: number, network: string): MessageSource => ({ connectorId, network })

/** Bodies of one source, oldest first, that came at the same time. */
const bodies = (count: number, source: MessageSource, since = NOW) =>
  Array.from({ length: count }, (_, nth) => ({ ...source, since, nth }))

describe("evicting the body of a message", () => {
  it("takes the oldest body of the connector with the most bodies", () => {
    const all = [...bodies(3, from(1, "a")), ...bodies(2, from(2, "a"))]
    assert.strictEqual(chooseBodyToEvict(all, from(3, "a"), NOW), all[0])
    assert.isUndefined(chooseBodyToEvict(all, from(2, "a"), NOW))
    assert.isUndefined(chooseBodyToEvict(all, from(1, "a"), NOW))
  })

  it("takes the oldest body of the network with the most bodies within a connector", () => {
    const all = [...bodies(1, from(1, "quiet")), ...bodies(3, from(1, "flood"))]
    assert.strictEqual(chooseBodyToEvict(all, from(1, "quiet"), NOW), all[1])
    assert.isUndefined(chooseBodyToEvict(all, from(1, "flood"), NOW))
  })

  it("counts the bodies of a connector over all networks that name it", () => {
    const flood = Array.from({ length: 4 }, (_, nth) => bodies(1, from(1, `network ${nth}`))).flat()
    const all = [...bodies(2, from(2, "a")), ...flood]
    assert.strictEqual(chooseBodyToEvict(all, from(2, "b"), NOW), all[2])
  })

  it(`takes a body of the same connector and network after ${CONNECTOR_BODY_PROTECTED_MS} ms`, () => {
    const all = bodies(2, from(1, "a"), NOW - CONNECTOR_BODY_PROTECTED_MS)
    assert.isUndefined(chooseBodyToEvict(all, from(1, "a"), NOW))
    assert.strictEqual(chooseBodyToEvict(all, from(1, "a"), NOW + 1), all[0])
  })
})
