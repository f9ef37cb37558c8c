import { Context, Effect, Layer, type Option } from "effect"
import { WEBHOOK_SHARE } from "../limits.ts"

/**
 * How much of a process one subscription may occupy. A receiver that takes its full ten seconds every time fills its
 * own share and no more; its other deliveries are handed back at once, so they never hold a worker that another
 * receiver could use. Counts live in the process: several processes give each subscription a share of each.
 */
export class DeliveryShares extends Context.Service<
  DeliveryShares,
  {
    /** Runs the delivery if the subscription has some of its share left; none when it has not, and nothing ran. */
    readonly within: <A, E, R>(
      subscription: string,
      delivery: Effect.Effect<A, E, R>
    ) => Effect.Effect<Option.Option<A>, E, R>
    /** Deliveries under way now, by subscription; those without any have no entry. */
    readonly underWay: Effect.Effect<ReadonlyMap<string, number>>
  }
>()("latchkey/deliveries/DeliveryShares") {
  static readonly layer = (share: number = WEBHOOK_SHARE): Layer.Layer<DeliveryShares> =>
    Layer.sync(DeliveryShares, () => {
      // Only subscriptions with a delivery under way have an entry, so the map is as small as the work.
      const underWay = new Map<string, number>()
      const countOf = (subscription: string) => underWay.get(subscription) ?? 0
      const take = (subscription: string) =>
        Effect.sync(() => {
          if (countOf(subscription) >= share) return false
          underWay.set(subscription, countOf(subscription) + 1)
          return true
        })
      const giveBack = (subscription: string) =>
        Effect.sync(() => {
          const left = countOf(subscription) - 1
          if (left === 0) underWay.delete(subscription)
          else underWay.set(subscription, left)
        })
      const within = <A, E, R>(subscription: string, delivery: Effect.Effect<A, E, R>) =>
        Effect.acquireUseRelease(
          take(subscription),
          (taken): Effect.Effect<Option.Option<A>, E, R> => (taken ? Effect.asSome(delivery) : Effect.succeedNone),
          (taken) => (taken ? giveBack(subscription) : Effect.void)
        )
      return { within, underWay: Effect.sync(() => new Map(underWay)) }
    })
}
