import { Result } from "effect"
import { NetAddress } from "effect/net"

export const SMTP_URL_DESCRIPTION =
  "an smtp:// or smtps:// address without a path, such as smtp://user:password@mail.example.com:587. The only permitted query is ?tls=optional, on smtp:// without a password"

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the beginning. Without it, the connection changes to TLS by STARTTLS. */
  readonly isTls: boolean
  /** Mails contain links to reset passwords, so only a server on this machine may get them unencrypted by default. */
  readonly requiresTls: boolean
  readonly credentials: { readonly user: string; readonly password: string } | undefined
}

const isLoopback = (host: string): boolean =>
  host === "localhost" ||
  Result.match(NetAddress.ipFromString(host), { onFailure: () => false, onSuccess: NetAddress.isLoopback })

const decodePart = (text: string): string | undefined =>
  /%(?![0-9a-f]{2})/i.test(text) ? undefined : Result.getOrUndefined(Result.try(() => decodeURIComponent(text)))

/** Permits an unencrypted connection to a mail server without a password, for example in the network of a container. */
const UNENCRYPTED_QUERY = "?tls=optional"

/** Returns undefined for another text. The ports are 465 for smtps and 587 for smtp, unless the address names one. */
export const parseSmtpUrl = (text: string): SmtpServer | undefined => {
  const url = /^smtps?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  if (url === null || url.hostname === "" || url.hash !== "") return undefined
  if (url.pathname !== "" && url.pathname !== "/") return undefined
  const [user, password] = [decodePart(url.username), decodePart(url.password)]
  if (user === undefined || password === undefined || (user === "") !== (password === "")) return undefined
  const isTls = url.protocol === "smtps:"
  const isTlsOptional = url.search === UNENCRYPTED_QUERY
  if (url.search !== "" && (!isTlsOptional || isTls || user !== "")) return undefined
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  return {
    host,
    port: url.port === "" ? (isTls ? 465 : 587) : Number(url.port),
    isTls,
    requiresTls: !isTls && !isTlsOptional && !isLoopback(host),
    credentials: user === "" ? undefined : { user, password }
  }
}
