import { ACCESS_TOKENS_SHOWN } from "../../../platform/limits.ts"

// Which part of a list a page shows that has links to what is older and newer.

/** Where a page begins: behind this row, on the way to older or to newer ones. */
export interface Edge {
  readonly way: "older" | "newer"
  readonly id: number
}

const EDGE = /^(older|newer)-([1-9]\d{0,14})$/

/** As it stands in an address. */
export const edgeText = ({ way, id }: Edge): string => `${way}-${id}`

/** Undefined: none, or something that is none; then the page shows the newest. */
export const edgeIn = (text: string | null): Edge | undefined => {
  const [, way, id] = EDGE.exec(text ?? "") ?? []
  return way === "older" || way === "newer" ? { way, id: Number(id) } : undefined
}

/** The newest first. */
export interface PageOf<A> {
  readonly rows: ReadonlyArray<A>
  readonly older: Edge | undefined
  readonly newer: Edge | undefined
}

/**
 * The page of what was found behind an edge, on the way it leads: one more than is shown, if there are as many. Undefined: the
 * newest are to be shown instead, because nothing is behind it, or all that is newer.
 */
export const pageOf = <A extends { readonly id: number }>(
  found: ReadonlyArray<A>,
  edge: Edge | undefined,
  size = ACCESS_TOKENS_SHOWN
): PageOf<A> | undefined => {
  const more = found.length > size
  if (edge !== undefined && (found.length === 0 || (edge.way === "newer" && !more))) return undefined
  const shown = found.slice(0, size)
  const rows = edge?.way === "newer" ? shown.toReversed() : shown
  const [first, last] = [rows[0], rows.at(-1)]
  const isOlderThere = edge?.way === "newer" || more
  return {
    rows,
    older: isOlderThere && last !== undefined ? { way: "older", id: last.id } : undefined,
    newer: edge !== undefined && first !== undefined ? { way: "newer", id: first.id } : undefined
  }
}
