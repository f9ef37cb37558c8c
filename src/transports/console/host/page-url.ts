import { CARRIED_QUERY_VALUE_LENGTH } from "../../../platform/limits.ts"
import type { SignedInVisit } from "../visit.ts"

/** The key of a fixed message after a form, and the sealed message that names a record. */
export const DONE_FIELD = "done"
export const NOTICE_FIELD = "notice"

/**
 * An undefined value removes its parameter. Drops the messages, and values longer than
 * {@link CARRIED_QUERY_VALUE_LENGTH}.
 */
export const currentUrlWith = (
  { path, query }: SignedInVisit,
  params: Readonly<Record<string, string | number | undefined>> = {}
): string => {
  const nextQuery = new URLSearchParams(
    Array.from(query).filter(([, value]) => value.length <= CARRIED_QUERY_VALUE_LENGTH)
  )
  nextQuery.delete(DONE_FIELD)
  nextQuery.delete(NOTICE_FIELD)
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) nextQuery.delete(name)
    else nextQuery.set(name, String(value))
  }
  return nextQuery.size === 0 ? path : `${path}?${nextQuery.toString()}`
}

/** Appends a query parameter. */
export const withParameter = (url: string, name: string, value: string): string =>
  `${url}${url.includes("?") ? "&" : "?"}${new URLSearchParams({ [name]: value }).toString()}`
