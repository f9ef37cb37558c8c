import { ACCOUNT_NAME } from "../../../platform/limits.ts"
import type { Client } from "./Clients.ts"
import { placeOf } from "./redirect.ts"

/**
 * What the host sees of an application. A partner has a name, which whoever runs the service has seen. The public client is
 * everybody's, and anybody may say any name: it goes by where the host was led back to, which is so.
 */
export const shownName = ({ name, isPublic }: Pick<Client, "name" | "isPublic">, redirectUri: string): string =>
  Array.from(isPublic ? whereIs(redirectUri) : name)
    .slice(0, ACCOUNT_NAME)
    .join("")

const whereIs = (redirectUri: string): string => {
  const place = placeOf(redirectUri)
  switch (place?._tag) {
    case "Site":
      return place.host
    case "Loopback":
      return "An app on this computer"
    case "Program":
      return `An app on this device (${place.scheme})`
    case undefined:
      return "An app"
  }
}
