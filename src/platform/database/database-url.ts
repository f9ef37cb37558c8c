import { Redacted } from "effect"

export const DATABASE_URL_DESCRIPTION =
  "a postgres:// address that names a database, such as postgres://user@host:5432/database"

const PROTOCOLS = ["postgres:", "postgresql:"]

/** Without a database name, PostgreSQL would connect to the database named like the user. */
export const isDatabaseUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && PROTOCOLS.includes(url.protocol) && url.pathname.length > 1
}

/** Omits credentials. */
export const describeDatabaseUrl = (url: Redacted.Redacted): string => {
  const { host, pathname } = new URL(Redacted.value(url))
  return `${host}${pathname}`
}
