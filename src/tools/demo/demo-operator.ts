import type { DemoOrder } from "./orders.ts"

/** Input of the writers in seed.ts. */
export interface DemoOperator {
  readonly operatorId: number
  readonly accountId: number
  readonly accountName: string
  readonly timeZone: string
  readonly now: Date
  readonly today: string
  /** In the order of DEMO_PROPERTIES. */
  readonly propertyIds: ReadonlyArray<number>
  /** Channel orders have assigned codes once these are known (assigned-codes.ts). */
  readonly orders: ReadonlyArray<DemoOrder>
}
