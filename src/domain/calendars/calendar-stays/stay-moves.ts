import { listHeldNights, toNightKey } from "../../bookings/reservations/rules/nights.ts"
import type { StayLink, StayNights } from "./stay-link.ts"

export interface StayMove {
  /** With the new dates. */
  readonly link: StayLink
  readonly from: StayNights & { readonly property_id: number | null }
}

export type StayMoveGroup = readonly [StayMove, ...ReadonlyArray<StayMove>]

/**
 * Returns a function that lists, for a move, the moves that hold a night which it needs. The list may contain the move
 * itself.
 */
const makeListNeededMoves = (moves: ReadonlyArray<StayMove>) => {
  const holders = new Map(
    moves.flatMap((move) => listHeldNights("accepted", move.from).map((night) => [toNightKey(night), move] as const))
  )
  return ({ link, from: { property_id } }: StayMove): ReadonlyArray<StayMove> =>
    listHeldNights("accepted", { ...link, property_id }).flatMap((night) => holders.get(toNightKey(night)) ?? [])
}

/**
 * Groups moves that need each other's nights, such as two stays that swap their nights: a group must move in one
 * change. Each group comes after the groups whose nights it needs. These are the strongly connected components of a
 * graph, found with Tarjan's algorithm.
 */
export const groupMoves = (moves: ReadonlyArray<StayMove>): ReadonlyArray<StayMoveGroup> => {
  const listNeededMoves = makeListNeededMoves(moves)
  const groups: Array<StayMoveGroup> = []
  const indexes = new Map<StayMove, number>()
  const stack: Array<StayMove> = []
  /** Returns the lowest index on the stack that the move reaches. */
  const visit = (move: StayMove): number => {
    const index = indexes.size
    indexes.set(move, index)
    stack.push(move)
    let lowLink = index
    for (const needed of listNeededMoves(move)) {
      const neededIndex = indexes.get(needed)
      if (neededIndex === undefined) lowLink = Math.min(lowLink, visit(needed))
      else if (stack.includes(needed)) lowLink = Math.min(lowLink, neededIndex)
    }
    if (lowLink === index) groups.push([move, ...stack.splice(stack.indexOf(move)).slice(1)])
    return lowLink
  }
  for (const move of moves) if (!indexes.has(move)) visit(move)
  return groups
}
