import { Context, HashSet, Result } from "effect"
import { NetAddress } from "effect/net"

/** Private hosts that the administrator trusts (`WEBHOOK_ALLOWED_HOSTS`). */
export interface AllowedHosts {
  /** Lower case, punycode, no final dot. */
  readonly names: ReadonlySet<string>
  readonly addresses: HashSet.HashSet<NetAddress.IpAddress>
}

export const NO_ALLOWED_HOSTS: AllowedHosts = { names: new Set(), addresses: HashSet.empty() }

export const AllowedReceivers = Context.Reference<AllowedHosts>(
  "latchkey/domain/webhooks/deliveries/AllowedReceivers",
  {
    defaultValue: () => NO_ALLOWED_HOSTS
  }
)

/** An IPv4-mapped IPv6 address becomes IPv4. */
export const parseLiteralAddress = (host: string): Result.Result<NetAddress.IpAddress, NetAddress.NetAddressError> =>
  Result.map(NetAddress.ipFromString(host.replace(/^\[(.*)\]$/, "$1")), (address) => NetAddress.toCanonical(address))

const normalizeHostName = (host: string): string => host.toLowerCase().replace(/\.$/, "")

export const allowsHost = (allowedHosts: AllowedHosts, host: string): boolean =>
  Result.match(parseLiteralAddress(host), {
    onFailure: () => allowedHosts.names.has(normalizeHostName(host)),
    onSuccess: (address) => HashSet.has(allowedHosts.addresses, address)
  })

export const allowsAddress = (allowedHosts: AllowedHosts, address: NetAddress.IpAddress): boolean =>
  HashSet.has(allowedHosts.addresses, NetAddress.toCanonical(address))

/**
 * Expects a comma-separated list. Rejects ports, networks and wildcards, because they could allow more than intended.
 */
export const parseAllowedHosts = (text: string): Result.Result<AllowedHosts, string> => {
  const names = new Set<string>()
  const addresses: Array<NetAddress.IpAddress> = []
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue
    const literal = parseLiteralAddress(entry)
    if (Result.isSuccess(literal)) {
      addresses.push(literal.success)
      continue
    }
    const url = /[\s:/@?#\\[\]*%]/.test(entry) ? null : URL.parse(`http://${entry}/`)
    if (url === null) return Result.fail(`"${entry}" is neither a host name nor an IP address`)
    // The URL parser reads 127.1 and 0x7f000001 as 127.0.0.1.
    const host = parseLiteralAddress(url.hostname)
    if (Result.isSuccess(host)) addresses.push(host.success)
    else names.add(normalizeHostName(url.hostname))
  }
  return Result.succeed({ names, addresses: HashSet.fromIterable(addresses) })
}
