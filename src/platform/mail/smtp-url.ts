import { Result } from "effect"
import { NetAddress } from "effect/net"

export const SMTP_URL_DESCRIPTION =
  "an smtp:// or smtps:// address without path and query, such as smtp://user:password@mail.example.com:587"

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the beginning. Without it, the connection changes to TLS by STARTTLS. */
  readonly isTls: boolean
  /** With a password, the connection must be encrypted unless the server is on this machine. */
  readonly requiresTls: boolean
  readonly credentials: { readonly user: string; readonly password: string } | undefined
}

const isLoopback = (host: string): boolean =>
  host === "localhost" ||
  Result.match(NetAddress.ipFromString(host), { onFailure: () => false, onSuccess: NetAddress.isLoopback })

const decodePart = (text: string): string | undefined =>
  /%(?![0-9a-f]{2})/i.test(text) ? undefined : Result.getOrUndefined(Result.try(() => decodeURIComponent(text)))

/** Returns undefined for another text. The ports are 465 for smtps and 587 for smtp, unless the address names one. */
export const parseSmtpUrl = (text: string): SmtpServer | undefined => {
  const url = /^smtps?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  if (url === null || url.hostname === "" || `${url.search}${url.hash}` !== "") return undefined
  if (url.pathname !== "" && url.pathname !== "/") return undefined
  const [user, password] = [decodePart(url.username), decodePart(url.password)]
  if (user === undefined || password === undefined || (user === "") !== (password === "")) return undefined
  const isTls = url.protocol === "smtps:"
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  return {
    host,
    port: url.port === "" ? (isTls ? 465 : 587) : Number(url.port),
    isTls,
    requiresTls: !isTls && user !== "" && !isLoopback(host),
    credentials: user === "" ? undefined : { user, password }
  }
}
