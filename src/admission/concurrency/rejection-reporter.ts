import { Effect, Latch, type Scope } from "effect"
import { permitRejections } from "../../platform/telemetry/metrics/metric-definitions.ts"
import { updateSeries } from "../../platform/telemetry/metrics/metric-updates.ts"
import type { RejectionReason } from "./FairPermits.ts"

// Reports in batches, because an overload can reject thousands of calls per second.

export type LimiterName = "operators" | "strangers" | "console"

export const REPORT_INTERVAL_MS = 1_000
/** An overload ends after this number of reports without a rejection for overload. */
const QUIET_REPORTS = 5

/** Logs one line when an overload begins and one when it ends. */
export const makeRejectionReporter = Effect.fnUntraced(function* (
  of: LimiterName
): Effect.fn.Return<(reason: RejectionReason) => void, never, Scope.Scope> {
  const series = {
    "too many": permitRejections.withLabels({ of, why: "too_many" }),
    overloaded: permitRejections.withLabels({ of, why: "overloaded" })
  }
  const unreportedCounts = { "too many": 0, overloaded: 0 }
  let [totalRejected, quietReports, isOverloaded] = [0, 0, false]

  const countRejections = Effect.withFiber((fiber) => {
    for (const reason of ["too many", "overloaded"] as const) {
      if (unreportedCounts[reason] > 0) updateSeries(fiber, series[reason], unreportedCounts[reason])
      unreportedCounts[reason] = 0
    }
    return Effect.void
  })
  const logOverload = (newlyRejected: number): Effect.Effect<void> => {
    if (newlyRejected === 0 && !isOverloaded) return Effect.void
    totalRejected += newlyRejected
    quietReports = newlyRejected === 0 ? quietReports + 1 : 0
    if (!isOverloaded) {
      isOverloaded = true
      return Effect.logWarning(OVERLOAD_BEGAN)
    }
    if (quietReports < QUIET_REPORTS) return Effect.void
    const logEnd = Effect.annotateLogs(Effect.logInfo(OVERLOAD_ENDED), { calls: totalRejected })
    ;[totalRejected, quietReports, isOverloaded] = [0, 0, false]
    return logEnd
  }
  const report = Effect.suspend(() => {
    const newlyRejected = unreportedCounts.overloaded
    return Effect.andThen(countRejections, logOverload(newlyRejected))
  })

  // Closed while no call is rejected, so that an idle process does not wake up.
  const hasRejections = yield* Latch.make()
  const waitAndReport = Effect.gen(function* () {
    yield* hasRejections.await
    yield* Effect.sleep(REPORT_INTERVAL_MS)
    // Closed before the report, because calls may be rejected during it.
    yield* hasRejections.close
    yield* report
    if (isOverloaded) yield* hasRejections.open
  })
  yield* Effect.forkScoped(Effect.forever(waitAndReport))
  return (reason) => {
    unreportedCounts[reason]++
    hasRejections.openUnsafe()
  }
})

const OVERLOAD_BEGAN = "overload began: this process rejects calls that would wait too long (500 with Retry-After)"
const OVERLOAD_ENDED = "overload ended: this process rejected no call for overload in the last seconds"
