import type { DemoOrder } from "./orders.ts"

export interface DemoOperator {
  readonly operatorId: number
  readonly accountId: number
  readonly accountName: string
  readonly timeZone: string
  readonly now: Date
  readonly today: string
  /** In the order of DEMO_PROPERTIES. */
  readonly propertyIds: ReadonlyArray<number>
  readonly orders: ReadonlyArray<DemoOrder>
}
