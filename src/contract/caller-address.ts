import { hash } from "node:crypto"
import { Context, Result } from "effect"
import { NetAddress } from "effect/net"

/** The address of a call without a token, if it is known. Nothing else tells anonymous callers apart. */
export const CallerAddress = Context.Reference<string | undefined>("latchkey/contract/CallerAddress", {
  defaultValue: () => undefined
})

/** The /64 of an IPv6 address: a customer of an internet provider has all addresses in it. */
const IPV6_NETWORK_SEGMENTS = 4

/** Returns the network whose callers are counted together: an IPv4 address or an IPv6 /64. Returns any other text as it is. */
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

/** Permit holders that anonymous callers are divided into. The callers of one network are one holder. */
const ANONYMOUS_PERMIT_HOLDERS = 4_096

/**
 * Returns the permit holder of a call without a token, as a number that no operator has. Permits are shared fairly between holders
 * (src/admission/concurrency), so a network that floods the service delays only itself. Calls without a known address are one holder.
 */
export const anonymousPermitHolder = (address: string | undefined): number => {
  if (address === undefined || address === "") return 0
  return -1 - (Number.parseInt(hash("sha256", networkOf(address), "hex").slice(0, 8), 16) % ANONYMOUS_PERMIT_HOLDERS)
}
