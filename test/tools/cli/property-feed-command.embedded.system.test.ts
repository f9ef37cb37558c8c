import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createOperator, insertProperty } from "../../support/harness.ts"
import { insertImportedCalendar } from "../../support/imported-calendars.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const Answer = Schema.fromJsonString(
  Schema.Struct({
    property_id: Schema.Int,
    url: Schema.String,
    calendars: Schema.Array(Schema.Struct({ calendar_id: Schema.Int, url: Schema.String }))
  })
)

const PUBLIC = { PUBLIC_URL: "https://api.example.test" }

const feedOf = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
  const { code, stdout, stderr } = yield* runBesideService(["property", "feed", ...flags, "--json"], PUBLIC)
  assert.deepStrictEqual([code, stderr], [0, ""])
  return yield* Schema.decodeUnknownEffect(Answer)(stdout)
})

const ready = Effect.gen(function* () {
  const { operatorId } = yield* createOperator()
  const property = yield* insertProperty(operatorId, "Harbour 1")
  return { operatorId, property, of: ["--property", `${property}`] }
})

layer(layerRunningService, { excludeTestServices: true })("latchkey property feed", (it) => {
  it.effect(
    "says the address of a property's feed and those for the sources of its calendars, the same each time",
    () =>
      Effect.gen(function* () {
        const { operatorId, property, of } = yield* ready
        const alone = yield* feedOf(...of)
        assert.deepStrictEqual([alone.property_id, alone.calendars], [property, []])
        assert.match(alone.url, /^https:\/\/api\.example\.test\/feeds\/lkfeed_[0-9a-z]{26}\.ics$/)
        const calendar = yield* insertImportedCalendar(operatorId, property, "https://a.example.test/a.ics")
        const both = yield* feedOf(...of)
        assert.strictEqual(both.url, alone.url)
        assert.deepStrictEqual(
          both.calendars.map(({ calendar_id }) => calendar_id),
          [calendar]
        )
        assert.deepStrictEqual(yield* feedOf(...of), both)
        const { stdout } = yield* runBesideService(["property", "feed", ...of], PUBLIC)
        assert.strictEqual(stdout, `${both.url}\ncalendar ${calendar}  ${both.calendars[0]?.url}\n`)
      })
  )

  it.effect("replaces one address and leaves the others", () =>
    Effect.gen(function* () {
      const { operatorId, property, of } = yield* ready
      const calendar = yield* insertImportedCalendar(operatorId, property, "https://a.example.test/a.ics")
      const first = yield* feedOf(...of)
      const second = yield* feedOf(...of, "--renew")
      assert.notStrictEqual(second.url, first.url)
      assert.deepStrictEqual(second.calendars, first.calendars)
      const third = yield* feedOf(...of, "--renew", "--calendar", `${calendar}`)
      assert.strictEqual(third.url, second.url)
      assert.notStrictEqual(third.calendars[0]?.url, second.calendars[0]?.url)
    })
  )

  it.effect("refuses what is not there, and names the flag", () =>
    Effect.gen(function* () {
      const { of } = yield* ready
      const refusal = (...flags: ReadonlyArray<string>) =>
        Effect.map(runBesideService(["property", "feed", ...flags, "--json"], PUBLIC), ({ code, stdout }) => {
          assert.strictEqual(code, 1)
          return stdout
        })
      assert.match(yield* refusal("--property", "999999999"), /"--property: .*\b999999999\b/)
      assert.match(yield* refusal(...of, "--calendar", "1"), /"--calendar: .*--renew\b/)
      assert.match(yield* refusal(...of, "--renew", "--calendar", "999999999"), /"--calendar: no such calendar/)
      const both = yield* feedOf(...of)
      assert.deepStrictEqual(both.calendars, [])
    })
  )
})
