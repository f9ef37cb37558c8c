import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { anonymousPermitHolder, networkOf } from "../../src/contract/caller-address.ts"

it.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:0:1::1", "2001:db8:0:1::/64"],
  ["2001:0DB8:0000:0001:ffff:ffff:ffff:ffff", "2001:db8:0:1::/64"],
  ["2001:db8:0:2::1", "2001:db8:0:2::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::FFFF:cb00:7109", "203.0.113.9"],
  [":::", ":::"],
  ["unknown", "unknown"],
  ["", ""]
])("%s is counted as %s", (address, network) => {
  assert.strictEqual(networkOf(address), network)
})

it("two IPv4 addresses are never counted together", () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.ipV4(), (one, other) => {
      assert.strictEqual(networkOf(one) === networkOf(other), one === other)
    })
  )
})

it("an IPv6 address is counted with all that share its first 64 bits, and with no other", () => {
  const group = fc.integer({ min: 0, max: 65_535 })
  const groups = fc.array(group, { minLength: 4, maxLength: 4 })
  const written = (all: ReadonlyArray<number>) => all.map((each) => each.toString(16)).join(":")
  fc.assert(
    fc.property(groups, groups, groups, (net, one, other) => {
      fc.pre(net.some((each) => each !== 0))
      assert.strictEqual(networkOf(written([...net, ...one])), networkOf(written([...net, ...other])))
      const elsewhere = net.map((each, at) => (at === 3 ? each ^ 1 : each))
      assert.notStrictEqual(networkOf(written([...net, ...one])), networkOf(written([...elsewhere, ...one])))
    })
  )
})

it("a stranger has the share of its network, which is no operator's", () => {
  assert.strictEqual(anonymousPermitHolder("2001:db8::1"), anonymousPermitHolder("2001:db8::2"))
  assert.strictEqual(new Set(["203.0.113.7", "203.0.113.8", "2001:db8::1"].map(anonymousPermitHolder)).size, 3)
  assert.deepStrictEqual([anonymousPermitHolder(undefined), anonymousPermitHolder("")], [0, 0])
  fc.assert(fc.property(fc.ipV4(), (address) => assert.isBelow(anonymousPermitHolder(address), 0)))
})
