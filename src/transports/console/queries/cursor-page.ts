import { ACCESS_TOKENS_SHOWN } from "../../../platform/limits.ts"

// Which part of a list a page shows that has links to what is older and newer.

/** Where a page begins: behind this row, on the way to older or to newer ones. */
export interface PageCursor {
  readonly direction: "older" | "newer"
  readonly id: number
}

const CURSOR = /^(older|newer)-([1-9]\d{0,14})$/

/** As it stands in an address. */
export const formatCursor = ({ direction, id }: PageCursor): string => `${direction}-${id}`

/** Undefined: none, or something that is none; then the page shows the newest. */
export const parseCursor = (text: string | null): PageCursor | undefined => {
  const [, direction, id] = CURSOR.exec(text ?? "") ?? []
  return direction === "older" || direction === "newer" ? { direction, id: Number(id) } : undefined
}

/** The newest first. */
export interface CursorPage<A> {
  readonly rows: ReadonlyArray<A>
  readonly older: PageCursor | undefined
  readonly newer: PageCursor | undefined
}

/**
 * The page of what was found behind an edge, on the way it leads: one more than is shown, if there are as many. Undefined: the
 * newest are to be shown instead, because nothing is behind it, or all that is newer.
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
