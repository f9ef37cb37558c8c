import fc from "fast-check"
import { addDays } from "../../../../../src/contract/time.ts"
import { listStayNights } from "../../../../../src/domain/bookings/reservations/rules/nights.ts"

// What a host may do to the calendar, and a plain model of what it should come to.

export const FIRST_DAY = "2027-06-01"
export const DAY_COUNT = 12
export const PROPERTY_COUNT = 3

/**
 * Property, order and room are places in a list; what lies behind its end wraps around. An order of several rooms has
 * the first in `property` and each further one in the next. Days count from {@link FIRST_DAY}.
 */
export type CalendarAction =
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

const arbitraryProperty = fc.nat(PROPERTY_COUNT - 1)
const arbitraryOrder = fc.nat(9)
const arbitraryRoom = fc.nat(PROPERTY_COUNT - 1)
const arbitraryRoomCount = fc.integer({ min: 1, max: PROPERTY_COUNT })
const arbitraryFirstDay = fc.nat(DAY_COUNT - 5)
const arbitraryNightCount = fc.integer({ min: 1, max: 4 })

export const arbitraryCalendarActions = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        act: fc.constant("create" as const),
        property: arbitraryProperty,
        rooms: arbitraryRoomCount,
        from: arbitraryFirstDay,
        nights: arbitraryNightCount
      })
    },
    {
      weight: 3,
      arbitrary: fc.record({
        act: fc.constant("move" as const),
        order: arbitraryOrder,
        room: arbitraryRoom,
        from: arbitraryFirstDay,
        nights: arbitraryNightCount
      })
    },
    {
      weight: 3,
      arbitrary: fc.record({
        act: fc.constant("allocate" as const),
        order: arbitraryOrder,
        room: arbitraryRoom,
        property: arbitraryProperty
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({ act: fc.constant("box" as const), order: arbitraryOrder, room: arbitraryRoom })
    },
    { weight: 2, arbitrary: fc.record({ act: fc.constant("cancel" as const), order: arbitraryOrder }) },
    {
      weight: 3,
      arbitrary: fc.record({
        act: fc.constantFrom("close" as const, "open" as const),
        property: arbitraryProperty,
        from: arbitraryFirstDay,
        days: arbitraryNightCount
      })
    }
  ),
  { minLength: 1, maxLength: 30, size: "max" }
)

export const modelDayAt = (index: number): string => addDays(FIRST_DAY, index)

/** The properties of the rooms of a new order. */
export const propertiesOfNewOrder = (act: CalendarAction & { readonly act: "create" }): ReadonlyArray<number> =>
  Array.from({ length: act.rooms }, (_, room) => (act.property + room) % PROPERTY_COUNT)

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
  readonly blockedDays = new Set<string>()

  /** Does the act and answers the error_code it should have. */
  apply(act: CalendarAction): number {
    switch (act.act) {
      case "create": {
        const state = { cancelled: false }
        const stays = propertiesOfNewOrder(act).map((property) => ({ order: state, property, ...this.#toDates(act) }))
        const hasConflict = stays.some((stay) => this.#findConflictingStays(stay).length > 0)
        this.orders.push(hasConflict ? undefined : Object.assign(state, { stays }))
        return hasConflict ? 409 : 0
      }
      case "move": {
        const stay = this.#findStay(act)
        if (stay === undefined) return 404
        const movedStay = { ...stay, ...this.#toDates(act) }
        if (movedStay.checkIn === stay.checkIn && movedStay.checkOut === stay.checkOut) return 0
        if (stay.order.cancelled) return 422
        if (this.#findConflictingStays(movedStay, stay).length > 0) return 409
        Object.assign(stay, movedStay)
        return 0
      }
      case "allocate": {
        const stay = this.#findStay(act)
        if (stay === undefined) return 404
        if (stay.order.cancelled) return 422
        for (const other of this.#findConflictingStays({ ...stay, property: act.property }, stay)) other.property = null
        stay.property = act.property
        return 0
      }
      case "box": {
        const stay = this.#findStay(act)
        if (stay === undefined) return 404
        if (stay.order.cancelled) return 422
        stay.property = null
        return 0
      }
      case "cancel": {
        const order = this.orders[this.#findOrderIndex(act.order)]
        if (order === undefined) return 404
        order.cancelled = true
        return 0
      }
      default:
        for (let index = 0; index < act.days; index += 1) {
          const day = `${act.property} ${modelDayAt(act.from + index)}`
          if (act.act === "close") this.blockedDays.add(day)
          else this.blockedDays.delete(day)
        }
        return 0
    }
  }

  /** Who holds each held night. */
  mapNightHolders(): ReadonlyMap<string, StayPosition> {
    return new Map(
      this.orders.flatMap((order, orderIndex) =>
        (order?.stays ?? []).flatMap((stay, room) =>
          this.#listHeldNights(stay).map((night) => [night, { place: orderIndex, room }] as const)
        )
      )
    )
  }

  isAvailable(property: number, day: string): boolean {
    const night = `${property} ${day}`
    return !this.blockedDays.has(night) && !this.mapNightHolders().has(night)
  }

  /** The stay an act means, undefined while there are no orders. */
  findStayPosition(order: number, room: number): StayPosition | undefined {
    const orderIndex = this.#findOrderIndex(order)
    return orderIndex < 0 ? undefined : { place: orderIndex, room: room % (this.orders[orderIndex]?.stays.length ?? 1) }
  }

  #findOrderIndex(order: number): number {
    return this.orders.length === 0 ? -1 : order % this.orders.length
  }

  #findStay({ order, room }: { readonly order: number; readonly room: number }): Stay | undefined {
    const position = this.findStayPosition(order, room)
    return position === undefined ? undefined : this.orders[position.place]?.stays[position.room]
  }

  #toDates({ from, nights }: { readonly from: number; readonly nights: number }) {
    return { checkIn: modelDayAt(from), checkOut: modelDayAt(from + nights) }
  }

  #listHeldNights(stay: Stay): ReadonlyArray<string> {
    return stay.order.cancelled || stay.property === null
      ? []
      : listStayNights({ check_in_date: stay.checkIn, check_out_date: stay.checkOut }).map(
          (day) => `${stay.property} ${day}`
        )
  }

  #findConflictingStays(stay: Stay, except?: Stay): ReadonlyArray<Stay> {
    const heldNights = new Set(this.#listHeldNights(stay))
    return this.orders
      .flatMap((order) => order?.stays ?? [])
      .filter((other) => other !== except && this.#listHeldNights(other).some((night) => heldNights.has(night)))
  }
}
