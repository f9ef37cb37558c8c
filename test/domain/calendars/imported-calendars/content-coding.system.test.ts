import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { addDays } from "../../../../src/contract/time.ts"
import { ImportedCalendars } from "../../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import { CALENDAR_FEED_BYTES } from "../../../../src/platform/limits.ts"
import {
  createImportOnEmptyTables,
  layerImportService,
  loadCalendarDays,
  toBusyCalendar
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { asSystemActor } from "../../../support/harness.ts"

/** A property that follows one calendar. `fetchCoded` serves a feed in a coding, fetches it and returns the error. */
const prepare = Effect.gen(function* () {
  const one = yield* createImportOnEmptyTables
  const calendars = yield* ImportedCalendars
  const fetchCoded = (bytes: Buffer, coding: string) => {
    one.serveCalendar(bytes, { "content-encoding": coding })
    return Effect.map(asSystemActor(calendars.fetch(one.operatorId, one.calendarId)), ({ error }) => error ?? "")
  }
  return { ...one, fetchCoded }
})

/** Returns a feed of that many bytes with busy nights from `night` on, which compresses well. */
const feedOf = (bytes: number, night: string) => {
  const frame = toBusyCalendar(`${night}/2027-05-31`).replace("END:VCALENDAR", "X-NOTE:\r\nEND:VCALENDAR")
  return Buffer.from(frame.replace("X-NOTE:", `X-NOTE:${"x".repeat(bytes - frame.length)}`))
}

layer(layerImportService)("a calendar that its host compresses", (it) => {
  it.effect("is read from gzip, deflate and br", () =>
    Effect.gen(function* () {
      const { calendarId: id, fetchCoded } = yield* prepare
      const codings: ReadonlyArray<readonly [string, (feed: string) => Buffer]> = [
        ["gzip", gzipSync],
        ["x-gzip", gzipSync],
        ["GZIP", gzipSync],
        ["deflate", deflateSync],
        ["deflate", deflateRawSync],
        ["br", brotliCompressSync],
        ["identity, gzip", gzipSync],
        ["identity", Buffer.from],
        ["", Buffer.from]
      ]
      for (const [at, [coding, compress]] of codings.entries()) {
        const night = addDays("2027-05-01", at)
        assert.strictEqual(
          yield* fetchCoded(compress(toBusyCalendar(`${night}/${addDays(night, 1)}`)), coding),
          "",
          coding
        )
        assert.deepStrictEqual(yield* loadCalendarDays(id), [night], coding)
      }
    })
  )

  it.effect("is read up to two mebibytes of decompressed text", () =>
    Effect.gen(function* () {
      const { calendarId: id, fetchCoded } = yield* prepare
      for (const [coding, compress] of [
        ["gzip", gzipSync],
        ["deflate", deflateSync],
        ["br", brotliCompressSync]
      ] as const) {
        assert.strictEqual(yield* fetchCoded(compress(feedOf(CALENDAR_FEED_BYTES, "2027-05-30")), coding), "")
        assert.strictEqual(
          yield* fetchCoded(compress(feedOf(CALENDAR_FEED_BYTES + 1, "2027-05-29")), coding),
          "it is larger than 2 MiB"
        )
        assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-30"])
      }
      // A small body that unpacks to a hundred times the limit.
      const bomb = gzipSync(Buffer.alloc(100 * CALENDAR_FEED_BYTES))
      assert.isBelow(bomb.length, CALENDAR_FEED_BYTES)
      assert.strictEqual(yield* fetchCoded(bomb, "gzip"), "it is larger than 2 MiB")
    })
  )

  it.effect("is not read if the coding is unknown or wrong, or if there are two", () =>
    Effect.gen(function* () {
      const { calendarId: id, fetchCoded } = yield* prepare
      const feed = toBusyCalendar("2027-05-01/2027-05-02")
      assert.strictEqual(yield* fetchCoded(gzipSync(feed), "gzip"), "")
      const unknown = "its host sent it in an unknown Content-Encoding: "
      const broken = (coding: string) => `its host sent it as ${coding}, and it cannot be decompressed`
      const cases: ReadonlyArray<readonly [Buffer, string, string]> = [
        [Buffer.from(feed), "zstd", `${unknown}zstd`],
        [Buffer.from(feed), "constructor", `${unknown}constructor`],
        [Buffer.from(feed), "x".repeat(41), `${unknown}${"x".repeat(40)}`],
        [gzipSync(gzipSync(feed)), "gzip, gzip", "its host sent it compressed more than once"],
        [Buffer.from(feed), "gzip", broken("gzip")],
        [gzipSync(feed).subarray(0, -9), "gzip", broken("gzip")],
        [Buffer.alloc(0), "gzip", broken("gzip")],
        [Buffer.from(feed), "br", broken("br")],
        [deflateSync(feed).subarray(0, 20), "deflate", broken("deflate")]
      ]
      for (const [bytes, coding, error] of cases) {
        assert.strictEqual(yield* fetchCoded(bytes, coding), error)
        assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01"])
      }
    })
  )
})
