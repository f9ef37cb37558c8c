import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../../../src/contract/time.ts"
import { listDates } from "../../../../src/domain/calendars/availability/rules.ts"
import { PropertyEditStore } from "../../../../src/domain/properties/property-edits/PropertyEditStore.ts"
import { AVAILABILITY_END_DAYS } from "../../../../src/platform/limits.ts"
import {
  deleteEvents,
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  loadReservationRows,
  loadStayRow,
  MANUAL_RESERVATION,
  makeAvailabilityEvent,
  prepareOperator,
  TODAY
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { call, insertOrder, insertProperty } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"
import { activateProperty as activate, deactivateProperty as deactivate } from "../../../support/property-activation.ts"
import { countStatements } from "../../../support/statement-count.ts"

const layerLetting = Layer.provideMerge(PropertyEditStore.layer, layerWithoutRateWindows)

const LAST = addDays(TODAY, AVAILABILITY_END_DAYS)
const OFF = "the property is deactivated"

/** A calendar of elsewhere says that days are busy, or no more. */
const busyElsewhere = Effect.fnUntraced(function* (
  operatorId: number,
  property: number,
  day: string,
  imported: number
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO calendar_days (operator_id, property_id, day, imported) VALUES (${operatorId}, ${property}, ${day}, ${imported})
    ON CONFLICT (operator_id, property_id, day) DO UPDATE SET imported = excluded.imported`
}, Effect.orDie)

const trailOf = Effect.fnUntraced(function* (operatorId: number, record: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ operation: string; fields: ReadonlyArray<string> }>`
    SELECT operation, fields FROM trail WHERE operator_id = ${operatorId} AND record = ${record} ORDER BY id`
})

type Ground = Effect.Success<typeof prepareOperator>

const read = ({ api, as }: Ground, property: number, start_date: string, end_date: string) =>
  api.get_property_availability({ property_ids: [property], start_date, end_date }).pipe(
    as,
    Effect.map(({ properties }) => properties[0]?.availabilities ?? [])
  )

/** The property with a stay from the 1st to the 3rd of May, the 4th closed, the 5th busy elsewhere. */
const taken = Effect.gen(function* () {
  const ground = yield* prepareOperator
  const { api, as, operatorId, propertyId: property } = ground
  yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-05-01", checkOut: "2027-05-03" }])
  yield* api.update_availabilities({ property_ids: [property], available: false, dates: ["2027-05-04"] }).pipe(as)
  yield* busyElsewhere(operatorId, property, "2027-05-05", 1)
  yield* deleteEvents(operatorId)
  return ground
})

const TAKEN = ["2027-05-01", "2027-05-02", "2027-05-04", "2027-05-05"]
const sellable = listDates(TODAY, LAST).filter((day) => !TAKEN.includes(day))

layer(layerLetting, { excludeTestServices: false })("a property that is turned off", (it) => {
  it.effect("tells in one event every day that could be sold, to the last there is, and no other", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property } = yield* taken
      const nights = yield* loadNightHolders(operatorId)
      assert.deepStrictEqual(yield* deactivate(property), {
        property_id: property,
        active: false,
        changed_days: AVAILABILITY_END_DAYS + 1 - TAKEN.length
      })
      assert.deepStrictEqual(yield* loadEvents(operatorId), [
        makeAvailabilityEvent(property, ...sellable.map((day) => [day, false] as const))
      ])
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), nights, "what is sold stays sold")
    })
  )

  it.effect("can be sold on no day from then on, and says why, after what the host remarks", () =>
    Effect.gen(function* () {
      const ground = yield* taken
      const { operatorId, propertyId: property, secondPropertyId: second, api, as } = ground
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE calendar_days SET remarks = 'Painting' WHERE operator_id = ${operatorId} AND day = '2027-05-04'`
      const pastDay = addDays(TODAY, -2)
      yield* insertOrder(operatorId, [{ propertyId: property, checkIn: pastDay, checkOut: addDays(TODAY, -1) }])
      const reading = read(ground, property, addDays(TODAY, -3), LAST)
      const before = yield* reading
      yield* deactivate(property)
      const [after, statements] = yield* countStatements(reading)
      assert.isAtMost(statements, 2, "the token and the days")
      assert.deepStrictEqual(
        after,
        before.map((day) =>
          day.date < TODAY
            ? day
            : { ...day, available: false, remarks: day.date === "2027-05-04" ? `Painting; ${OFF}` : OFF }
        )
      )
      assert.strictEqual(after.find(({ date }) => date === pastDay)?.available, false)
      assert.strictEqual(after.find(({ date }) => date === addDays(TODAY, -1))?.available, true)
      const other = yield* read(ground, second, TODAY, LAST)
      assert.isTrue(other.every((day) => day.available && day.remarks === ""))
      const { properties } = yield* api.search_properties({ id: property }).pipe(as)
      assert.lengthOf(properties, 1, "it is still there")
    })
  )

  it.effect("is off from the merchant's day", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE operators SET time_zone = 'Pacific/Kiritimati' WHERE id = ${ground.operatorId}`
      yield* deactivate(ground.propertyId)
      const days = yield* read(ground, ground.propertyId, TODAY, addDays(TODAY, 1))
      assert.deepStrictEqual(
        days.map((day) => day.available),
        [true, false]
      )
      const [told] = yield* loadEvents(ground.operatorId)
      assert.nestedPropertyVal(told, "availabilities[0].date", addDays(TODAY, 1))
      assert.nestedPropertyVal(told, `availabilities[${AVAILABILITY_END_DAYS}].date`, addDays(LAST, 1))
    })
  )

  it.effect("can be sold again when it is turned on, but for what became taken meanwhile, which is told then", () =>
    Effect.gen(function* () {
      const ground = yield* taken
      const { operatorId, propertyId: property, api, as } = ground
      const before = yield* read(ground, property, TODAY, LAST)
      yield* deactivate(property)
      yield* deleteEvents(operatorId)
      const change = (available: boolean, date: string) =>
        api.update_availabilities({ property_ids: [property], available, dates: [date] }).pipe(as)
      yield* change(false, "2027-05-20")
      yield* change(true, "2027-05-04")
      yield* change(false, "2027-05-21")
      yield* change(true, "2027-05-21")
      assert.deepStrictEqual(yield* loadEvents(operatorId), [], "nothing of it can be sold before or after")
      const { changed_days } = yield* activate(property)
      const days = [...sellable.filter((day) => day !== "2027-05-20"), "2027-05-04"].sort()
      assert.strictEqual(changed_days, days.length)
      assert.deepStrictEqual(yield* loadEvents(operatorId), [
        makeAvailabilityEvent(property, ...days.map((day) => [day, true] as const))
      ])
      assert.deepStrictEqual(
        yield* read(ground, property, TODAY, LAST),
        before.map((day) => ({ ...day, available: days.includes(day.date) }))
      )
    })
  )

  it.effect("is turned off and on once, whoever says it twice, and both are in the trail", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, secondPropertyId: second } = yield* prepareOperator
      const all = AVAILABILITY_END_DAYS + 1
      const done: Array<unknown> = []
      for (const turn of [activate, deactivate, deactivate, activate, activate]) done.push(yield* turn(property))
      assert.deepStrictEqual(
        done,
        [
          [true, 0],
          [false, all],
          [false, 0],
          [true, all],
          [true, 0]
        ].map(([active, changed_days]) => ({ property_id: property, active, changed_days }))
      )
      assert.lengthOf(yield* loadEvents(operatorId), 2)
      assert.deepStrictEqual(
        yield* trailOf(operatorId, `property:${property}`),
        Array.from({ length: 2 }, () => ({ operation: "test", fields: ["deactivated_at"] }))
      )
      assert.deepStrictEqual(yield* trailOf(operatorId, `property:${second}`), [])
    })
  )

  it.effect("of which nothing could be sold tells nothing, and is turned off all the same", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property } = yield* prepareOperator
      const whole = { property_ids: [property], available: false, start_date: TODAY, end_date: LAST }
      yield* api.update_availabilities(whole).pipe(as)
      yield* deleteEvents(operatorId)
      assert.deepStrictEqual(yield* deactivate(property), { property_id: property, active: false, changed_days: 0 })
      assert.deepStrictEqual(yield* loadEvents(operatorId), [])
      assert.lengthOf(yield* trailOf(operatorId, `property:${property}`), 2)
    })
  )

  it.effect("takes nothing more by hand", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second, token } = yield* prepareOperator
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: second, channel_id: "B1" }).pipe(as)
      yield* api
        .create_reservation({
          ...MANUAL_RESERVATION,
          property_id: second,
          check_in_date: "2027-05-08",
          check_out_date: "2027-05-09",
          channel_id: "B2"
        })
        .pipe(as)
      yield* api.move_stay_to_box({ stay_code: "5-B2" }).pipe(as)
      yield* deactivate(property)
      const before = yield* loadReservationRows(operatorId)
      for (const [operation, fields] of [
        ["create_reservation", { ...MANUAL_RESERVATION, property_id: property }],
        ["create_reservation", { ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }],
        ["allocate_stay", { stay_code: "5-B1", property_id: property }],
        ["allocate_stay", { stay_code: "5-B2", property_id: property }]
      ] as const) {
        const answer = yield* call(token, operation, fields)
        assert.deepInclude(answer, { error_code: 422, error_msg: `property_id: ${OFF}.` })
      }
      const good = { ...MANUAL_RESERVATION, check_in_date: "2027-06-01", check_out_date: "2027-06-02" }
      const unknown = yield* call(token, "create_reservation", { ...good, property_id: 987_654_321 })
      assert.strictEqual(unknown.error_code, 404, "which is told before")
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      yield* activate(property)
      const [, statements] = yield* countStatements(
        api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      )
      assert.isAtMost(statements, 2, "the token and the change")
      yield* api.allocate_stay({ stay_code: "5-B2", property_id: property }).pipe(as)
    })
  )

  it.effect("answers the order that was entered before under the channel_id", () =>
    Effect.gen(function* () {
      const { api, as, propertyId: property } = yield* prepareOperator
      const entering = api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" })
        .pipe(as)
      const made = yield* entering
      yield* deactivate(property)
      assert.deepStrictEqual(yield* entering, made)
    })
  )

  it.effect("keeps the stays it has: their dates change, they come and go, and it is said to be free of none", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { api, as, operatorId, propertyId: property } = ground
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      const pending = yield* insertOrder(
        operatorId,
        [{ propertyId: property, checkIn: "2027-06-01", checkOut: "2027-06-03" }],
        { channelType: "airbnb", status: "wait_accept" }
      )
      yield* deactivate(property)
      yield* deleteEvents(operatorId)
      yield* api.allocate_stay({ stay_code: "5-A1", property_id: property }).pipe(as)
      yield* api.update_reservation_basic({ stay_code: "5-A1", check_out_date: "2027-05-09" }).pipe(as)
      yield* api.approve_reservation({ reservation_code: pending }).pipe(as)
      assert.deepInclude(yield* loadStayRow(ground, pending), { property_id: property, status: "accepted" })
      assert.lengthOf(yield* loadNightHolders(operatorId), 7)
      yield* api.cancel_reservation({ reservation_code: "5-A1" }).pipe(as)
      assert.lengthOf(yield* loadNightHolders(operatorId), 2)
      const told = (yield* loadEvents(operatorId)).map(({ event }) => event)
      assert.notInclude(told, "property_availability_updated")
      assert.include(told, "reservation_updated")
    })
  )
})

/** What subscribers were told last of each day of a property; a day nobody told of can be sold. */
const toldOf = Effect.fnUntraced(function* (operatorId: number, property: number) {
  const sql = yield* SqlClient.SqlClient
  const days = yield* sql<{ date: string; available: boolean }>`
    SELECT day ->> 'date' AS date, (day ->> 'available')::boolean AS available
    FROM events e, jsonb_array_elements(e.payload -> 'availabilities') WITH ORDINALITY AS told (day, nth)
    WHERE e.operator_id = ${operatorId} AND e.event = 'property_availability_updated' AND e.record = ${`property:${property}`}
    ORDER BY e.id, nth`
  return new Map(days.map(({ date, available }) => [date, available]))
})

/** That of every day, its state is what was told last. */
const isTruth = Effect.fnUntraced(function* (ground: Ground, why: string) {
  for (const property of [ground.propertyId, ground.secondPropertyId]) {
    const told = yield* toldOf(ground.operatorId, property)
    const days = yield* read(ground, property, TODAY, "2027-07-01")
    const wrong = days.filter(({ date, available }) => (told.get(date) ?? true) !== available)
    assert.deepStrictEqual(wrong, [], why)
  }
})

/** What changes days of a property, each with what is there before it. */
const changes = (ground: Ground, property: number, nth: number) => {
  const { api, as } = ground
  const dates = ["2027-05-04", "2027-05-05", "2027-05-10"]
  const set = (available: boolean) => api.update_availabilities({ property_ids: [property], available, dates }).pipe(as)
  const enter = api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: `C${nth}` }).pipe(as)
  const cancel = api.cancel_reservation({ reservation_code: `5-C${nth}` }).pipe(as)
  const orNot = <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.asVoid(Effect.result(change))
  return {
    close: [Effect.void, set(false)],
    open: [set(false), set(true)],
    enter: [Effect.void, orNot(enter)],
    cancel: [enter, cancel],
    activate: [Effect.void, orNot(activate(property))],
    deactivate: [Effect.void, orNot(deactivate(property))]
  } satisfies Record<
    string,
    readonly [Effect.Effect<unknown, unknown, unknown>, Effect.Effect<unknown, unknown, unknown>]
  >
}

layer(layerLetting, { excludeTestServices: false })("a property that is turned off while its days change", (it) => {
  const orders = ["first", "second"] as const
  const names = ["close", "open", "enter", "cancel", "activate", "deactivate"] as const

  for (const turnName of ["deactivate", "activate"] as const) {
    for (const name of names) {
      for (const place of orders) {
        it.effect.skipIf(!canOverlap)(
          withServerNote(`tells the truth: ${turnName} comes ${place}, and ${name} at the same time`),
          () =>
            Effect.gen(function* () {
              const ground = yield* prepareOperator
              const { propertyId: property } = ground
              const [before, change] = changes(ground, property, 1)[name]
              yield* before
              if (turnName === "activate") yield* deactivate(property)
              const turn = turnName === "activate" ? activate(property) : deactivate(property)
              yield* place === "first" ? runOverlapping(turn, change) : runOverlapping(change, turn)
              yield* isTruth(ground, `${turnName} ${place}, ${name}`)
            })
        )
      }
    }
  }

  it.effect("tells the truth when much happens to two properties at once", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const many = Array.from({ length: 12 }, (_, nth) => {
        const property = nth % 2 === 0 ? ground.propertyId : ground.secondPropertyId
        const { close, open, enter, cancel, ...turns } = changes(ground, property, nth)
        const both = [ground.propertyId, ground.secondPropertyId]
        const range = { property_ids: both, start_date: "2027-05-01", end_date: "2027-05-08" }
        const setBoth = (available: boolean) =>
          ground.api.update_availabilities({ ...range, available }).pipe(ground.as)
        return [
          turns.deactivate[1],
          close[1],
          setBoth(false),
          enter[1],
          turns.activate[1],
          open[1],
          setBoth(true),
          Effect.asVoid(Effect.result(cancel[1]))
        ]
      })
      yield* Effect.forEach(many, (each) => Effect.forEach(each, (change) => change, { discard: true }), {
        concurrency: "unbounded",
        discard: true
      })
      yield* isTruth(ground, "at once")
      for (const property of [ground.propertyId, ground.secondPropertyId]) {
        yield* activate(property)
        yield* isTruth(ground, "on")
        yield* deactivate(property)
        yield* isTruth(ground, "off")
      }
      const third = yield* insertProperty(ground.operatorId, "Harbour 3")
      assert.deepStrictEqual(yield* toldOf(ground.operatorId, third), new Map())
    })
  )
})
