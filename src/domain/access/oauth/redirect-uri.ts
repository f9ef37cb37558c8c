import { Result } from "effect"
import { REDIRECT_SCHEME_LENGTH, REDIRECT_URI_LENGTH } from "../../../platform/limits.ts"
import { isAppScheme } from "./app-scheme.ts"

// Where browsers may be led back to with a code (RFC 6749 3.1.2, RFC 9700 2.1 and 4.1, RFC 8252 7 and 8.4). An address is
// taken only as a browser itself would write it, so that what is compared to the letter is what the browser goes to.

type ClientKind = "partner" | "public"

/** What an address leads to. */
export type RedirectTarget =
  | { readonly _tag: "Site"; readonly host: string; readonly origin: string }
  /** A program of this device that listens on it (RFC 8252 7.3). */
  | { readonly _tag: "Loopback"; readonly host: string; readonly origin: string }
  /** A program of this device that the system knows by a scheme of its own (RFC 8252 7.1). */
  | { readonly _tag: "Program"; readonly scheme: string }

/** What RFC 3986 lets a URI be made of. */
const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/
const PORT_PATTERN = "(?::([1-9][0-9]{0,4}))?"
/** `localhost` is what clients in use write, though RFC 8252 8.3 would rather have the addresses. */
const LOOPBACK_ORIGIN = new RegExp(`^http://(127\\.0\\.0\\.1|\\[::1\\]|localhost)${PORT_PATTERN}(?=[/?]|$)`)
/** Names of letters, digits and hyphens, addresses among them: nothing that would end a source in a policy (CSP). */
const HTTPS_ORIGIN = new RegExp(`^https://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\\[[0-9a-f:]+\\])${PORT_PATTERN}(?=[/?]|$)`)
const APP_SCHEME_URI = /^([a-z][a-z0-9+.-]*):\/[^#]*$/
const PORT_MAX = 65_535

const isPort = (port: string | undefined): boolean => port === undefined || Number(port) <= PORT_MAX

/** Where an address leads; undefined: nowhere that anybody may be led to. */
export const parseRedirectTarget = (uri: string): RedirectTarget | undefined => {
  const [origin = "", host = "", port] = LOOPBACK_ORIGIN.exec(uri) ?? HTTPS_ORIGIN.exec(uri) ?? []
  if (host !== "")
    return isPort(port) ? { _tag: origin.startsWith("https:") ? "Site" : "Loopback", host, origin } : undefined
  const scheme = APP_SCHEME_URI.exec(uri)?.[1] ?? ""
  return scheme.length <= REDIRECT_SCHEME_LENGTH && isAppScheme(scheme) ? { _tag: "Program", scheme } : undefined
}

/** The form a public client's address is kept in: a loopback address without its port. */
export const toRegisteredUri = (uri: string): string =>
  uri.replace(LOOPBACK_ORIGIN, (whole: string, host: string, port: string | undefined) =>
    isPort(port) ? `http://${host}` : whole
  )

/** Whether a browser goes to what is written: no dots that lead upwards, no other way to write an address or a port. */
const isCanonicalUrl = (uri: string): boolean => {
  const normalized = toRegisteredUri(uri).replace(/^(https?:\/\/[^/?]+)(?=\?|$)/, "$1/")
  return URL.parse(normalized)?.href === normalized
}

/** Whether somebody is named before the host, as which it could be taken for another. */
const hasUserInfo = (uri: string): boolean => /^[^:]*:\/\/[^/?#]*@/.test(uri)

/** What an answer adds: an address that has one already would have it twice. */
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

/** What is wrong with an address that somebody wants to register, in words that follow its field; failing with those. */
export const validateRedirectUri = (uri: string, client: ClientKind): Result.Result<string, string> => {
  const error = findRedirectUriError(uri, client)
  return error === undefined ? Result.succeed(uri) : Result.fail(`${error}.`)
}

/** Whether an address is one that was registered: the same to the letter, but for the port of a loopback address of the public client. */
export const isRegisteredUri = (registered: ReadonlyArray<string>, uri: string, client: ClientKind): boolean =>
  Result.isSuccess(validateRedirectUri(uri, client)) &&
  (client === "partner"
    ? registered.includes(uri)
    : registered.some((each) => toRegisteredUri(each) === toRegisteredUri(uri)))

/** The address with what it is answered; what its query has stays to the letter (RFC 6749 3.1.2). */
export const toResponseUrl = (uri: string, response: Readonly<Record<string, string | undefined>>): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(response)) if (value !== undefined) parameters.set(name, value)
  const separator = uri.includes("?") ? (/[?&]$/.test(uri) ? "" : "&") : "?"
  return `${uri}${separator}${parameters.toString()}`
}

/**
 * Whether browsers are led there without a person's word. A partner's addresses were looked at by who runs the service; of the
 * public client's, which anybody registers, those that stay on the person's own device.
 */
export const isTrustedTarget = (target: RedirectTarget, { isPublic }: { readonly isPublic: boolean }): boolean =>
  !isPublic || target._tag !== "Site"
