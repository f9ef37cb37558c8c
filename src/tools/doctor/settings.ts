import type { Settings } from "../../service/configuration.ts"
import { isPlainLoopback } from "../../service/configuration.ts"
import { type Finding, fine, warning, wrong } from "./finding.ts"

// Settings that read well one by one and are dangerous together.

type Judged = Pick<Settings, "host" | "publicUrl" | "requireHttps" | "trustProxy" | "demo" | "databaseUrl">

const isLocal = (host: string): boolean => isPlainLoopback(`http://${host.includes(":") ? `[${host}]` : host}`)

/** What is wrong with settings together; one line that all is well where nothing is. */
export const settingsFindings = (settings: Judged): ReadonlyArray<Finding> => {
  const { host, publicUrl, requireHttps, trustProxy, demo, databaseUrl } = settings
  const isPublic = !isPlainLoopback(publicUrl)
  const found = [
    ...(requireHttps && !trustProxy
      ? [
          wrong(
            "settings",
            "HTTPS is required and no proxy is believed, so every call is refused",
            "put a proxy that ends TLS in front and set TRUST_PROXY=1"
          )
        ]
      : []),
    ...(isPublic && !requireHttps
      ? [
          wrong(
            "settings",
            "REQUIRE_HTTPS=0 on a public address: tokens may be sent in the clear",
            "unset REQUIRE_HTTPS, and let the proxy end TLS"
          )
        ]
      : []),
    ...(isPublic && publicUrl.startsWith("http:")
      ? [
          warning(
            "settings",
            "PUBLIC_URL is http: links, feeds and OAuth tell callers an address without TLS",
            "set PUBLIC_URL to the https address that callers use"
          )
        ]
      : []),
    ...(trustProxy && !isLocal(host)
      ? [
          warning(
            "settings",
            `TRUST_PROXY=1 and HOST=${host}: who reaches the port without the proxy may claim any address`,
            "listen on 127.0.0.1 or a private address, or let the firewall admit the proxy alone"
          )
        ]
      : []),
    ...(demo && (isPublic || databaseUrl !== undefined)
      ? [warning("settings", "DEMO makes a demo operator, whose token is printed, where others come in", "set DEMO=0")]
      : [])
  ]
  return found.length === 0 ? [fine("settings", "nothing in them is dangerous together")] : found
}
