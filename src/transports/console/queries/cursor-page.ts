import { ACCESS_TOKENS_SHOWN } from "../../../platform/limits.ts"

export interface PageCursor {
  readonly direction: "older" | "newer"
  readonly id: number
}

const CURSOR = /^(older|newer)-([1-9]\d{0,14})$/

export const formatCursor = ({ direction, id }: PageCursor): string => `${direction}-${id}`

export const parseCursor = (text: string | null): PageCursor | undefined => {
  const [, direction, id] = CURSOR.exec(text ?? "") ?? []
  return direction === "older" || direction === "newer" ? { direction, id: Number(id) } : undefined
}

/** The newest row comes first. */
export interface CursorPage<A> {
  readonly rows: ReadonlyArray<A>
  readonly older: PageCursor | undefined
  readonly newer: PageCursor | undefined
}

/**
 * `candidates` must have more than `size` rows if further rows exist. Returns undefined if the newest page must be
 * shown: nothing follows the cursor, or all newer rows fit on one page.
 */
export const toCursorPage = <A extends { readonly id: number }>(
  candidates: ReadonlyArray<A>,
  cursor: PageCursor | undefined,
  size = ACCESS_TOKENS_SHOWN
): CursorPage<A> | undefined => {
  const hasMore = candidates.length > size
  if (cursor !== undefined && (candidates.length === 0 || (cursor.direction === "newer" && !hasMore))) return undefined
  const onPage = candidates.slice(0, size)
  const rows = cursor?.direction === "newer" ? onPage.toReversed() : onPage
  const [first, last] = [rows[0], rows.at(-1)]
  const hasOlder = cursor?.direction === "newer" || hasMore
  return {
    rows,
    older: hasOlder && last !== undefined ? { direction: "older", id: last.id } : undefined,
    newer: cursor !== undefined && first !== undefined ? { direction: "newer", id: first.id } : undefined
  }
}
