import type { Settings } from "../../service/configuration.ts"
import { isPlainLoopback } from "../../service/configuration.ts"
import { errorFinding, type Finding, okFinding, warningFinding } from "./finding.ts"

type CheckedSettings = Pick<Settings, "host" | "publicUrl" | "requireHttps" | "trustProxy" | "demo" | "databaseUrl">

const isLocal = (host: string): boolean => isPlainLoopback(`http://${host.includes(":") ? `[${host}]` : host}`)

export const checkSettings = (settings: CheckedSettings): ReadonlyArray<Finding> => {
  const { host, publicUrl, requireHttps, trustProxy, demo, databaseUrl } = settings
  const isPublic = !isPlainLoopback(publicUrl)
  const findings = [
    ...(requireHttps && !trustProxy
      ? [
          errorFinding(
            "settings",
            "REQUIRE_HTTPS=1 without TRUST_PROXY=1 rejects every call",
            "put a proxy that terminates TLS in front and set TRUST_PROXY=1"
          )
        ]
      : []),
    ...(isPublic && !requireHttps
      ? [
          errorFinding(
            "settings",
            "REQUIRE_HTTPS=0 on a public address lets callers send tokens unencrypted",
            "unset REQUIRE_HTTPS and let the proxy terminate TLS"
          )
        ]
      : []),
    ...(isPublic && publicUrl.startsWith("http:")
      ? [
          warningFinding(
            "settings",
            "PUBLIC_URL is http, so links, feeds and OAuth give callers an address without TLS",
            "set PUBLIC_URL to the https address that callers use"
          )
        ]
      : []),
    ...(trustProxy && !isLocal(host)
      ? [
          warningFinding(
            "settings",
            `TRUST_PROXY=1 and HOST=${host} let callers that bypass the proxy claim any address`,
            "listen on 127.0.0.1 or a private address, or let the firewall admit only the proxy"
          )
        ]
      : []),
    ...(demo && (isPublic || databaseUrl !== undefined)
      ? [
          warningFinding(
            "settings",
            "DEMO creates a demo operator and prints its token, but others can reach the service",
            "set DEMO=0"
          )
        ]
      : [])
  ]
  return findings.length === 0 ? [okFinding("settings", "no dangerous combination")] : findings
}
