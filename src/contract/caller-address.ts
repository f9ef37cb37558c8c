import { hash } from "node:crypto"
import { Context, Result } from "effect"
import { NetAddress } from "effect/net"

/** Only this address distinguishes anonymous callers. */
export const CallerAddress = Context.Reference<string | undefined>("latchkey/contract/CallerAddress", {
  defaultValue: () => undefined
})

const IPV6_NETWORK_SEGMENTS = 4

/**
 * Returns an IPv4 address, or the /64 of an IPv6 address, because providers assign a /64 to one customer. Returns any
 * other text unchanged.
 */
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

const ANONYMOUS_PERMIT_HOLDERS = 4_096

/**
 * Returns the number that replaces the operator's id when an anonymous call requests a permit. Calls of one network
 * share it, and so do all calls without an address.
 */
export const anonymousPermitHolder = (address: string | undefined): number => {
  if (address === undefined || address === "") return 0
  return -1 - (Number.parseInt(hash("sha256", networkOf(address), "hex").slice(0, 8), 16) % ANONYMOUS_PERMIT_HOLDERS)
}
