import { ACCOUNT_NAME_LENGTH } from "../../../platform/limits.ts"
import type { OAuthClient } from "./Clients.ts"
import { parseRedirectTarget } from "./redirect-uri.ts"

/**
 * Returns the name shown to hosts. A program that uses the public client could claim any name, so its redirect target
 * is shown instead.
 */
export const applicationNameOf = (
  { name, isPublic }: Pick<OAuthClient, "name" | "isPublic">,
  redirectUri: string
): string =>
  Array.from(isPublic ? describeRedirectTarget(redirectUri) : name)
    .slice(0, ACCOUNT_NAME_LENGTH)
    .join("")

const describeRedirectTarget = (redirectUri: string): string => {
  const target = parseRedirectTarget(redirectUri)
  switch (target?._tag) {
    case "Site":
      return target.host
    case "Loopback":
      return "An app on this computer"
    case "Program":
      return `An app on this device (${target.scheme})`
    case undefined:
      return "An app"
  }
}
