import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../../contract/actor.ts"
import { makeReadClientChooser } from "../../../platform/database/SharedReads.ts"
import type { NewOrder } from "../orders/order.ts"
import { findQuote, type StoredQuote } from "../quotes/quote-use.ts"
import {
  applyOrderChange,
  type LoadedOrder,
  loadOrderForChange,
  type OrderChangeResult,
  type OrderKey,
  type StayDestination,
  withOperatorOrderLock
} from "./change-order.ts"
import {
  type CreateObstacles,
  type CreateObstaclesParameters,
  createOrder,
  findCreateObstacles,
  findOrderByChannelId,
  findTakenNights,
  type OrderCodeAndStatus,
  type OrderCreation,
  type OrderReferences
} from "./create-order.ts"
import type { NightTaken } from "./nights-taken.ts"
import type { PropertyNight } from "./rules/nights.ts"
import type { OrderChange } from "./rules/order-diff.ts"

export class OrderStore extends Context.Service<
  OrderStore,
  {
    readonly findCreateObstacles: (parameters: CreateObstaclesParameters) => Effect.Effect<CreateObstacles>
    readonly findQuote: (operatorId: number, quoteId: string) => Effect.Effect<StoredQuote | undefined>
    readonly findByChannelId: (
      operatorId: number,
      channelType: string,
      channelId: string
    ) => Effect.Effect<OrderCodeAndStatus | undefined>
    readonly findTakenNights: (
      operatorId: number,
      nights: ReadonlyArray<PropertyNight>
    ) => Effect.Effect<ReadonlyArray<PropertyNight>>
    readonly create: (
      operatorId: number,
      order: NewOrder,
      at: Date,
      references?: OrderReferences
    ) => Effect.Effect<OrderCreation, NightTaken, CurrentActor>
    readonly loadForChange: (
      operatorId: number,
      key: OrderKey,
      destination?: StayDestination,
      otherCodes?: ReadonlyArray<string>
    ) => Effect.Effect<LoadedOrder>
    /**
     * Writes nothing and returns `applied: false` if an order, its transactions or the tags of a removed stay changed
     * after loading. Fails if a stay other than `taken_from` holds a night that the change assigns.
     */
    readonly applyChange: (
      operatorId: number,
      change: OrderChange,
      at: Date
    ) => Effect.Effect<OrderChangeResult, NightTaken, CurrentActor>
    readonly withOperatorOrderLock: <A, E, R>(
      operatorId: number,
      change: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
  }
>()("latchkey/domain/bookings/reservations/OrderStore") {
  static readonly layer = Layer.effect(
    OrderStore,
    Effect.gen(function* () {
      const [sql, read] = [yield* SqlClient.SqlClient, yield* makeReadClientChooser]
      return OrderStore.of({
        findCreateObstacles: read(findCreateObstacles),
        findQuote: read(findQuote),
        findByChannelId: findOrderByChannelId(sql),
        findTakenNights: findTakenNights(sql),
        create: createOrder(sql),
        loadForChange: loadOrderForChange(sql),
        applyChange: applyOrderChange(sql),
        withOperatorOrderLock: withOperatorOrderLock(sql)
      })
    })
  )
}
