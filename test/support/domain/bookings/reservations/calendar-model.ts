import fc from "fast-check"
import { addDays } from "../../../../../src/contract/time.ts"
import { listStayNights } from "../../../../../src/domain/bookings/reservations/rules/nights.ts"

// What a host may do to the calendar, and a plain model of what it should come to.

export const FIRST_DAY = "2027-06-01"
export const DAYS = 12
export const PROPERTIES = 3

/**
 * Property, order and room are places in a list; what lies behind its end wraps around. An order of several rooms has
 * the first in `property` and each further one in the next. Days count from {@link FIRST_DAY}.
 */
export type CalendarAct =
  | {
      readonly act: "create"
      readonly property: number
      readonly rooms: number
      readonly from: number
      readonly nights: number
    }
  | {
      readonly act: "move"
      readonly order: number
      readonly room: number
      readonly from: number
      readonly nights: number
    }
  | { readonly act: "allocate"; readonly order: number; readonly room: number; readonly property: number }
  | { readonly act: "box"; readonly order: number; readonly room: number }
  | { readonly act: "cancel"; readonly order: number }
  | { readonly act: "close" | "open"; readonly property: number; readonly from: number; readonly days: number }

const property = fc.nat(PROPERTIES - 1)
const order = fc.nat(9)
const room = fc.nat(PROPERTIES - 1)
const rooms = fc.integer({ min: 1, max: PROPERTIES })
const from = fc.nat(DAYS - 5)
const nights = fc.integer({ min: 1, max: 4 })

export const calendarActs = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ act: fc.constant("create" as const), property, rooms, from, nights }) },
    { weight: 3, arbitrary: fc.record({ act: fc.constant("move" as const), order, room, from, nights }) },
    { weight: 3, arbitrary: fc.record({ act: fc.constant("allocate" as const), order, room, property }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant("box" as const), order, room }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant("cancel" as const), order }) },
    {
      weight: 3,
      arbitrary: fc.record({ act: fc.constantFrom("close" as const, "open" as const), property, from, days: nights })
    }
  ),
  { minLength: 1, maxLength: 30, size: "max" }
)

export const modelDayAt = (index: number): string => addDays(FIRST_DAY, index)

/** The properties of the rooms of a new order. */
export const propertiesOfNewOrder = (act: CalendarAct & { readonly act: "create" }): ReadonlyArray<number> =>
  Array.from({ length: act.rooms }, (_, room) => (act.property + room) % PROPERTIES)

interface Order {
  readonly stays: ReadonlyArray<Stay>
  cancelled: boolean
}

interface Stay {
  readonly order: { cancelled: boolean }
  property: number | null
  checkIn: string
  checkOut: string
}

/** A stay by the place of its order and of its room. */
export interface StayPosition {
  readonly place: number
  readonly room: number
}

/** Orders by the order they were tried in; a refused one holds nothing and stays undefined. */
export class CalendarModel {
  readonly orders: Array<Order | undefined> = []
  readonly closed = new Set<string>()

  /** Does the act and answers the error_code it should have. */
  apply(act: CalendarAct): number {
    switch (act.act) {
      case "create": {
        const state = { cancelled: false }
        const stays = propertiesOfNewOrder(act).map((property) => ({ order: state, property, ...this.#dates(act) }))
        const clash = stays.some((stay) => this.#inTheWay(stay).length > 0)
        this.orders.push(clash ? undefined : Object.assign(state, { stays }))
        return clash ? 409 : 0
      }
      case "move": {
        const stay = this.#stay(act)
        if (stay === undefined) return 404
        const moved = { ...stay, ...this.#dates(act) }
        if (moved.checkIn === stay.checkIn && moved.checkOut === stay.checkOut) return 0
        if (stay.order.cancelled) return 422
        if (this.#inTheWay(moved, stay).length > 0) return 409
        Object.assign(stay, moved)
        return 0
      }
      case "allocate": {
        const stay = this.#stay(act)
        if (stay === undefined) return 404
        if (stay.order.cancelled) return 422
        for (const other of this.#inTheWay({ ...stay, property: act.property }, stay)) other.property = null
        stay.property = act.property
        return 0
      }
      case "box": {
        const stay = this.#stay(act)
        if (stay === undefined) return 404
        if (stay.order.cancelled) return 422
        stay.property = null
        return 0
      }
      case "cancel": {
        const order = this.orders[this.#place(act.order)]
        if (order === undefined) return 404
        order.cancelled = true
        return 0
      }
      default:
        for (let index = 0; index < act.days; index += 1) {
          const day = `${act.property} ${modelDayAt(act.from + index)}`
          if (act.act === "close") this.closed.add(day)
          else this.closed.delete(day)
        }
        return 0
    }
  }

  /** Who holds each held night. */
  holders(): ReadonlyMap<string, StayPosition> {
    return new Map(
      this.orders.flatMap((order, place) =>
        (order?.stays ?? []).flatMap((stay, room) => this.#held(stay).map((night) => [night, { place, room }] as const))
      )
    )
  }

  isAvailable(property: number, day: string): boolean {
    const night = `${property} ${day}`
    return !this.closed.has(night) && !this.holders().has(night)
  }

  /** The stay an act means, undefined while there are no orders. */
  meant(order: number, room: number): StayPosition | undefined {
    const place = this.#place(order)
    return place < 0 ? undefined : { place, room: room % (this.orders[place]?.stays.length ?? 1) }
  }

  #place(order: number): number {
    return this.orders.length === 0 ? -1 : order % this.orders.length
  }

  #stay({ order, room }: { readonly order: number; readonly room: number }): Stay | undefined {
    const meant = this.meant(order, room)
    return meant === undefined ? undefined : this.orders[meant.place]?.stays[meant.room]
  }

  #dates({ from, nights }: { readonly from: number; readonly nights: number }) {
    return { checkIn: modelDayAt(from), checkOut: modelDayAt(from + nights) }
  }

  #held(stay: Stay): ReadonlyArray<string> {
    return stay.order.cancelled || stay.property === null
      ? []
      : listStayNights({ check_in_date: stay.checkIn, check_out_date: stay.checkOut }).map(
          (day) => `${stay.property} ${day}`
        )
  }

  #inTheWay(stay: Stay, but?: Stay): ReadonlyArray<Stay> {
    const wanted = new Set(this.#held(stay))
    return this.orders
      .flatMap((order) => order?.stays ?? [])
      .filter((other) => other !== but && this.#held(other).some((night) => wanted.has(night)))
  }
}
