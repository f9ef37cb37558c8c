import { isIP } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Option, Result } from "effect"
import fc from "fast-check"
import {
  type AllowedHosts,
  NO_ALLOWED_HOSTS,
  parseAllowedHosts
} from "../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { findForbiddenReason } from "../../../../src/domain/webhooks/deliveries/forbidden-addresses.ts"
import { PROPERTY_RUNS } from "../../../support/property-runs.ts"

const refused = (address: string, allowed: AllowedHosts = NO_ALLOWED_HOSTS) =>
  Option.isSome(findForbiddenReason(address, allowed))

// Written out again from the IANA registries, on purpose not taken from the code.
const IPV4_BLOCKS = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "255.255.255.255/32"
]
const IPV6_BLOCKS = [
  "::/128",
  "::1/128",
  "100::/64",
  "2001::/32",
  "2001:2::/48",
  "2001:10::/28",
  "2001:20::/28",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
  "5f00::/16",
  "64:ff9b:1::/48",
  "fc00::/7",
  "fd00:ec2::254/128",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8"
]

const bitsOf4 = (text: string) => text.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
const bitsOf6 = (text: string) => {
  const [head = "", tail] = text.split("::")
  const groups = (part: string | undefined) => (part === undefined || part === "" ? [] : part.split(":"))
  const [front, back] = [groups(head), groups(tail)]
  const all = [...front, ...Array<string>(8 - front.length - back.length).fill("0"), ...back]
  return all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}
