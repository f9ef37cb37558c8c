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
            "REQUIRE_HTTPS=1 without TRUST_PROXY=1 rejects every call",
            "put a proxy that terminates TLS in front and set TRUST_PROXY=1"
          )
        ]
      : []),
    ...(isPublic && !requireHttps
      ? [
          wrong(
            "settings",
            "REQUIRE_HTTPS=0 on a public address lets callers send tokens unencrypted",
            "unset REQUIRE_HTTPS and let the proxy terminate TLS"
          )
        ]
      : []),
    ...(isPublic && publicUrl.startsWith("http:")
      ? [
          warning(
            "settings",
            "PUBLIC_URL is http, so links, feeds and OAuth give callers an address without TLS",
            "set PUBLIC_URL to the https address that callers use"
          )
        ]
      : []),
    ...(trustProxy && !isLocal(host)
      ? [
          warning(
            "settings",
            `TRUST_PROXY=1 and HOST=${host} let callers that bypass the proxy claim any address`,
            "listen on 127.0.0.1 or a private address, or let the firewall admit only the proxy"
          )
        ]
      : []),
    ...(demo && (isPublic || databaseUrl !== undefined)
      ? [
          warning(
            "settings",
            "DEMO creates a demo operator and prints its token, but others can reach the service",
            "set DEMO=0"
          )
        ]
      : [])
  ]
  return found.length === 0 ? [fine("settings", "no dangerous combination")] : found
}
