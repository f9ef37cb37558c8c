import { listHeldNights, toNightKey } from "../../bookings/reservations/rules/nights.ts"
import type { StayLink, StayNights } from "./followed-stay.ts"

export interface StayMove {
  /** With the new dates. */
  readonly link: StayLink
  readonly from: StayNights & { readonly property_id: number | null }
}

export type StayMoveGroup = readonly [StayMove, ...ReadonlyArray<StayMove>]

/** Returns, for each move, the other moves that hold a night that it needs. */
const makeListNeededMoves = (moves: ReadonlyArray<StayMove>) => {
  const holders = new Map(
    moves.flatMap((move) => listHeldNights("accepted", move.from).map((night) => [toNightKey(night), move] as const))
  )
  return ({ link, from: { property_id } }: StayMove): ReadonlyArray<StayMove> =>
    listHeldNights("accepted", { ...link, property_id }).flatMap((night) => holders.get(toNightKey(night)) ?? [])
}

/**
 * Groups moves that need each other's nights, such as two stays that swap their nights: a group must move in one change.
 * Each group comes after the groups whose nights it needs. These are the strongly connected components of a graph, found
 * with Tarjan's algorithm.
 */
export const groupMoves = (moves: ReadonlyArray<StayMove>): ReadonlyArray<StayMoveGroup> => {
  const listNeededMoves = makeListNeededMoves(moves)
  const groups: Array<StayMoveGroup> = []
  const places = new Map<StayMove, number>()
  const open: Array<StayMove> = []
  /** Returns the lowest place that the move reaches among the open ones. */
  const visit = (move: StayMove): number => {
    const place = places.size
    places.set(move, place)
    open.push(move)
    let lowest = place
    for (const needed of listNeededMoves(move)) {
      const neededPlace = places.get(needed)
      if (neededPlace === undefined) lowest = Math.min(lowest, visit(needed))
      else if (open.includes(needed)) lowest = Math.min(lowest, neededPlace)
    }
    if (lowest === place) groups.push([move, ...open.splice(open.indexOf(move)).slice(1)])
    return lowest
  }
  for (const move of moves) if (!places.has(move)) visit(move)
  return groups
}