const write4 = (bits: bigint) => [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join(".")
const groupsOf = (bits: bigint) => Array.from({ length: 8 }, (_, i) => Number((bits >> BigInt(112 - 16 * i)) & 0xffffn))

/** One address of the block, evenly. */
const inBlock = (block: string, width: 32 | 128, read: (text: string) => bigint) => {
  const [base = "", length = "0"] = block.split("/")
  const free = BigInt(width) - BigInt(length)
  return fc.bigInt({ min: 0n, max: (1n << free) - 1n }).map((host) => read(base) | host)
}
const inBlocks = (blocks: ReadonlyArray<string>, width: 32 | 128, read: (text: string) => bigint) =>
  fc.oneof(...blocks.map((block) => inBlock(block, width, read)))
const forbidden4 = inBlocks(IPV4_BLOCKS, 32, bitsOf4)
const forbidden6 = inBlocks(IPV6_BLOCKS, 128, bitsOf6)

/** Every way to write the same IPv6 address: zeroes squeezed or not, padded, upper case, the last part dotted. */
const spelled6 = (bits: bigint) =>
  fc.record({ pad: fc.boolean(), upper: fc.boolean(), dotted: fc.boolean(), squeeze: fc.boolean() }).map((how) => {
    const hex = groupsOf(bits).map((group) => group.toString(16).padStart(how.pad ? 4 : 1, "0"))
    const parts = how.dotted ? [...hex.slice(0, 6), write4(bits & 0xffffffffn)] : hex
    const start = parts.findIndex((part) => /^0+$/.test(part))
    const rest = start === -1 ? -1 : parts.slice(start).findIndex((part) => !/^0+$/.test(part))
    const end = rest === -1 ? parts.length : start + rest
    const text =
      how.squeeze && start !== -1
        ? `${parts.slice(0, start).join(":")}::${parts.slice(end).join(":")}`
        : parts.join(":")
    return how.upper ? text.toUpperCase() : text
  })

/** The IPv6 forms that carry an IPv4 address. */
const CARRIERS: Readonly<Record<string, (v4: bigint) => bigint>> = {
  mapped: (v4) => (0xffffn << 32n) | v4,
  compatible: (v4) => v4,
  translated: (v4) => (0xffffn << 48n) | v4,
  nat64: (v4) => bitsOf6("64:ff9b::") | v4,
  "local nat64": (v4) => bitsOf6("64:ff9b:1::") | v4,
  "6to4": (v4) => bitsOf6("2002::") | (v4 << 80n) | 1n,
  "teredo client": (v4) => bitsOf6("2001::") | (v4 ^ 0xffffffffn),
  "teredo server": (v4) => bitsOf6("2001::") | (v4 << 64n)
}

describe("a delivery is refused", () => {
  it("to every address of a forbidden IPv4 block", () => {
    fc.assert(
      fc.property(forbidden4, (bits) => refused(write4(bits))),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("to every address of a forbidden IPv6 block, in every spelling", () => {
    const spelled = forbidden6.chain(spelled6)
    fc.assert(
      fc.property(spelled, (text) => {
        expect(isIP(text), text).toBe(6)
        expect(refused(text), text).toBe(true)
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it.each(Object.entries(CARRIERS))("to every forbidden IPv4 address as IPv6, %s, in every spelling", (_, carry) => {
    const spelled = forbidden4.chain((bits) => spelled6(carry(bits)))
    fc.assert(
      fc.property(spelled, (text) => {
        expect(isIP(text), text).toBe(6)
        expect(refused(text), text).toBe(true)
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("to the first and last address of each IPv4 block, and not to its public neighbours", () => {
    const everywhere = IPV4_BLOCKS.map((block) => {
      const [base = "", length = "0"] = block.split("/")
      const first = bitsOf4(base)
      return { first, last: first + (1n << (32n - BigInt(length))) - 1n }
    })
    const forbidden = (bits: bigint) => everywhere.some(({ first, last }) => bits >= first && bits <= last)
    let neighbours = 0
    for (const { first, last } of everywhere) {
      expect(refused(write4(first)), write4(first)).toBe(true)
      expect(refused(write4(last)), write4(last)).toBe(true)
      for (const next of [first - 1n, last + 1n]) {
        if (next < 0n || next > 0xffffffffn || forbidden(next)) continue
        neighbours++
        expect(refused(write4(next)), write4(next)).toBe(false)
      }
    }
    expect(neighbours).toBeGreaterThan(20)
  })

  it.each([
    ["127.0.0.1", "a loopback address"],
    ["169.254.169.254", "a link-local address"],
    ["fd00:ec2::254", "a private address"],
    ["168.63.129.16", "a metadata address"],
    ["100.100.100.200", "a carrier's private address"],
    ["::ffff:10.1.2.3", "a private address"],
    ["64:ff9b::a9fe:a9fe", "a link-local address"],
    ["255.255.255.255", "a broadcast address"],
    ["::", "an unspecified address"],
    ["4000::1", "a reserved address"]
  ])("to %s, which is %s", (address, kind) => {
    expect(findForbiddenReason(address, NO_ALLOWED_HOSTS)).toEqual(Option.some(kind))
  })

  it("to what is not plainly one address", () => {
    for (const text of ["", "example.com", "0177.0.0.1", "08.8.8.8", "127.1", "2130706433", "0x7f.0.0.1", "1.1.1.1 "]) {
      expect(findForbiddenReason(text, NO_ALLOWED_HOSTS), text).toEqual(Option.some("not an IP address"))
    }
    for (const text of ["fe80::1%eth0", "2606:4700::1%1", "[2606:4700::1]", "1::2::3", ":::1", "1.1.1.1/32"]) {
      expect(findForbiddenReason(text, NO_ALLOWED_HOSTS), text).toEqual(Option.some("not an IP address"))
    }
  })
})

describe("a delivery may go", () => {
  it("to public addresses, also where a translator carries them", () => {
    for (const text of [
      "1.1.1.1",
      "8.8.8.8",
      "93.184.216.34",
      "172.32.0.1",
      "2606:4700:4700::1111",
      "2a00:1450::200e"
    ]) {
      expect(refused(text), text).toBe(false)
    }
    for (const text of ["::ffff:8.8.8.8", "64:ff9b::808:808"]) expect(refused(text), text).toBe(false)
  })

  it("to an allowed address in every spelling of it, and to no other", () => {
    const allowed = Result.getOrThrow(parseAllowedHosts("10.1.2.3, fd00::7"))
    for (const text of ["10.1.2.3", "::ffff:10.1.2.3", "::FFFF:a01:203", "fd00::7", "FD00:0:0:0:0:0:0:0007"]) {
      expect(refused(text, allowed), text).toBe(false)
    }
    // A translator elsewhere is not this machine: allowing an address does not allow asking somebody else for it.
    for (const text of ["10.1.2.4", "64:ff9b::a01:203", "fd00::8", "127.0.0.1"]) {
      expect(refused(text, allowed), text).toBe(true)
    }
  })
})
