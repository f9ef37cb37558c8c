import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { isPlainLoopback } from "../../service/configuration.ts"

// A page of elsewhere can make a browser send a form here: only forms of our own pages are taken. Where nobody signs in, such as at the
// sandbox, only under the names of this machine, too: a name of somebody else that leads here (DNS rebinding) is none of them.

const hostOf = (address: string): string | undefined => URL.parse(address)?.host

/** Whether the service was asked under a name of this machine. */
export const isLoopbackHost = ({ headers: { host } }: HttpServerRequest): boolean =>
  host !== undefined && /^[A-Za-z0-9.:[\]-]+$/.test(host) && isPlainLoopback(`http://${host}`)

/**
 * Whether no browser says that the form comes from another place. What is no browser says nothing of it. A proxy may ask under
 * another name than the browser, which has the public one then.
 */
export const isSameOrigin = ({ headers }: HttpServerRequest, publicUrl?: string): boolean => {
  const { host, origin } = headers
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return false
  if (origin === undefined) return true
  if (publicUrl !== undefined && origin === URL.parse(publicUrl)?.origin) return true
  return host !== undefined && hostOf(origin) === hostOf(`http://${host}`)
}
