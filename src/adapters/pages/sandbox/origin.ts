import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { isPlainLoopback } from "../../../configuration.ts"

// Nobody signs in here, so whoever can make a browser send a form could book: only forms of the page itself are taken, and only
// under the names the service has. A name of somebody else's that leads to this machine (DNS rebinding) is none of them.

const hostOf = (address: string): string | undefined => URL.parse(address)?.host

/** Whether the service was asked under a name of its own: this machine's, or that of PUBLIC_URL. */
export const isOwnHost = ({ headers }: HttpServerRequest, publicUrl: string): boolean => {
  const { host } = headers
  if (host === undefined || !/^[A-Za-z0-9.:[\]-]+$/.test(host)) return false
  return isPlainLoopback(`http://${host}`) || host.toLowerCase() === hostOf(publicUrl)
}

/** Whether no browser says that the form comes from another place. What is no browser says nothing of it. */
export const isOwnOrigin = ({ headers }: HttpServerRequest): boolean => {
  const { host, origin } = headers
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return false
  return origin === undefined || (host !== undefined && hostOf(origin) === hostOf(`http://${host}`))
}
