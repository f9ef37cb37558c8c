import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { Orders } from "../../../../src/domain/bookings/reservations/Orders.ts"
import { toStayCode } from "../../../../src/domain/bookings/reservations/rules/reservation-codes.ts"
import {
  arbitraryCalendarActions,
  type CalendarAction,
  CalendarModel,
  DAY_COUNT,
  FIRST_DAY,
  modelDayAt,
  PROPERTY_COUNT,
  propertiesOfNewOrder,
  type StayPosition
} from "../../../support/domain/bookings/reservations/calendar-model.ts"
import { newChannelOrder, newChannelStay } from "../../../support/domain/bookings/reservations/channel-orders.ts"
import {
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  MANUAL_RESERVATION,
  prepareOperator
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { asSystemActor, call, insertProperty } from "../../../support/harness.ts"
import { SEQUENCES_MS } from "../../../support/time-limits.ts"

// Any sequence of what hosts do leaves every night with one holder at most and the availability a plain model says, and
// who followed the events knows the same. Started all at once, the acts have no order to compare with; what must hold
// then is the rest.

const RUNS = 30
const RUNS_AT_ONCE = 15

const calendar = Effect.gen(function* () {
  const ground = yield* prepareOperator
  const properties = yield* Effect.forEach(Array.from({ length: PROPERTY_COUNT }), (_, index) =>
    insertProperty(ground.operatorId, `House ${index}`)
  )
  const idOf = (place: number) => properties[place] ?? 0
  return { ...ground, properties, idOf }
})

const codeOf = (meant: StayPosition | undefined) => toStayCode(`5-N${meant?.place ?? "0000"}`, meant?.room ?? 0)

/** Creates an order of several rooms by hand, which the API has no call for, and says how it went as a call would. */
const createRooms = Effect.fnUntraced(function* (
  { operatorId, idOf }: Effect.Success<typeof calendar>,
  act: CalendarAction & { readonly act: "create" },
  place: number
) {
  const orders = yield* Orders
  const dates = { check_in_date: modelDayAt(act.from), check_out_date: modelDayAt(act.from + act.nights) }
  const [first = newChannelStay(dates), ...others] = propertiesOfNewOrder(act).map((property) =>
    newChannelStay({ property_id: idOf(property), ...dates })
  )
  const order = newChannelOrder({ channel_id: `N${place}`, channel_type: "direct", stays: [first, ...others] })
  return yield* orders.create(operatorId, { ...order, reservation_code: `5-N${place}` }, new Date()).pipe(
    Effect.as({ error_code: 0, error_msg: "" }),
    Effect.catchTag("NightTaken", () => Effect.succeed({ error_code: 409, error_msg: "" }))
  )
})

/** The call that does an act; `place` is the place of a new order, `of` finds the stay of an existing one. */
const perform = Effect.fnUntraced(function* (
  ground: Effect.Success<typeof calendar>,
  act: CalendarAction,
  place: number,
  of: (order: number, room: number) => StayPosition | undefined
) {
  const { token, idOf } = ground
  switch (act.act) {
    case "create":
      if (act.rooms > 1) return yield* createRooms(ground, act, place)
      return yield* call(token, "create_reservation", {
        ...MANUAL_RESERVATION,
        property_id: idOf(act.property),
        channel_id: `N${place}`,
        check_in_date: modelDayAt(act.from),
        check_out_date: modelDayAt(act.from + act.nights)
      })
    case "move":
      return yield* call(token, "update_reservation_basic", {
        stay_code: codeOf(of(act.order, act.room)),
        check_in_date: modelDayAt(act.from),
        check_out_date: modelDayAt(act.from + act.nights)
      })
    case "allocate":
      return yield* call(token, "allocate_stay", {
        stay_code: codeOf(of(act.order, act.room)),
        property_id: idOf(act.property)
      })
    case "box":
      return yield* call(token, "move_stay_to_box", { stay_code: codeOf(of(act.order, act.room)) })
    case "cancel":
      return yield* call(token, "cancel_reservation", { reservation_code: codeOf(of(act.order, 0)) })
    default:
      return yield* call(token, "update_availabilities", {
        property_ids: [idOf(act.property)],
        available: act.act === "open",
        start_date: modelDayAt(act.from),
        end_date: modelDayAt(act.from + act.days - 1)
      })
  }
})

/** Availability as the API tells it, `property day`. */
const told = Effect.fnUntraced(function* ({ api, as, properties }: Effect.Success<typeof calendar>) {
  const read = yield* api
    .get_property_availability({ property_ids: properties, start_date: FIRST_DAY, end_date: modelDayAt(DAY_COUNT) })
    .pipe(as)
  return new Map(
    read.properties.flatMap(({ id, availabilities }) =>
      availabilities.map(({ date, available }) => [`${id} ${date}`, available] as const)
    )
  )
})

/** Availability as somebody knows it who heard every event, in order, and began with everything free. */
const heard = Effect.fnUntraced(function* (operatorId: number, days: Iterable<string>) {
  const known = new Map(Array.from(days, (day) => [day, true]))
  for (const event of yield* loadEvents(operatorId)) {
    if (event.event !== "property_availability_updated" || !Array.isArray(event["availabilities"])) continue
    for (const { date, available } of event["availabilities"]) {
      const day = `${event["property_id"]} ${date}`
      assert.notStrictEqual(known.get(day), available, `${day} is told though nothing changed`)
      known.set(day, available)
    }
  }
  return known
})

const outOfStep = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`SELECT stay_code FROM stays_out_of_step WHERE operator_id = ${operatorId}`
})

