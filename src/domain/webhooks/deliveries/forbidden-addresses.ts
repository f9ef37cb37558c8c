import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { type AllowedHosts, allowsAddress } from "./allowed-hosts.ts"

// The networks of the IANA special-purpose address registries. A webhook must not reach the service's own network, such
// as the cloud's metadata service.

const parseNetworks = (...texts: ReadonlyArray<string>) => texts.map(IpNetwork.fromStringUnsafe)

type NetworkBlocks = ReadonlyArray<readonly [kind: string, networks: ReadonlyArray<IpNetwork.IpNetwork>]>

const FORBIDDEN_IPV4: NetworkBlocks = [
  ["an unspecified address", parseNetworks("0.0.0.0/8")],
  ["a loopback address", parseNetworks("127.0.0.0/8")],
  ["a private address", parseNetworks("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")],
  ["a link-local address", parseNetworks("169.254.0.0/16")],
  ["a carrier's private address", parseNetworks("100.64.0.0/10")],
  // Azure serves instance metadata on this public address.
  ["a metadata address", parseNetworks("168.63.129.16/32")],
  ["a documentation address", parseNetworks("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")],
  ["a benchmarking address", parseNetworks("198.18.0.0/15")],
  ["a multicast address", parseNetworks("224.0.0.0/4")],
  ["a broadcast address", parseNetworks("255.255.255.255/32")],
  [
    "a reserved address",
    parseNetworks(
      "192.0.0.0/24",
      "192.31.196.0/24",
      "192.52.193.0/24",
      "192.88.99.0/24",
      "192.175.48.0/24",
      "240.0.0.0/4"
    )
  ]
]

const FORBIDDEN_IPV6: NetworkBlocks = [
  ["an unspecified address", parseNetworks("::/128")],
  ["a loopback address", parseNetworks("::1/128")],
  ["a link-local address", parseNetworks("fe80::/10")],
  ["a site-local address", parseNetworks("fec0::/10")],
  ["a private address", parseNetworks("fc00::/7")],
  ["a multicast address", parseNetworks("ff00::/8")],
  ["a documentation address", parseNetworks("2001:db8::/32", "3fff::/20")],
  // In order: protocol assignments such as Teredo and ORCHID, 6to4, the retired 6bone, and AS112.
  ["a reserved address", parseNetworks("2001::/23", "2002::/16", "3ffe::/16", "2620:4f:8000::/48")]
]

const GLOBAL_UNICAST = IpNetwork.fromStringUnsafe("2000::/3")
const NAT64 = IpNetwork.fromStringUnsafe("64:ff9b::/96")

const findEmbeddedIpv4 = (address: NetAddress.Ipv6Address): Option.Option<NetAddress.Ipv4Address> =>
  NetAddress.isIpv4Mapped(address) || IpNetwork.contains(NAT64, address)
    ? Option.some(NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(address).slice(12))))
    : Option.none()

/** Returns a description such as "a loopback address". */
export const findForbiddenKind = (address: NetAddress.IpAddress): Option.Option<string> => {
  const kinds = NetAddress.isIpv4Address(address) ? FORBIDDEN_IPV4 : FORBIDDEN_IPV6
  const kind = kinds.find(([, blocks]) => blocks.some((block) => IpNetwork.contains(block, address)))
  if (kind !== undefined) return Option.some(kind[0])
  if (NetAddress.isIpv4Address(address)) return Option.none()
  const embedded = findEmbeddedIpv4(address)
  if (Option.isSome(embedded)) return findForbiddenKind(embedded.value)
  // Unassigned addresses and deprecated embeddings of IPv4 are outside global unicast.
  return IpNetwork.contains(GLOBAL_UNICAST, address) ? Option.none() : Option.some("a reserved address")
}

/** Also rejects ambiguous notations (a zone, an octal part). */
export const findForbiddenReason = (text: string, allowedHosts: AllowedHosts): Option.Option<string> =>
  Result.match(NetAddress.ipFromString(text), {
    onFailure: () => Option.some("not an IP address"),
    onSuccess: (address) => (allowsAddress(allowedHosts, address) ? Option.none() : findForbiddenKind(address))
  })
