import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { isPlainLoopback } from "../../service/configuration.ts"

// The service accepts forms only from its own pages (CSRF). Endpoints without sign-in, such as the sandbox, also
// require a loopback host name, which prevents DNS rebinding.

const hostOf = (address: string): string | undefined => URL.parse(address)?.host

export const isLoopbackHost = ({ headers: { host } }: HttpServerRequest): boolean =>
  host !== undefined && /^[A-Za-z0-9.:[\]-]+$/.test(host) && isPlainLoopback(`http://${host}`)

/**
 * Returns false if a browser reports another origin. Other clients send no `Origin`. Behind a proxy, the `Origin` may
 * be the public URL.
 */
export const isSameOrigin = ({ headers }: HttpServerRequest, publicUrl?: string): boolean => {
  const { host, origin } = headers
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return false
  if (origin === undefined) return true
  if (publicUrl !== undefined && origin === URL.parse(publicUrl)?.origin) return true
  return host !== undefined && hostOf(origin) === hostOf(`http://${host}`)
}
