import { Effect } from "effect"
import { customAlphabet } from "../../random-text.ts"
import type { CreatedOrder } from "./Orders.ts"

/** What an order made by hand is called that its caller did not name (contract facts 2.3): nine letters and digits. */
const newChannelId = customAlphabet("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 9)

/** How often one is drawn: that even one is another order's already is next to impossible. */
export const DRAWS = 5

/** Creates an order under a name of its own: one that another order has says nothing about this one. */
export const underDrawnName = <E, R>(
  create: (channelId: string) => Effect.Effect<CreatedOrder, E, R>
): Effect.Effect<CreatedOrder, E, R> =>
  Effect.suspend(() => create(newChannelId())).pipe(
    Effect.repeat({ times: DRAWS - 1, until: ({ is_new }) => is_new }),
    Effect.flatMap((created) =>
      created.is_new ? Effect.succeed(created) : Effect.die(new Error("every drawn channel_id was taken"))
    )
  )
