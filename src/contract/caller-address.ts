import { hash } from "node:crypto"
import { Context, Result } from "effect"
import { NetAddress } from "effect/net"

/** Where a call without a token comes from, as far as it is known: nothing else tells its callers apart. */
export const CallerAddress = Context.Reference<string | undefined>("latchkey/contract/CallerAddress", {
  defaultValue: () => undefined
})

/** Of an IPv6 address the 64 bits that one line of a provider has: whoever has one has all the others below it. */
const IPV6_NETWORK_SEGMENTS = 4

/** Who is counted together: an IPv4 address, or the network of an IPv6 one. What is no address is counted as it is. */
export const networkOf = (address: string): string =>
  Result.match(NetAddress.ipFromString(address.replace(/%.*$/, "")), {
    onFailure: () => address,
    onSuccess: (parsed) => {
      const canonical = NetAddress.toCanonical(parsed)
      if (!NetAddress.isIpv6Address(canonical)) return NetAddress.formatIp(canonical)
      const network = NetAddress.ipv6ToSegments(canonical).slice(0, IPV6_NETWORK_SEGMENTS)
      return `${network.map((segment) => segment.toString(16)).join(":")}::/64`
    }
  })

/** Shares of the places that strangers have together; those of one network have the same. */
const ANONYMOUS_PERMIT_HOLDERS = 4_096

/**
 * Whose share of the places (src/admission/concurrency) a call without a token is worked on in: its network's, as a number that no operator has.
 * So who floods waits behind itself. Where nobody's address is known, all have one share.
 */
export const anonymousPermitHolder = (address: string | undefined): number => {
  if (address === undefined || address === "") return 0
  return -1 - (Number.parseInt(hash("sha256", networkOf(address), "hex").slice(0, 8), 16) % ANONYMOUS_PERMIT_HOLDERS)
}
