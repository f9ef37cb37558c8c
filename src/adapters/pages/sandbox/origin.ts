import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { isPlainLoopback } from "../../../configuration.ts"

// Nobody signs in here, so whoever can make a browser send a form could book: only forms of the page itself are taken, and only
// under the names of this machine. A name of somebody else's that leads to this machine (DNS rebinding) is none of them.

const hostOf = (address: string): string | undefined => URL.parse(address)?.host

/** Whether the service was asked under a name of this machine. */
export const isOwnHost = ({ headers: { host } }: HttpServerRequest): boolean =>
  host !== undefined && /^[A-Za-z0-9.:[\]-]+$/.test(host) && isPlainLoopback(`http://${host}`)

/** Whether no browser says that the form comes from another place. What is no browser says nothing of it. */
export const isOwnOrigin = ({ headers }: HttpServerRequest): boolean => {
  const { host, origin } = headers
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return false
  return origin === undefined || (host !== undefined && hostOf(origin) === hostOf(`http://${host}`))
}
