import { Result } from "effect"
import { REDIRECT_SCHEME_LENGTH, REDIRECT_URI_LENGTH } from "../../../platform/limits.ts"
import { isAppScheme } from "./app-scheme.ts"

// Redirect addresses (RFC 6749 3.1.2, RFC 9700 2.1 and 4.1, RFC 8252 7 and 8.4). Only the normalized form of browsers
// is accepted, so literal comparison is safe.

type ClientKind = "partner" | "public"

export type RedirectTarget =
  | { readonly _tag: "Site"; readonly host: string; readonly origin: string }
  /** A program that listens on this device (RFC 8252 7.3). */
  | { readonly _tag: "Loopback"; readonly host: string; readonly origin: string }
  /** A program with its own URI scheme (RFC 8252 7.1). */
  | { readonly _tag: "Program"; readonly scheme: string }

const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/
const PORT_PATTERN = "(?::([1-9][0-9]{0,4}))?"
/** Clients use `localhost`, although RFC 8252 8.3 prefers the IP addresses. */
const LOOPBACK_ORIGIN = new RegExp(`^http://(127\\.0\\.0\\.1|\\[::1\\]|localhost)${PORT_PATTERN}(?=[/?]|$)`)
/** Excludes characters that could end the address in a Content-Security-Policy. */
const HTTPS_ORIGIN = new RegExp(`^https://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\\[[0-9a-f:]+\\])${PORT_PATTERN}(?=[/?]|$)`)
const APP_SCHEME_URI = /^([a-z][a-z0-9+.-]*):\/[^#]*$/
const PORT_MAX = 65_535

const isPort = (port: string | undefined): boolean => port === undefined || Number(port) <= PORT_MAX

export const parseRedirectTarget = (uri: string): RedirectTarget | undefined => {
  const [origin = "", host = "", port] = LOOPBACK_ORIGIN.exec(uri) ?? HTTPS_ORIGIN.exec(uri) ?? []
  if (host !== "")
    return isPort(port) ? { _tag: origin.startsWith("https:") ? "Site" : "Loopback", host, origin } : undefined
  const scheme = APP_SCHEME_URI.exec(uri)?.[1] ?? ""
  return scheme.length <= REDIRECT_SCHEME_LENGTH && isAppScheme(scheme) ? { _tag: "Program", scheme } : undefined
}

/** Removes the port of a loopback address. */
export const toRegisteredUri = (uri: string): string =>
  uri.replace(LOOPBACK_ORIGIN, (whole: string, host: string, port: string | undefined) =>
    isPort(port) ? `http://${host}` : whole
  )

const isCanonicalUrl = (uri: string): boolean => {
  const normalized = toRegisteredUri(uri).replace(/^(https?:\/\/[^/?]+)(?=\?|$)/, "$1/")
  return URL.parse(normalized)?.href === normalized
}

const hasUserInfo = (uri: string): boolean => /^[^:]*:\/\/[^/?#]*@/.test(uri)

/** The service adds these parameters to the redirect. */
const RESPONSE_PARAMETERS = new Set(["code", "state", "iss", "error", "error_description", "error_uri"])

const hasResponseParameter = (uri: string): boolean =>
  Array.from(new URLSearchParams(uri.split("?").slice(1).join("?")).keys()).some((name) =>
    RESPONSE_PARAMETERS.has(name)
  )

const ALLOWED_TARGETS: Readonly<Record<ClientKind, string>> = {
  partner: "must be an https address; http only on this machine (127.0.0.1, [::1], localhost)",
  public:
    "must be an https address, http on this machine (127.0.0.1, [::1], localhost), or an address with the application's own scheme, such as com.example.app:/callback"
}

const findRedirectUriError = (uri: string, client: ClientKind): string | undefined => {
  if (uri.length > REDIRECT_URI_LENGTH) return `must have at most ${REDIRECT_URI_LENGTH} characters`
  if (!URI_CHARACTERS.test(uri)) return "must be an address with other characters percent-encoded"
  if (uri.includes("*")) return "must be one address, without the wildcard *"
  if (uri.includes("#")) return "must not contain a fragment"
  if (hasUserInfo(uri)) return "must not contain a user name"
  const target = parseRedirectTarget(uri)
  if (target === undefined || (target._tag === "Program" && client === "partner")) return ALLOWED_TARGETS[client]
  if (!isCanonicalUrl(uri)) return "must be in the normalized form that browsers use"
  return hasResponseParameter(uri)
    ? `must not contain any of ${Array.from(RESPONSE_PARAMETERS).join(", ")} in its query`
    : undefined
}

export const validateRedirectUri = (uri: string, client: ClientKind): Result.Result<string, string> => {
  const error = findRedirectUriError(uri, client)
  return error === undefined ? Result.succeed(uri) : Result.fail(`${error}.`)
}

/** Compares literally. Only the port of the public client's loopback addresses may differ (RFC 8252 7.3). */
export const isRegisteredUri = (registered: ReadonlyArray<string>, uri: string, client: ClientKind): boolean =>
  Result.isSuccess(validateRedirectUri(uri, client)) &&
  (client === "partner"
    ? registered.includes(uri)
    : registered.some((each) => toRegisteredUri(each) === toRegisteredUri(uri)))

/** Leaves the existing query unchanged (RFC 6749 3.1.2). */
export const toResponseUrl = (uri: string, response: Readonly<Record<string, string | undefined>>): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(response)) if (value !== undefined) parameters.set(name, value)
  const separator = uri.includes("?") ? (/[?&]$/.test(uri) ? "" : "&") : "?"
  return `${uri}${separator}${parameters.toString()}`
}

/**
 * Returns whether the browser may be redirected without a click. An administrator has checked the addresses of
 * partners. An address of the public client must stay on the device.
 */
export const isTrustedTarget = (target: RedirectTarget, { isPublic }: { readonly isPublic: boolean }): boolean =>
  !isPublic || target._tag !== "Site"
