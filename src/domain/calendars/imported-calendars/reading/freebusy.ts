import * as Result from "effect/Result"
import { CALENDAR_FEED_EVENTS_MAX } from "../../../../platform/limits.ts"
import { parsePeriodSeconds, withoutClockIfWholeDays } from "./calendar-event.ts"
import { makeTimeReader } from "./calendar-time.ts"
import type { CalendarComponent } from "./component-tree.ts"
import { parseParameters } from "./content-lines.ts"
import type { NightSpan } from "./event-nights.ts"
import { nightsOfOccurrence, type ReadContext } from "./occurrences.ts"
import type { ReportUnreadablePart } from "./unreadable-part-report.ts"

// Some calendars publish only VFREEBUSY.

interface BusyTimes {
  readonly spans: ReadonlyArray<NightSpan>
  readonly periodCount: number
  readonly readablePeriodCount: number
}

/**
 * A period with an unreadable end counts as one day. Fails with a clause such as `it has more than 10000 busy times`.
 */
export const parseBusyTimes = (
  components: ReadonlyArray<CalendarComponent>,
  context: ReadContext,
  report: ReportUnreadablePart
): Result.Result<BusyTimes, string> => {
  const spans: Array<NightSpan> = []
  let [periodCount, readablePeriodCount] = [0, 0]
  for (const line of components.flatMap(({ properties }) => properties.get("FREEBUSY") ?? [])) {
    if (parseParameters(line)?.get("FBTYPE")?.toUpperCase() === "FREE") continue
    const read = makeTimeReader(line, context.clocks)
    for (const period of line.value.split(",")) {
      periodCount += 1
      if (periodCount > CALENDAR_FEED_EVENTS_MAX)
        return Result.fail(`it has more than ${CALENDAR_FEED_EVENTS_MAX} busy times`)
      const [start = "", end = ""] = period.split("/")
      const time = read?.(start)
      const seconds = read && time && parsePeriodSeconds(time, end, read, context.clocks)
      if (seconds === undefined) report(`FREEBUSY in line ${line.lineNumber} is unreadable`)
      if (time === undefined) continue
      readablePeriodCount += 1
      for (const span of nightsOfOccurrence(withoutClockIfWholeDays(time, seconds ?? 0), seconds ?? 0, context))
        spans.push(span)
    }
  }
  return Result.succeed({ spans, periodCount, readablePeriodCount })
}
