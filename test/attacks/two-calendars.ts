import { Clock, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentActor, systemActor } from "../../src/contract/actor.ts"
import { dateInZone } from "../../src/contract/time.ts"
import { CalendarStays } from "../../src/domain/calendars/calendar-stays/CalendarStays.ts"
import { CalendarQueue } from "../../src/domain/calendars/imported-calendars/CalendarQueue.ts"
import { FeedReader } from "../../src/domain/calendars/imported-calendars/FeedReader.ts"
import { ImportedCalendars } from "../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import { PropertyFeeds } from "../../src/domain/calendars/property-feeds/PropertyFeeds.ts"
import { getOrCreateFeedAddress } from "../support/domain/calendars/feed-addresses.ts"
import { importCalendar } from "../support/domain/calendars/imported-calendars/import-service.ts"
import { asSystemActor, createOperator, insertProperty, typedClient, withToken } from "../support/harness.ts"
import { type DatabaseLayer, type LinkedService, startTwoServices } from "../support/two-services.ts"
import { tally } from "./figures.ts"
import { layerQuiet } from "./grounds.ts"
import { type MonthBudget, type MonthClock, month, type Side, type SideName } from "./month.ts"

// Two services that import each other's calendar, for a month: no night is sold twice of which the second seller could know,
// and in the end no day is closed that nobody holds.

const ZONE = "Europe/Berlin"
const BEGINS = Date.parse("2027-05-10T12:00:00Z")

const layerInside = Layer.mergeAll(
  CalendarQueue.layer,
  CalendarStays.layer,
  FeedReader.layer,
  ImportedCalendars.layer,
  PropertyFeeds.layer
)
type There = LinkedService<Layer.Success<typeof layerInside>>

/** Time stands where the month is; what takes time takes it. */
const standing = (): { readonly clock: Clock.Clock; readonly month: MonthClock } => {
  let now = BEGINS
  const clock: Clock.Clock = Object.assign(Object.create(Clock.Clock.defaultValue()), {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now)
  })
  return {
    clock,
    month: {
      now: () => now,
      set: (moment) => {
        now = moment
      },
      today: () => dateInZone(now, ZONE)
    }
  }
}

/** A host with one property, and the address where its days are read. */
const host = Effect.gen(function* () {
  const { operatorId, token } = yield* createOperator({ timeZone: ZONE })
  const propertyId = yield* insertProperty(operatorId, "Harbour 1")
  const api = yield* typedClient
  const { custom_channels } = yield* api.query_custom_channels({}).pipe(withToken(token))
  const { income_methods } = yield* api.query_income_methods({}).pipe(withToken(token))
  return {
    operatorId,
    token,
    propertyId,
    custom_channel_id: custom_channels[0]?.id ?? 0,
    income_method_id: income_methods[0]?.id ?? 0
  }
})
type Host = Effect.Success<typeof host>

const guest = {
  guest_name: "Ada Lovelace",
  currency: "EUR",
  rate_amount: 100,
  commission_amount: 0,
  received_amount: 0
} as const

const looking = Effect.gen(function* () {
  const queue = yield* CalendarQueue
  const [taken] = yield* queue.claim(yield* DateTime.nowAsDate, 1, [])
  if (taken === undefined) return undefined
  yield* importCalendar(taken)
  const sql = yield* SqlClient.SqlClient
  const [calendar] = yield* sql<{ state: string }>`SELECT state FROM imported_calendars WHERE id = ${taken.id}`
  return calendar?.state === "ok"
}).pipe(Effect.provideService(CurrentActor, systemActor("attack", "look")), Effect.orDie)

const nextLook = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ due_at: Date }>`SELECT min(due_at) AS due_at FROM imported_calendars`
  return row?.due_at.getTime() ?? Number.POSITIVE_INFINITY
}).pipe(Effect.orDie)

const sideOf = Effect.fnUntraced(function* (name: SideName, there: There, at: Host) {
  const api = yield* there.runInside(typedClient)
  const as = withToken(at.token)
  const property_ids = [at.propertyId]
  const { custom_channel_id, income_method_id } = at
  const side: Side = {
    name,
    free: (first, last) =>
      api.get_property_availability({ property_ids, start_date: first, end_date: last }).pipe(
        as,
        Effect.orDie,
        Effect.map(
          ({ properties }) =>
            new Set(properties[0]?.availabilities.flatMap(({ date, available }) => (available ? [date] : [])))
        )
      ),
    book: (nights) =>
      api
        .create_reservation({ property_id: at.propertyId, custom_channel_id, income_method_id, ...guest, ...nights })
        .pipe(
          as,
          Effect.map(({ reservation_code }) => reservation_code),
          Effect.catchTag("Conflict", () => Effect.succeed(undefined)),
          Effect.orDie
        ),
    move: (code, nights) =>
      api.update_reservation_basic({ stay_code: code, ...nights }).pipe(
        as,
        Effect.as(true),
        Effect.catchTag("Conflict", () => Effect.succeed(false)),
        Effect.orDie
      ),
    cancel: (code) => api.cancel_reservation({ reservation_code: code }).pipe(as, Effect.asVoid, Effect.orDie),
    setOpen: (day, available) =>
      api.update_availabilities({ property_ids, available, dates: [day] }).pipe(as, Effect.asVoid, Effect.orDie),
    nextLook: there.runInside(nextLook),
    look: there.runInside(looking)
  }
  return side
})

/** Which address of the other's a side imports: the one made for it, or the property's own. */
export type Addresses = "counter-feeds" | "own feeds"

/** Each imports the other's calendar; what one gives the other is made for it once it is known who reads. */
const acquainted = Effect.fnUntraced(function* (
  [a, b]: readonly [There, There],
  [atA, atB]: readonly [Host, Host],
  addresses: Addresses
) {
  const feed = (there: There, at: Host, calendarId?: number) =>
    there.runInside(getOrCreateFeedAddress(at.operatorId, at.propertyId, calendarId))
  const add = (there: There, at: Host, url: string) =>
    there.runInside(
      asSystemActor(ImportedCalendars.use((calendars) => calendars.add(at.operatorId, at.propertyId, url)))
    )
  const ofB = yield* add(a, atA, (yield* feed(b, atB)).url)
  const forB = addresses === "own feeds" ? yield* feed(a, atA) : yield* feed(a, atA, ofB.id)
  yield* add(b, atB, forB.url)
})

export interface TwoCalendarsBudget extends MonthBudget {
  readonly on: string
  readonly addresses: Addresses
}

export const twoCalendars = Effect.fnUntraced(function* (
  databases: readonly [DatabaseLayer, DatabaseLayer],
  { on, addresses, ...budget }: TwoCalendarsBudget
) {
  const count = tally(`two services that import each other's calendar, ${addresses}`, on, budget.seed)
  const { clock, month: moments } = standing()
  return yield* Effect.gen(function* () {
    const both = yield* startTwoServices(layerInside, databases)
    const hosts = [yield* both[0].runInside(host), yield* both[1].runInside(host)] as const
    yield* acquainted(both, hosts, addresses)
    const sides = { A: yield* sideOf("A", both[0], hosts[0]), B: yield* sideOf("B", both[1], hosts[1]) }
    const ways = { A: both[0].setDisconnected, B: both[1].setDisconnected }
    // Who cannot be reached cannot be asked: the way that is cut is the other's.
    const reach = (name: SideName, reachable: boolean) => ways[name === "A" ? "B" : "A"](!reachable)
    yield* month(sides, moments, reach, count, budget)
    return count.figures()
  }).pipe(Effect.provideService(Clock.Clock, clock), Effect.provide(layerQuiet), Effect.orDie)
})
