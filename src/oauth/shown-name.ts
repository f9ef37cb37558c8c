import { ACCOUNT_NAME } from "../limits.ts"
import type { Client } from "./Clients.ts"

/**
 * What the host sees of an application. A partner has a name, which whoever runs the service has seen. The public client is
 * everybody's, and anybody may say any name: it goes by where the host was led back to, which is so.
 */
export const shownName = ({ name, isPublic }: Pick<Client, "name" | "isPublic">, redirectUri: string): string =>
  Array.from(isPublic ? placeOf(redirectUri) : name)
    .slice(0, ACCOUNT_NAME)
    .join("")

const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"])

const placeOf = (redirectUri: string): string => {
  const url = URL.parse(redirectUri)
  if (url === null) return "An app"
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return `An app on this device (${url.protocol.slice(0, -1)})`
  return LOOPBACK.has(url.hostname) ? "An app on this computer" : url.hostname
}
