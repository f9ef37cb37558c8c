import { Effect, Layer } from "effect"
import { addDays } from "../../contract/time.ts"
import { newShareLinkToken } from "../../domain/calendars/calendar-share-links/share-link-url.ts"
import { ShareLinkStore } from "../../domain/calendars/calendar-share-links/store.ts"
import { StaffStore } from "../../domain/work/staffs/store.ts"
import { type NewTask, TaskStore } from "../../domain/work/tasks/store.ts"
import type { DemoOperator } from "./demo-operator.ts"
import { DEMO_PROPERTIES, type DemoProperty } from "./properties.ts"

/** Check-outs between these days, counted from today, have a cleaning. */
const DAYS_BEFORE = 4
const DAYS_AFTER = 6

type City = DemoProperty["city"]

// Ofcom reserves these numbers for fiction.
const CLEANERS: Readonly<Record<City, { readonly name: string; readonly mobile: string; readonly fee: number }>> = {
  Lisbon: { name: "Marta Nunes", mobile: "+44 7700900123", fee: 35 },
  Edinburgh: { name: "Ewan Reid", mobile: "+44 7700900142", fee: 30 }
}
const HANDYWOMAN = { name: "Ines Duarte", mobile: "+44 7700900187" }
const FORMER_STAFF = { name: "Calum Boyd", mobile: "+44 7700900158" }

// `property` is an index in DEMO_PROPERTIES. `on` is in days from today.
const REPAIRS = [
  { property: 2, on: 1, note: "The tap in the bathroom drips.", status: "pending" },
  { property: 4, on: 0, note: "Replace the battery of the smoke alarm in the hall.", status: "in_progress" },
  { property: 7, on: -2, note: "The window in the bedroom did not close.", status: "completed" }
] as const
const LEITH_HARBOUR_INDEXES = [5, 6]

const TASK_DEFAULTS = {
  level: "standard",
  property_id: null,
  staff_id: null,
  stay_id: null,
  expected_time: null,
  currency: "EUR",
  fee: "0",
  note: ""
} as const

const propertyIdsAt = ({ propertyIds }: DemoOperator, places: ReadonlyArray<number>): ReadonlyArray<number> =>
  places.flatMap((place) => propertyIds[place] ?? [])

const listCityIndexes = (city: City): ReadonlyArray<number> =>
  DEMO_PROPERTIES.flatMap((property, place) => (property.city === city ? [place] : []))

interface Person {
  readonly name: string
  readonly mobile: string
}

const writeStaff = Effect.fnUntraced(function* (operator: DemoOperator) {
  const { operatorId, now } = operator
  const staffs = yield* StaffStore
  const employ = (person: Person, properties: ReadonlyArray<number>, note: string) =>
    Effect.map(
      staffs.create(operatorId, { ...person, email: "", note, property_ids: propertyIdsAt(operator, properties) }, now),
      ({ id }) => id
    )
  const cleaners = {
    Lisbon: yield* employ(CLEANERS.Lisbon, listCityIndexes("Lisbon"), "Has keys to all four flats."),
    Edinburgh: yield* employ(CLEANERS.Edinburgh, listCityIndexes("Edinburgh"), "")
  }
  const handywoman = yield* employ(HANDYWOMAN, [], "Repairs of all kinds.")
  const former = yield* employ(FORMER_STAFF, [], "")
  if (former !== null) {
    yield* staffs.update(operatorId, former, { is_active: false }, now)
  }
  return { cleaners, handywoman }
})

const departuresOf = ({ orders, today }: DemoOperator) =>
  orders
    .filter(({ status }) => status === "accepted")
    .flatMap(({ stays }) => stays)
    .filter(({ checkOut }) => checkOut >= addDays(today, -DAYS_BEFORE) && checkOut <= addDays(today, DAYS_AFTER))
    .toSorted((one, other) => (one.checkOut < other.checkOut ? -1 : 1))

const writeCleanings = Effect.fnUntraced(function* (
  operator: DemoOperator,
  cleaners: Readonly<Record<City, number | null>>
) {
  const { operatorId, propertyIds, today, now } = operator
  const tasks = yield* TaskStore
  for (const { code, propertyIndex, checkOut } of departuresOf(operator)) {
    const flat = DEMO_PROPERTIES[propertyIndex]
    const { stay_id } = yield* tasks.findPreconditions(operatorId, { stay_code: code })
    if (flat === undefined) continue
    const cleaning: NewTask = {
      ...TASK_DEFAULTS,
      type: "cleaning",
      status: checkOut < today ? "completed" : "pending",
      property_id: propertyIds[propertyIndex] ?? null,
      staff_id: cleaners[flat.city],
      stay_id,
      expected_date: checkOut,
      expected_time: "11:30:00",
      currency: flat.currency,
      fee: String(CLEANERS[flat.city].fee)
    }
    yield* tasks.create(operatorId, cleaning, null, now)
  }
})

const writeRepairs = Effect.fnUntraced(function* (operator: DemoOperator, handywoman: number | null) {
  const { operatorId, propertyIds, today, now } = operator
  const tasks = yield* TaskStore
  for (const { property, on, note, status } of REPAIRS) {
    const repair: NewTask = {
      ...TASK_DEFAULTS,
      type: "maintenance",
      status,
      property_id: propertyIds[property] ?? null,
      staff_id: handywoman,
      expected_date: addDays(today, on),
      note
    }
    yield* tasks.create(operatorId, repair, null, now)
  }
})

export const writeStaffAndTasks = Effect.fn("demo.writeWork")(
  function* (operator: DemoOperator) {
    const { cleaners, handywoman } = yield* writeStaff(operator)
    yield* writeCleanings(operator, cleaners)
    yield* writeRepairs(operator, handywoman)
    const links = yield* ShareLinkStore
    yield* links.createEntire(operator.operatorId, { token: newShareLinkToken(), created_at: operator.now })
    const harbourLink = {
      token: newShareLinkToken(),
      property_ids: propertyIdsAt(operator, LEITH_HARBOUR_INDEXES),
      created_at: operator.now
    }
    yield* links.createPartial(operator.operatorId, harbourLink)
  },
  Effect.provide(Layer.mergeAll(StaffStore.layer, TaskStore.layer, ShareLinkStore.layer))
)
