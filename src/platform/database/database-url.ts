import { Redacted } from "effect"

/** What an address of a database must be, in words. */
export const DATABASE_URL_DESCRIPTION =
  "a postgres:// address that names a database, such as postgres://user@host:5432/database"

const PROTOCOLS = ["postgres:", "postgresql:"]

/** Whether a text is such an address. Without its database it would be that of the user's name, which is somebody else's or none. */
export const isDatabaseUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && PROTOCOLS.includes(url.protocol) && url.pathname.length > 1
}

/** What of an address may be told. */
export const describeDatabaseUrl = (url: Redacted.Redacted): string => {
  const { host, pathname } = new URL(Redacted.value(url))
  return `${host}${pathname}`
}
