import { assert, describe, it } from "@effect/vitest"
import { bodyThatGivesWay, type MessageSource } from "../../src/adapters/connector-seats.ts"
import { CONNECTOR_BODY_PROTECTED_MS } from "../../src/limits.ts"

const NOW = 10_000

const from = (connectorId: number, network: string): MessageSource => ({ connectorId, network })

/** Bodies of one source, oldest first, that came at the same time. */
const bodies = (count: number, source: MessageSource, since = NOW) =>
  Array.from({ length: count }, (_, nth) => ({ ...source, since, nth }))

describe("the seats of messages", () => {
  it("are shared by connectors: the one with the most gives way to any other", () => {
    const all = [...bodies(3, from(1, "a")), ...bodies(2, from(2, "a"))]
    assert.strictEqual(bodyThatGivesWay(all, from(3, "a"), NOW), all[0])
    assert.isUndefined(bodyThatGivesWay(all, from(2, "a"), NOW))
    assert.isUndefined(bodyThatGivesWay(all, from(1, "a"), NOW))
  })

  it("are shared by the networks of a connector", () => {
    const all = [...bodies(1, from(1, "quiet")), ...bodies(3, from(1, "flood"))]
    assert.strictEqual(bodyThatGivesWay(all, from(1, "quiet"), NOW), all[1])
    assert.isUndefined(bodyThatGivesWay(all, from(1, "flood"), NOW))
  })

  it("do not become more for a connector that is named from many networks", () => {
    const flood = Array.from({ length: 4 }, (_, nth) => bodies(1, from(1, `network ${nth}`))).flat()
    const all = [...bodies(2, from(2, "a")), ...flood]
    assert.strictEqual(bodyThatGivesWay(all, from(2, "b"), NOW), all[2])
  })

  it(`are left within a share by the oldest body that has taken more than ${CONNECTOR_BODY_PROTECTED_MS} ms`, () => {
    const all = bodies(2, from(1, "a"), NOW - CONNECTOR_BODY_PROTECTED_MS)
    assert.isUndefined(bodyThatGivesWay(all, from(1, "a"), NOW))
    assert.strictEqual(bodyThatGivesWay(all, from(1, "a"), NOW + 1), all[0])
  })
})