/** Runs a property test whose cases are effects, in the services of the test. */
const forAll = <R>(runs: number, test: (sequence: ReadonlyArray<CalendarAction>) => Effect.Effect<void, unknown, R>) =>
  Effect.flatMap(Effect.context<R>(), (context) =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(arbitraryCalendarActions, (sequence) => Effect.runPromiseWith(context)(test(sequence))),
        { numRuns: runs }
      )
    )
  )

layer(layerWithoutRateWindows, { excludeTestServices: false })("the calendar", (it) => {
  it.effect(
    "is what a plain model says, whatever is done in whatever order",
    () =>
      forAll(RUNS, (sequence) =>
        Effect.gen(function* () {
          const ground = yield* calendar
          const model = new CalendarModel()
          for (const act of sequence) {
            const place = model.orders.length
            const { error_code, error_msg } = yield* perform(ground, act, place, (order, room) =>
              model.findStayPosition(order, room)
            )
            assert.strictEqual(error_code, model.apply(act), `${JSON.stringify(act)} ${error_msg}`)
          }
          const expected = Array.from(model.mapNightHolders(), ([night, meant]) => {
            const [property, day] = night.split(" ")
            return `${ground.idOf(Number(property))} ${day} ${codeOf(meant)}`
          })
          assert.deepStrictEqual((yield* loadNightHolders(ground.operatorId)).toSorted(), expected.toSorted())
          const availability = yield* told(ground)
          for (let property = 0; property < PROPERTY_COUNT; property += 1) {
            for (let day = 0; day <= DAY_COUNT; day += 1) {
              const isAvailable = availability.get(`${ground.idOf(property)} ${modelDayAt(day)}`)
              assert.strictEqual(
                isAvailable,
                model.isAvailable(property, modelDayAt(day)),
                `${property} ${modelDayAt(day)}`
              )
            }
          }
          assert.deepStrictEqual(yield* heard(ground.operatorId, availability.keys()), availability)
          assert.deepStrictEqual(yield* outOfStep(ground.operatorId), [])
        })
      ).pipe(asSystemActor, Effect.provide(Orders.layer)),
    SEQUENCES_MS
  )

  it.effect(
    "has one holder a night at most when everything is done at once, and events tell how it ended",
    () =>
      forAll(RUNS_AT_ONCE, (sequence) =>
        Effect.gen(function* () {
          const ground = yield* calendar
          const creates = sequence.filter((act) => act.act === "create")
          const others = sequence.filter((act) => act.act !== "create")
          // Half of the orders are there before, the other half come at the same time as everything else.
          const early = creates.slice(0, creates.length / 2)
          const late = creates.slice(creates.length / 2)
          const of = (order: number, room: number) => {
            const place = early.length === 0 ? 0 : order % early.length
            const act = early[place]
            return act === undefined ? undefined : { place, room: room % act.rooms }
          }
          yield* Effect.forEach(early, (act, place) => perform(ground, act, place, of))
          const answers = yield* Effect.forEach(
            [
              ...late.map((act, index) => perform(ground, act, early.length + index, of)),
              ...others.map((act) => perform(ground, act, 0, of))
            ],
            (act) => Effect.map(act, ({ error_code }) => error_code),
            { concurrency: "unbounded" }
          )
          for (const answer of answers) assert.include([0, 404, 409, 422], answer)
          assert.deepStrictEqual(yield* outOfStep(ground.operatorId), [])
          const availability = yield* told(ground)
          assert.deepStrictEqual(yield* heard(ground.operatorId, availability.keys()), availability)
        })
      ).pipe(asSystemActor, Effect.provide(Orders.layer)),
    SEQUENCES_MS
  )
})
