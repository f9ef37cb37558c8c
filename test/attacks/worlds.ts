import { wideWindows } from "../../bench/wide-windows.ts"
import { type AnyOperation, rateLimitOf, routeOf } from "../../src/contract/operation.ts"
import { addDays } from "../../src/contract/time.ts"
import { operations } from "../../src/service/Api.ts"
import { findSampleValue, makeSampleWorldWith, type SampleWorld } from "../support/sample-world.ts"

const routesWithOwnLimits = operations
  .filter((operation) => rateLimitOf(operation).limits !== undefined)
  .map((operation) => `${routeOf(operation).method} ${routeOf(operation).path}`)

/** Limits that no attack reaches, so that the gate rejects none of its calls. */
export const WIDE_LIMITS = {
  ...wideWindows(...routesWithOwnLimits),
  endpoint_error: { "1h": 1e9, "24h": 1e9 }
}

/** An operator with a record of every kind. */
export const attackedWorld = makeSampleWorldWith(WIDE_LIMITS)

const inDays = (days: number): string => addDays(new Date().toISOString().slice(0, 10), days)

/** Fields whose sample date is on the clock of the contract tests: a date near today instead. */
const PRESENT: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
  get_property_availability: () => ({ start_date: inDays(30), end_date: inDays(60) }),
  get_base_prices: () => ({ start_date: inDays(30), end_date: inDays(60) }),
  search_transactions: () => ({ start_date: inDays(-1), end_date: inDays(1) }),
  update_availabilities: () => ({ start_date: inDays(30), end_date: inDays(60) })
}

/** The value of a field in a world, for a service on the real clock. */
export const presentValue = (world: SampleWorld, operation: AnyOperation, field: string): unknown => {
  const present = PRESENT[operation._tag]?.() ?? {}
  return Object.hasOwn(present, field) ? present[field] : findSampleValue(world, operation, field)
}
