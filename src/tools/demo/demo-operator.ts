import type { DemoOrder } from "./orders.ts"

/** The demo operator as the parts that fill it find it; they run in one transaction, in the order seed.ts lists them. */
export interface DemoOperator {
  readonly operatorId: number
  readonly accountId: number
  /** The main account's display name. */
  readonly accountName: string
  readonly timeZone: string
  readonly now: Date
  /** Today in the operator's zone. */
  readonly today: string
  /** Ids of DEMO_PROPERTIES, place by place. */
  readonly propertyIds: ReadonlyArray<number>
  /** Those of channels under the codes they came in under, once they have (write-direct-orders.ts). */
  readonly orders: ReadonlyArray<DemoOrder>
}
