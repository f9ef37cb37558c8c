import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type MarketplaceEvent,
  toAirbnbBooking,
  toAirbnbFeed
} from "../../../support/domain/calendars/calendar-stays/marketplace-feeds.ts"
import { prepareTwoCalendars } from "../../../support/domain/calendars/calendar-stays/stay-calendars.ts"
import { layerImportService } from "../../../support/domain/calendars/imported-calendars/import-service.ts"

const WITH_CODE = toAirbnbBooking("HMABCDEF12", "2027-05-01", "2027-05-04")
const PLAIN: MarketplaceEvent = { uid: "plain", start: "2027-05-01", end: "2027-05-04", summary: "Reserved" }

layer(layerImportService)("a booking that two calendars of a property have", (it) => {
  for (const booking of [WITH_CODE, PLAIN])
    it.effect(`keeps its stay until both lack it: ${booking.uid}`, () =>
      Effect.gen(function* () {
        const { first, second, loadStays, loadHeldDays } = yield* prepareTwoCalendars({ isSameProperty: true })
        const loadStatuses = Effect.map(loadStays, (stays) => stays.map(({ id, status }) => `${id} ${status}`))
        yield* first.serveAndFetch(toAirbnbFeed(booking))
        const before = yield* loadStatuses
        assert.lengthOf(before, 1)
        yield* second.serveAndFetch(toAirbnbFeed(booking))
        assert.deepStrictEqual(yield* loadStatuses, before)
        // The second calendar is late, so the first one fetches often without the booking.
        yield* first.serveAndFetch(toAirbnbFeed())
        yield* first.fetchNow
        yield* first.fetchNow
        assert.deepStrictEqual(yield* loadStatuses, before)
        yield* second.fetchNow
        yield* first.fetchNow
        yield* second.fetchNow
        assert.deepStrictEqual([yield* first.loadProblems, yield* second.loadProblems], [[], []])
        assert.deepStrictEqual(yield* loadStatuses, before)
        assert.lengthOf(yield* loadHeldDays, 3)
        yield* second.serveAndFetch(toAirbnbFeed())
        yield* second.fetchNow
        assert.deepStrictEqual(
          (yield* loadStays).map(({ status }) => status),
          ["cancelled"]
        )
        assert.deepStrictEqual(yield* loadHeldDays, [])
      })
    )
})
