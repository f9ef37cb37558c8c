import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CALENDARS_SHOWN, HOUSE_CALENDARS_SHOWN } from "../../../../src/platform/limits.ts"
import { CalendarsElsewhere } from "../../../../src/transports/console/queries/CalendarsElsewhere.ts"
import { asCaller } from "../../../support/console-caller.ts"
import { createOperator, insertProperty, layerTest } from "../../../support/harness.ts"
import { insertImportedCalendar, insertImportedDays } from "../../../support/imported-calendars.ts"
import { countStatements } from "../../../support/statement-count.ts"

const TODAY = "2027-04-20"

const shown = (operatorId: number, offset = 0) =>
  CalendarsElsewhere.use((desk) => desk.of(TODAY, offset)).pipe(asCaller({ operatorId }))

layer(CalendarsElsewhere.layer.pipe(Layer.provideMerge(layerTest)))("calendars of elsewhere", (it) => {
  it.effect(
    "are read in one statement, with the days from today on and without what is secret, and nobody else's",
    () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* createOperator(), yield* createOperator()]
        const property = yield* insertProperty(mine.operatorId, "Harbour")
        const id = yield* insertImportedCalendar(
          mine.operatorId,
          property,
          "https://calendars.example/1.ics?s=SECRET-9876"
        )
        yield* insertImportedDays(mine.operatorId, property, id, false, "2027-04-19", TODAY, "2027-05-01")
        const other = yield* insertProperty(theirs.operatorId, "Theirs")
        yield* insertImportedCalendar(theirs.operatorId, other, "https://elsewhere.example/2.ics")
        const [all, statements] = yield* countStatements(shown(mine.operatorId))
        assert.strictEqual(statements, 1)
        assert.deepInclude(all.calendars[0], {
          ...{ id, property_title: "Harbour", host: "calendars.example", ending: "9876", state: "new", busy_days: 2 },
          ...{ fetched_at: null, error: null, unreadable: null, skip_unavailable: false }
        })
        assert.deepStrictEqual([all.calendars.length, all.total], [1, 1])
        assert.deepStrictEqual(all.properties, [{ id: property, name: "Harbour" }])
        assert.notInclude(JSON.stringify(all), "SECRET")
      })
  )

  it.effect("come in pages, those that fail first", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour")
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO imported_calendars (operator_id, property_id, url, host, state, due_at, created_at)
        SELECT ${operatorId}, ${property}, 'https://h.example/' || at, at::text,
          CASE WHEN at > ${CALENDARS_SHOWN} THEN 'failing' ELSE 'ok' END, now(), now()
        FROM generate_series(1, ${CALENDARS_SHOWN + 1}::integer) at`
      const first = yield* shown(operatorId)
      assert.deepStrictEqual([first.calendars.length, first.total], [CALENDARS_SHOWN, CALENDARS_SHOWN + 1])
      assert.strictEqual(first.calendars[0]?.host, String(CALENDARS_SHOWN + 1))
      const next = yield* shown(operatorId, CALENDARS_SHOWN)
      assert.deepStrictEqual(
        next.calendars.map(({ host }) => host),
        [String(CALENDARS_SHOWN)]
      )
    }).pipe(Effect.orDie)
  )

  it.effect(`have the operator's newest ${HOUSE_CALENDARS_SHOWN} house calendars beside them, without addresses`, () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* createOperator(), yield* createOperator()]
      const sql = yield* SqlClient.SqlClient
      const insert = Effect.fnUntraced(function* (operatorId: number, count: number) {
        const property = yield* insertProperty(operatorId, "Harbour")
        yield* sql`
          INSERT INTO property_feeds (operator_id, id, property_id, grant_id, house_fields, door_code_source, token, created_at)
          OVERRIDING SYSTEM VALUE
          SELECT ${operatorId}::bigint, id, ${property}::bigint, -id, '{phone}', 'reservation', 'lkfeed_house_' || id, now()
          FROM (SELECT nextval(pg_get_serial_sequence('property_feeds', 'id')) AS id FROM generate_series(1, ${count}::integer)) next`
      })
      yield* insert(mine.operatorId, HOUSE_CALENDARS_SHOWN + 1)
      yield* insert(theirs.operatorId, 1)
      const { house_calendars, house_calendar_total } = yield* shown(mine.operatorId)
      assert.deepStrictEqual(
        [house_calendars.length, house_calendar_total],
        [HOUSE_CALENDARS_SHOWN, HOUSE_CALENDARS_SHOWN + 1]
      )
      const ids = house_calendars.map(({ id }) => id)
      assert.deepStrictEqual(
        ids,
        ids.toSorted((one, other) => other - one)
      )
      assert.deepInclude(house_calendars[0], {
        property_title: "Harbour",
        fields: ["phone"],
        door_code_source: "reservation"
      })
      assert.notInclude(JSON.stringify(house_calendars), "lkfeed_")
      assert.lengthOf((yield* shown(theirs.operatorId)).house_calendars, 1)
    }).pipe(Effect.orDie)
  )
})
